import { isRecord } from "#core";
import type { JsonObject } from "#core";

import type {
  AssistantPart,
  Call,
  Conversation,
  Media,
  Message,
  Reasoning,
  Result,
  Setting,
  Text,
  Tool,
} from "./conversation.ts";
import type { Losses } from "./losses.ts";
import { sourceOf } from "./media.ts";
import { readSampling, samplingKeys } from "./sampling.ts";
import type { SamplingNames } from "./sampling.ts";
import { readChatChoice, serverTool } from "./tools.ts";
import { isMessage, listOf, readStray, recordOf, stringOf, textPart, unknownPart, wordsOf } from "./wire.ts";
import type { Document } from "./wire.ts";

export const responsesSampling: SamplingNames = {
  maxTokens: ["max_output_tokens"],
  temperature: ["temperature"],
  topP: ["top_p"],
};

/** Reads a Responses request. Consecutive items of one role form one message. */
export function readResponses({ list, body }: Document, losses: Losses): Conversation {
  const messages: Message[] = [];
  const { instructions } = body ?? {};
  if (typeof instructions === "string" && instructions !== "") {
    const path = "instructions";
    messages.push({ role: "system", path, parts: [textPart(instructions, path)], isDeveloper: false });
  }
  const answered = new Set(list.map(recordOf).flatMap((item) => (isOutput(item) ? [item["call_id"]] : [])));
  const making: Making = { messages, parts: [], results: [], hasSpoken: false, hasCalled: false };
  list.forEach((wire, i) => {
    const path = `input[${i}]`;
    const items = isMessage(wire) ? [readItem(wire, path, { answered, losses })] : readStray(wire, path, losses);
    for (const item of items) addItem(making, item);
  });
  return { messages, setting: body && readSetting(body, losses) };
}

/** A message under construction from the items of one role. */
interface Making {
  readonly messages: Message[];
  parts: AssistantPart[];
  results: Result[];
  hasSpoken: boolean;
  hasCalled: boolean;
}

/** Adds an item to the message before it, if the role is the same. */
function addItem(making: Making, item: Message): void {
  const { messages } = making;
  const last = messages.at(-1)?.role;
  if (item.role === "assistant") {
    const isCall = item.parts.every(({ type }) => type === "call");
    // Text or reasoning after a text without calls starts a new message.
    const isFinished = making.hasSpoken && !making.hasCalled && !isCall;
    if (last !== "assistant" || isFinished) {
      making.parts = [];
      making.hasSpoken = false;
      making.hasCalled = false;
      messages.push({ ...item, parts: making.parts });
    }
    for (const part of item.parts) making.parts.push(part);
    making.hasSpoken ||= item.parts.some(({ type }) => type === "text");
    making.hasCalled ||= isCall;
  } else if (item.role === "tool") {
    if (last !== "tool") messages.push({ ...item, results: (making.results = []) });
    for (const result of item.results) making.results.push(result);
  } else messages.push(item);
}

function readSetting(body: JsonObject, losses: Losses): Setting {
  const read = ["input", "model", "instructions", "stream", "tools", "tool_choice", "parallel_tool_calls"];
  losses.others(body, [...read, ...samplingKeys(responsesSampling)], "");
  if (body["store"] === false) losses.add("store", "the setting not to store the response");
  const parallel = body["parallel_tool_calls"];
  return {
    model: stringOf(body["model"]),
    isStreamed: typeof body["stream"] === "boolean" ? body["stream"] : undefined,
    tools: listOf(body["tools"]).flatMap((wire, i) => readTool(wire, `tools[${i}]`, losses)),
    toolChoice: readChatChoice(body["tool_choice"], "tool_choice", losses),
    isParallel: typeof parallel === "boolean" ? { path: "parallel_tool_calls", value: parallel } : undefined,
    sampling: readSampling(body, responsesSampling, ""),
  };
}

