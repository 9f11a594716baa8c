import { isRecord } from "#core";
import type { JsonObject } from "#core";

import { readOptions } from "./ai-sdk-options.ts";
import { piecesOf, readCall, readOutput, readPart, readReasoning, readServerCall, rejected } from "./ai-sdk-parts.ts";
import type { Piece } from "./ai-sdk-parts.ts";
import type { AssistantPart, Conversation, Message, Result, Setting, Tool, ToolChoice } from "./conversation.ts";
import type { Losses } from "./losses.ts";
import { readUiMessage } from "./read-ai-sdk-ui.ts";
import { resultText } from "./results.ts";
import { readSampling, samplingKeys } from "./sampling.ts";
import type { SamplingNames } from "./sampling.ts";
import { isRawSchema, serverTool } from "./tools.ts";
import { isMessage, listOf, readStray, recordOf, stringOf, textPart, wordsOf } from "./wire.ts";
import type { Document } from "./wire.ts";

export const aiSdkSampling: SamplingNames = {
  maxTokens: ["maxOutputTokens", "maxTokens"],
  temperature: ["temperature"],
  topP: ["topP"],
  topK: ["topK"],
  stop: ["stopSequences"],
  seed: ["seed"],
  frequencyPenalty: ["frequencyPenalty"],
  presencePenalty: ["presencePenalty"],
};

/** Reads ModelMessages or UIMessages, or the options of `generateText` with them. */
export function readAiSdk({ list, body }: Document, losses: Losses): Conversation {
  const open = openApprovals(list);
  const messages = list.flatMap((wire, i) => readMessage(wire, `messages[${i}]`, { open, losses }));
  if (body === undefined) return { messages, setting: undefined };
  const key = body["instructions"] === undefined ? "system" : "instructions";
  return { messages: [...readSystem(body[key], key), ...messages], setting: readSetting(body, losses) };
}

function readSystem(given: unknown, path: string): readonly Message[] {
  if (given === undefined || given === null || given === "") return [];
  return (Array.isArray(given) ? listOf(given) : [given]).map((one): Message => {
    const text = isRecord(one) ? wordsOf(one["content"]) : wordsOf(one);
    return { role: "system", path, parts: [textPart(text, path)], isDeveloper: false };
  });
}

function readSetting(body: JsonObject, losses: Losses): Setting {
  const read = ["messages", "model", "system", "instructions", "allowSystemInMessages", "tools", "toolChoice"];
  losses.others(body, [...read, ...samplingKeys(aiSdkSampling)], "");
  const { model } = body;
  return {
    model: stringOf(model) ?? (isRecord(model) ? stringOf(model["modelId"]) : undefined),
    isStreamed: undefined,
    tools: Object.entries(recordOf(body["tools"])).flatMap(([name, wire]) => readDeclared(name, wire, losses)),
    toolChoice: readChoice(body["toolChoice"]),
    isParallel: undefined,
    sampling: readSampling(body, aiSdkSampling, ""),
  };
}

function readDeclared(name: string, wire: unknown, losses: Losses): readonly Tool[] {
  const path = `tools.${name}`;
  const tool = recordOf(wire);
  if (typeof tool["type"] === "string" && tool["type"].startsWith("provider")) {
    serverTool({ name }, path, losses);
    return [];
  }
  const given = recordOf(tool["inputSchema"] ?? tool["parameters"]);
  const schema = isRecord(given["jsonSchema"])
    ? given["jsonSchema"]
    : "type" in given || "properties" in given
      ? given
      : undefined;
  const isJson = schema !== undefined && !("~standard" in schema);
  if (!isJson) losses.add(path, "the schema of a tool", "it is not a JSON schema; a schema for any object replaces it");
  const description = stringOf(tool["description"]);
  const isCustom = isRawSchema(schema);
  return [
    { path, name, description, schema: isJson ? schema : undefined, isCustom, isStrict: tool["strict"] === true },
  ];
}

function readChoice(choice: unknown): ToolChoice | undefined {
  const path = "toolChoice";
  if (choice === "auto" || choice === "none" || choice === "required") return { path, type: choice };
  const name = recordOf(choice)["toolName"];
  return typeof name === "string" ? { path, type: "tool", name } : undefined;
}

