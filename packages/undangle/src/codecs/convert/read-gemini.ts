import { isRecord } from "#core";
import type { JsonObject } from "#core";

import { isFailure } from "../gemini/part.ts";
import type {
  AssistantPart,
  Conversation,
  Media,
  Message,
  Result,
  ResultPart,
  Seal,
  Setting,
  Text,
  Tool,
  ToolChoice,
} from "./conversation.ts";
import { readGeminiSchema } from "./gemini-schema.ts";
import type { Losses } from "./losses.ts";
import { kindOf, sourceOfUri } from "./media.ts";
import { readSampling, samplingKeys } from "./sampling.ts";
import type { SamplingNames } from "./sampling.ts";
import { isRawSchema, serverTool } from "./tools.ts";
import { isMessage, listOf, readStray, recordOf, stringOf, textPart, unknownPart, wordsOf } from "./wire.ts";
import type { Document } from "./wire.ts";

export const geminiSampling: SamplingNames = {
  maxTokens: ["maxOutputTokens", "max_output_tokens"],
  temperature: ["temperature"],
  topP: ["topP", "top_p"],
  topK: ["topK", "top_k"],
  stop: ["stopSequences", "stop_sequences"],
  seed: ["seed"],
  frequencyPenalty: ["frequencyPenalty", "frequency_penalty"],
  presencePenalty: ["presencePenalty", "presence_penalty"],
};

/** Reads a generateContent request in REST or SDK form. The SDK has everything except the contents in `config`. */
export function readGemini({ list, body }: Document, losses: Losses): Conversation {
  const messages = list.flatMap((wire, i) => readTurn(wire, `contents[${i}]`, losses));
  if (body === undefined) return { messages, setting: undefined };
  const isSdk = isRecord(body["config"]);
  const around = isSdk ? recordOf(body["config"]) : body;
  const at = isSdk ? "config." : "";
  const key = keyIn(around, "systemInstruction", "system_instruction");
  const system = readSystem(around[key], at + key, losses);
  return { messages: [...system, ...messages], setting: readSetting(body, { around, at }, losses) };
}

function readSystem(given: unknown, path: string, losses: Losses): readonly Message[] {
  const parts = isRecord(given) && given["parts"] !== undefined ? given["parts"] : given;
  const list = Array.isArray(parts) ? listOf(parts) : parts === undefined || parts === null ? [] : [parts];
  const texts = list.map((part, i): Text => {
    const text = typeof part === "string" ? part : recordOf(part)["text"];
    return typeof text === "string" ? textPart(text, path) : unknownPart(part, `${path}.parts[${i}]`, losses);
  });
  return texts.length === 0 ? [] : [{ role: "system", path, parts: texts, isDeveloper: false }];
}

/** The key of a field, in either spelling. */
const keyIn = (record: JsonObject, camel: string, snake: string): string =>
  record[camel] === undefined && snake in record ? snake : camel;

interface Around {
  readonly around: JsonObject;
  /** The prefix of its paths. */
  readonly at: string;
}

const settingKeys = ["systemInstruction", "system_instruction", "tools", "toolConfig", "tool_config"];

function readSetting(body: JsonObject, { around, at }: Around, losses: Losses): Setting {
  const isSdk = at !== "";
  losses.others(body, ["contents", "model", "config", "generationConfig", "generation_config", ...settingKeys], "");
  const path = isSdk ? "config" : keyIn(body, "generationConfig", "generation_config");
  const generation = recordOf(body[path]);
  losses.others(generation, [...samplingKeys(geminiSampling), ...(isSdk ? settingKeys : [])], path);
  const toolConfig = keyIn(around, "toolConfig", "tool_config");
  return {
    model: stringOf(body["model"]),
    isStreamed: undefined,
    tools: listOf(around["tools"]).flatMap((wire, i) => readTools(wire, `${at}tools[${i}]`, losses)),
    toolChoice: readChoice(recordOf(around[toolConfig]), at + toolConfig),
    isParallel: undefined,
    sampling: readSampling(generation, geminiSampling, path),
  };
}

function readTools(wire: unknown, path: string, losses: Losses): readonly Tool[] {
  const tool = recordOf(wire);
  const listKey = keyIn(tool, "functionDeclarations", "function_declarations");
  for (const [key, value] of Object.entries(tool)) {
    if (!/declarations$/i.test(key) && value !== undefined) serverTool({ [key]: value }, `${path}.${key}`, losses);
  }
  return listOf(tool[listKey]).map((declared, i): Tool => {
    const at = `${path}.${listKey}[${i}]`;
    const declaration = recordOf(declared);
    losses.others(declaration, ["name", "description", "parameters", "parametersJsonSchema"], at);
    const schema = declaration["parametersJsonSchema"] ?? readGeminiSchema(declaration["parameters"]);
    const name = stringOf(declaration["name"]) ?? "";
    const description = stringOf(declaration["description"]);
    return { path: at, name, description, schema, isCustom: isRawSchema(schema), isStrict: false };
  });
}