function readTool(wire: unknown, path: string, losses: Losses): readonly Tool[] {
  const tool = recordOf(wire);
  const { type, name } = tool;
  if ((type !== "function" && type !== "custom") || typeof name !== "string") {
    serverTool(wire, path, losses);
    return [];
  }
  losses.others(tool, ["type", "name", "description", "parameters", "strict"], path);
  const description = stringOf(tool["description"]);
  const isStrict = tool["strict"] === true;
  return [{ path, name, description, schema: tool["parameters"], isCustom: type === "custom", isStrict }];
}

const isOutput = ({ type, call_id: id }: JsonObject): boolean =>
  typeof id === "string" && typeof type === "string" && type.endsWith("_output");

interface Context {
  /** The ids of calls with an output. */
  readonly answered: ReadonlySet<unknown>;
  readonly losses: Losses;
}

function readItem(item: JsonObject, path: string, { answered, losses }: Context): Message {
  const { type = "message", call_id: id } = item;
  if (type === "message" && typeof item["role"] === "string") return readMessage(item, path, losses);
  if (type === "reasoning") return { role: "assistant", path, parts: [readReasoning(item, path)] };
  if (isOutput(item)) return { role: "tool", path, results: [readResult(item, path, losses)] };
  // OpenAI tools that the client runs have an output.
  const isCall = type === "function_call" || type === "custom_tool_call" || (id !== undefined && answered.has(id));
  const part = isCall ? readCall(item, path, losses) : readServerItem(item, path, losses);
  return { role: "assistant", path, parts: [part] };
}

function readMessage(item: JsonObject, path: string, losses: Losses): Message {
  losses.others(item, ["type", "role", "content", "id", "status", "phase"], path);
  const parts = readContent(item["content"], `${path}.content`, losses);
  switch (item["role"]) {
    case "system":
    case "developer": {
      const texts = parts.filter((part) => part.type === "text");
      for (const part of parts) if (part.type !== "text") losses.add(part.path, `a part of type ${part.kind}`);
      return { role: "system", path, parts: texts, isDeveloper: item["role"] === "developer" };
    }
    case "assistant":
      return { role: "assistant", path, parts: inPhase(parts, stringOf(item["phase"])) };
    default:
      return { role: "user", path, parts, name: undefined };
  }
}

/** Adds OpenAI's phase to the texts of a message. */
function inPhase(parts: readonly (Text | Media)[], phase: string | undefined): readonly (Text | Media)[] {
  if (phase === undefined) return parts;
  return parts.map((part) => (part.type === "text" ? { ...part, seal: { owner: "openai", value: "", phase } } : part));
}

function readReasoning(item: JsonObject, path: string): Reasoning {
  const summary = listOf(item["summary"]).map((part) => wordsOf(recordOf(part)["text"] ?? ""));
  const content = listOf(item["content"]).map((part) => wordsOf(recordOf(part)["text"] ?? ""));
  const id = stringOf(item["id"]);
  const value = stringOf(item["encrypted_content"]) ?? "";
  const sealed = value !== "" || id !== undefined;
  const text = (content.length > 0 ? content : summary).join("\n\n");
  const seal = sealed ? ({ owner: "openai", value, ...(id === undefined ? {} : { id }) } as const) : undefined;
  return { type: "reasoning", path, text, seal, isRedacted: text === "" };
}

/**
 * Reads the call of a function, a custom tool, or an OpenAI tool that the client runs: a shell, a patch, a computer.
 */
function readCall(item: JsonObject, path: string, losses: Losses): Call {
  const type = stringOf(item["type"]) ?? "";
  const head = { type: "call", path, id: stringOf(item["call_id"]) } as const;
  if (type === "function_call" || type === "custom_tool_call") {
    losses.others(item, ["type", "call_id", "id", "status", "name", "arguments", "input"], path);
    const isCustom = type === "custom_tool_call";
    const given = item[isCustom ? "input" : "arguments"];
    const input = typeof given === "string" ? { text: given } : { value: given };
    return { ...head, name: stringOf(item["name"]) ?? "", input, isCustom };
  }
  losses.add(path, `the item ${type}`, "it becomes an ordinary call");
  const { type: _, id: __, call_id: ___, status: ____, ...value } = item;
  return { ...head, name: type.replace(/_call$/, ""), input: { value }, isCustom: false };
}