/** The calls that wait for an approval response, by the id of the request. */
function openApprovals(list: readonly unknown[]): ReadonlyMap<unknown, JsonObject> {
  const parts = list.flatMap((message) => listOf(recordOf(message)["content"])).map(recordOf);
  const answered = new Set(parts.flatMap(({ type, toolCallId }) => (type === "tool-result" ? [toolCallId] : [])));
  const isOpen = ({ type, toolCallId }: JsonObject): boolean => type === "tool-call" && !answered.has(toolCallId);
  const calls = new Map(parts.filter(isOpen).map((part) => [part["toolCallId"], part]));
  const requests = parts.filter(({ type }) => type === "tool-approval-request");
  return new Map(
    requests.flatMap(({ approvalId, toolCallId }) => {
      const call = calls.get(toolCallId);
      return call === undefined ? [] : [[approvalId, call] as const];
    }),
  );
}

interface Context {
  readonly open: ReadonlyMap<unknown, JsonObject>;
  readonly losses: Losses;
}

function readMessage(wire: unknown, path: string, { open, losses }: Context): readonly Message[] {
  if (!isMessage(wire)) return readStray(wire, path, losses);
  const message = wire;
  if (Array.isArray(message["parts"])) return readUiMessage(message, path, losses);
  losses.others(message, ["role", "content", "providerOptions", "id"], path);
  readOptions(message["providerOptions"], `${path}.providerOptions`, losses);
  const pieces = piecesOf(message["content"], `${path}.content`);
  switch (message["role"]) {
    case "system":
      return [
        {
          role: "system",
          path,
          parts: pieces.map(({ wire: part, path: at }) => textPart(wordsOf(part), at)),
          isDeveloper: false,
        },
      ];
    case "assistant":
      return readAssistant(pieces, path, losses);
    case "tool":
      return readTool(pieces, path, { open, losses });
    default:
      return [{ role: "user", path, parts: pieces.map((piece) => readPart(piece, losses)), name: undefined }];
  }
}

/** The assistant content, and the results of provider tools beside their calls. */
function readAssistant(pieces: readonly Piece[], path: string, losses: Losses): readonly Message[] {
  const parts: AssistantPart[] = [];
  for (const piece of pieces) {
    const part = readAssistantPart(piece, losses);
    if (part !== undefined) parts.push(part);
  }
  return [{ role: "assistant", path, parts }];
}

function readAssistantPart(piece: Piece, losses: Losses): AssistantPart | undefined {
  const { wire, path } = piece;
  switch (wire["type"]) {
    case "reasoning":
      return readReasoning(wire, path, losses);
    case "tool-call":
      return wire["providerExecuted"] === true ? readServerCall(wire, path, losses) : readCall(wire, path, losses);
    case "tool-result": {
      losses.add(path, "the result of a server tool", "only its provider can run it; text replaces it");
      const key = wire["output"] === undefined ? "result" : "output";
      const output = readOutput(wire[key], `${path}.${key}`, losses);
      return textPart(`[${stringOf(wire["toolName"]) ?? "tool"}: ${resultText(output)}]`, path);
    }
    case "tool-approval-request":
      losses.add(path, "an approval request");
      return undefined;
    default:
      return readPart(piece, losses);
  }
}

/** The results of a message, then its other parts. */
function readTool(pieces: readonly Piece[], path: string, context: Context): readonly Message[] {
  const isOwn = ({ wire: { type } }: Piece): boolean => type === "tool-result" || type === "tool-approval-response";
  const results = pieces.filter(isOwn).flatMap((piece) => readResult(piece, context));
  const parts = pieces.filter((piece) => !isOwn(piece)).map((piece) => readPart(piece, context.losses));
  const answered: readonly Message[] = results.length === 0 ? [] : [{ role: "tool", path, results }];
  return parts.length === 0 ? answered : [...answered, { role: "user", path, parts, name: undefined }];
}

function readResult({ wire, path }: Piece, { open, losses }: Context): readonly Result[] {
  if (wire["type"] === "tool-approval-response") {
    losses.add(path, "the response to an approval request");
    const call = wire["approved"] === false ? open.get(wire["approvalId"]) : undefined;
    return call === undefined ? [] : [rejected({ ...call, reason: wire["reason"] }, path)];
  }
  readOptions(wire["providerOptions"], `${path}.providerOptions`, losses);
  const given = wire["output"] ?? wire["result"];
  const { type, reason } = recordOf(given);
  if (type === "execution-denied") return [rejected({ ...wire, reason }, path)];
  const { parts, isError } = readOutput(given, `${path}.output`, losses);
  const name = stringOf(wire["toolName"]);
  return [{ path, id: stringOf(wire["toolCallId"]), name, parts, isError: isError || wire["isError"] === true }];
}