function readChoice(toolConfig: JsonObject, path: string): ToolChoice | undefined {
  const config = recordOf(toolConfig["functionCallingConfig"] ?? toolConfig["function_calling_config"]);
  const names = listOf(config["allowedFunctionNames"] ?? config["allowed_function_names"]);
  const [name] = names;
  switch (config["mode"]) {
    case "AUTO":
      return { path, type: "auto" };
    case "NONE":
      return { path, type: "none" };
    case "ANY":
      if (names.length > 1) return { path, type: "required", among: names.map(String) };
      return typeof name === "string" ? { path, type: "tool", name } : { path, type: "required" };
    default:
      return undefined;
  }
}

function readTurn(wire: unknown, path: string, losses: Losses): readonly Message[] {
  if (!isMessage(wire)) return readStray(wire, path, losses);
  const turn = wire;
  losses.others(turn, ["role", "parts"], path);
  const parts = listOf(turn["parts"]).map((part, i) => ({ wire: recordOf(part), path: `${path}.parts[${i}]` }));
  if (turn["role"] === "model") {
    return [{ role: "assistant", path, parts: parts.map((part) => readModelPart(part, losses)) }];
  }
  const isResponse = ({ wire: part }: Piece): boolean => responseOf(part) !== undefined;
  const results = parts.filter(isResponse).map((part) => readResult(part, losses));
  const said = parts.filter((part) => !isResponse(part)).map((part) => readPart(part, losses));
  const message: Message = { role: "user", path, parts: said, name: undefined };
  if (results.length === 0) return [message];
  const answered: Message = { role: "tool", path, results };
  return said.length === 0 ? [answered] : [answered, message];
}

interface Piece {
  readonly wire: JsonObject;
  readonly path: string;
}

const responseOf = (part: JsonObject): unknown => part["functionResponse"] ?? part["function_response"];

const sealOf = (wire: JsonObject): Seal | undefined => {
  const value = wire["thoughtSignature"] ?? wire["thought_signature"];
  if (typeof value !== "string" || value === "" || value === "skip_thought_signature_validator") return undefined;
  return { owner: "gemini", value };
};

function readModelPart(piece: Piece, losses: Losses): AssistantPart {
  const { wire, path } = piece;
  const key = keyIn(wire, "functionCall", "function_call");
  const call = wire[key];
  const seal = sealOf(wire);
  if (isRecord(call)) {
    losses.others(call, ["id", "name", "args"], `${path}.${key}`);
    const name = stringOf(call["name"]) ?? "";
    const input = { value: call["args"] ?? {} };
    const sealed = seal === undefined ? {} : { seal };
    return { type: "call", path, id: stringOf(call["id"]), name, input, isCustom: false, ...sealed };
  }
  if (wire["thought"] === true && typeof wire["text"] === "string") {
    return { type: "reasoning", path, text: wire["text"], seal, isRedacted: false };
  }
  const part = readPart(piece, losses);
  return seal === undefined ? part : { ...part, seal };
}

function readPart({ wire, path }: Piece, losses: Losses): Text | Media {
  if (typeof wire["text"] === "string") return textPart(wire["text"], path);
  const inline = wire["inlineData"] ?? wire["inline_data"];
  const file = wire["fileData"] ?? wire["file_data"];
  const given = recordOf(inline ?? file);
  const mediaType = stringOf(given["mimeType"] ?? given["mime_type"]);
  const head = { type: "media", path, kind: kindOf(mediaType), mediaType } as const;
  if (typeof given["data"] === "string") return { ...head, source: { type: "bytes", data: given["data"] } };
  const uri = given["fileUri"] ?? given["file_uri"];
  if (typeof uri === "string") return { ...head, source: sourceOfUri(uri) };
  return readCode(wire, path, losses) ?? unknownPart(wire, path, losses);
}

/** Code that Google ran, and its output. */
function readCode(wire: JsonObject, path: string, losses: Losses): Text | undefined {
  const code = recordOf(wire["executableCode"] ?? wire["executable_code"])["code"];
  const output = recordOf(wire["codeExecutionResult"] ?? wire["code_execution_result"])["output"];
  if (typeof code !== "string" && typeof output !== "string") return undefined;
  losses.add(path, "code that the provider ran", "only its provider can run it; text replaces it");
  return textPart(typeof code === "string" ? `[code: ${code}]` : `[output: ${wordsOf(output)}]`, path);
}

function readResult({ wire, path }: Piece, losses: Losses): Result {
  const key = keyIn(wire, "functionResponse", "function_response");
  const given = recordOf(wire[key]);
  losses.others(given, ["id", "name", "response", "parts"], `${path}.${key}`);
  const { response } = given;
  const media = listOf(given["parts"]).map((part, i) => {
    return readPart({ wire: recordOf(part), path: `${path}.${key}.parts[${i}]` }, losses);
  });
  const isError = isFailure(response);
  const parts = [...readResponse(response, `${path}.${key}.response`), ...media];
  return { path, id: stringOf(given["id"]), name: stringOf(given["name"]), parts, isError };
}

/** Unwraps a response that contains only text or an error. */
function readResponse(response: unknown, path: string): readonly ResultPart[] {
  const [only, ...others] = isRecord(response) ? Object.entries(response) : [];
  if (only === undefined) return isRecord(response) ? [] : [{ type: "value", path, value: response ?? {} }];
  const [key, value] = only;
  const isWrapper = others.length === 0 && ["result", "output", "error"].includes(key);
  if (isWrapper && typeof value === "string") return [textPart(value, path)];
  const isError = isWrapper && key === "error";
  return [{ type: "value", path, value: isError ? value : response }];
}