/**
 * Reads a tool output. Most types have it in `output`, a program in `result`, a search in `tools`, a patch in its
 * status.
 */
function readResult(item: JsonObject, path: string, losses: Losses): Result {
  const key = ["output", "result", "tools", "status"].find((each) => item[each] !== undefined) ?? "output";
  losses.others(item, ["type", "call_id", "id", "status", key], path);
  const output = item[key];
  const isParts =
    key !== "tools" &&
    Array.isArray(output) &&
    output.every((part) => isRecord(part) && typeof part["type"] === "string");
  const parts = isParts
    ? readContent(output, `${path}.${key}`, losses)
    : typeof output === "string"
      ? [textPart(output, `${path}.${key}`)]
      : isRecord(output) && output["type"] === "computer_screenshot"
        ? [readPart(output, `${path}.${key}`, losses)]
        : [{ type: "value", path: `${path}.${key}`, value: output } as const];
  return { path, id: stringOf(item["call_id"]), name: undefined, parts, isError: item["status"] === "failed" };
}

/** Reads an item of an OpenAI server tool, or a reference to a stored item. */
function readServerItem(item: JsonObject, path: string, losses: Losses): AssistantPart {
  const type = stringOf(item["type"]) ?? "item";
  const { result } = item;
  if (type === "image_generation_call" && typeof result === "string") {
    const source = { type: "bytes", data: result } as const;
    return { type: "media", path, kind: "image", mediaType: "image/png", source };
  }
  losses.add(path, `the item ${type}`, `${losses.to} has no such item; text replaces it`);
  const { type: _, id: __, call_id: ___, status: ____, ...said } = item;
  return textPart(`[${type}: ${wordsOf(type === "item_reference" ? { id: item["id"] } : said)}]`, path);
}

function readContent(content: unknown, path: string, losses: Losses): readonly (Text | Media)[] {
  if (content === undefined || content === null) return [];
  if (!Array.isArray(content)) return [textPart(wordsOf(content), path)];
  return listOf(content).map((part, i) => readPart(recordOf(part), `${path}[${i}]`, losses));
}

function readPart(part: JsonObject, path: string, losses: Losses): Text | Media {
  switch (part["type"]) {
    case "input_text":
    case "output_text":
    case "text":
      losses.others(part, ["type", "text", "logprobs"], path);
      return textPart(wordsOf(part["text"] ?? ""), path);
    case "refusal":
      return { ...textPart(wordsOf(part["refusal"] ?? ""), path), isRefusal: true };
    case "input_image":
    case "computer_screenshot":
      return readMedia(part, "image", path) ?? unknownPart(part, path, losses);
    case "input_file":
      return readMedia(part, "file", path) ?? unknownPart(part, path, losses);
    case "input_audio": {
      const { data, format } = recordOf(part["input_audio"]);
      const source = { type: "bytes", data: stringOf(data) ?? "" } as const;
      return { type: "media", path, kind: "audio", mediaType: `audio/${stringOf(format) ?? "wav"}`, source };
    }
    default:
      return unknownPart(part, path, losses);
  }
}

function readMedia(part: JsonObject, kind: "image" | "file", path: string): Media | undefined {
  const detail = typeof part["detail"] === "string" ? { detail: part["detail"] } : {};
  const name = typeof part["filename"] === "string" ? { name: part["filename"] } : {};
  const head = { type: "media", path, kind, ...detail, ...name } as const;
  const url = part["image_url"] ?? part["file_data"] ?? part["file_url"];
  if (typeof url === "string") {
    const read = sourceOf(url);
    const isBare = part["file_data"] === url && read.source.type === "url";
    return isBare
      ? { ...head, mediaType: "application/pdf", source: { type: "bytes", data: url } }
      : { ...head, mediaType: read.mediaType, source: read.source };
  }
  const id = part["file_id"];
  return typeof id === "string"
    ? { ...head, mediaType: undefined, source: { type: "file", id, owner: "openai" } }
    : undefined;
}
