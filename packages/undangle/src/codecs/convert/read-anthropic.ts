import { isRecord } from "#core";
import type { JsonObject } from "#core";

import type {
  AssistantPart,
  Call,
  Conversation,
  Media,
  Message,
  Result,
  Setting,
  Text,
  Tool,
  ToolChoice,
} from "./conversation.ts";
import type { Losses } from "./losses.ts";
import { kindOf } from "./media.ts";
import { readSampling, samplingKeys } from "./sampling.ts";
import type { SamplingNames } from "./sampling.ts";
import { isRawSchema, serverTool } from "./tools.ts";
import {
  documentPart,
  isMessage,
  listOf,
  readStray,
  recordOf,
  stringOf,
  textPart,
  unknownPart,
  wordsOf,
} from "./wire.ts";
import type { Document } from "./wire.ts";

export const anthropicSampling: SamplingNames = {
  maxTokens: ["max_tokens"],
  temperature: ["temperature"],
  topP: ["top_p"],
  topK: ["top_k"],
  stop: ["stop_sequences"],
};

/** Reads a Messages request. */
export function readAnthropic({ list, body }: Document, losses: Losses): Conversation {
  const system = body === undefined ? [] : readSystem(body["system"], "system", losses);
  const messages = list.flatMap((wire, i) => readMessage(wire, `messages[${i}]`, losses));
  return { messages: [...system, ...messages], setting: body && readSetting(body, losses) };
}

function readSystem(content: unknown, path: string, losses: Losses): readonly Message[] {
  const parts = blocksOf(content, path).map((block) => readSystemBlock(block, losses));
  return parts.length === 0 ? [] : [{ role: "system", path, parts, isDeveloper: false }];
}

function readSystemBlock({ wire, path }: Block, losses: Losses): Text {
  if (wire["type"] !== "text") return unknownPart(wire, path, losses);
  return readText(wire, path, losses);
}

function readSetting(body: JsonObject, losses: Losses): Setting {
  const read = ["messages", "model", "system", "stream", "tools", "tool_choice", ...samplingKeys(anthropicSampling)];
  losses.others(body, read, "");
  const choice = recordOf(body["tool_choice"]);
  const path = "tool_choice.disable_parallel_tool_use";
  return {
    model: stringOf(body["model"]),
    isStreamed: typeof body["stream"] === "boolean" ? body["stream"] : undefined,
    tools: listOf(body["tools"]).flatMap((wire, i) => readTool(wire, `tools[${i}]`, losses)),
    toolChoice: readChoice(choice),
    isParallel: choice["disable_parallel_tool_use"] === true ? { path, value: false } : undefined,
    sampling: readSampling(body, anthropicSampling, ""),
  };
}

function readTool(wire: unknown, path: string, losses: Losses): readonly Tool[] {
  const tool = recordOf(wire);
  const { name, type } = tool;
  if (typeof name !== "string" || (type !== undefined && type !== "custom" && tool["input_schema"] === undefined)) {
    serverTool(wire, path, losses);
    return [];
  }
  losses.others(tool, ["type", "name", "description", "input_schema", "strict"], path);
  const schema = tool["input_schema"];
  const description = stringOf(tool["description"]);
  return [{ path, name, description, schema, isCustom: isRawSchema(schema), isStrict: tool["strict"] === true }];
}

function readChoice({ type, name }: JsonObject): ToolChoice | undefined {
  const path = "tool_choice";
  if (type === "auto" || type === "none") return { path, type };
  if (type === "any") return { path, type: "required" };
  return type === "tool" && typeof name === "string" ? { path, type, name } : undefined;
}

interface Block {
  readonly wire: JsonObject;
  readonly path: string;
}

function blocksOf(content: unknown, path: string): readonly Block[] {
  if (content === undefined || content === null) return [];
  if (typeof content === "string") return [{ wire: { type: "text", text: content }, path }];
  return listOf(content).map((wire, i) => ({ wire: isRecord(wire) ? wire : { text: wire }, path: `${path}[${i}]` }));
}

function readMessage(wire: unknown, path: string, losses: Losses): readonly Message[] {
  if (!isMessage(wire)) return readStray(wire, path, losses);
  losses.others(wire, ["role", "content", "id", "type", "model", "stop_reason", "stop_sequence", "usage"], path);
  const blocks = blocksOf(wire["content"], `${path}.content`);
  if (wire["role"] === "system") {
    return [{ role: "system", path, parts: blocks.map((block) => readSystemBlock(block, losses)), isDeveloper: false }];
  }
  if (wire["role"] === "assistant") {
    return [{ role: "assistant", path, parts: blocks.map((block) => readAssistantBlock(block, losses)) }];
  }
  const isResult = ({ wire: block }: Block): boolean => block["type"] === "tool_result";
  const results = blocks.filter(isResult).map((block) => readResult(block, losses));
  const parts = blocks.filter((block) => !isResult(block)).map((block) => readPart(block, losses));
  const message: Message = { role: "user", path, parts, name: undefined };
  if (results.length === 0) return [message];
  const answered: Message = { role: "tool", path, results };
  return parts.length === 0 ? [answered] : [answered, message];
}

function readAssistantBlock(block: Block, losses: Losses): AssistantPart {
  const { wire, path } = block;
  switch (wire["type"]) {
    case "thinking": {
      const signature = stringOf(wire["signature"]);
      const seal = signature === undefined ? undefined : ({ owner: "anthropic", value: signature } as const);
      return { type: "reasoning", path, text: stringOf(wire["thinking"]) ?? "", seal, isRedacted: false };
    }
    case "redacted_thinking": {
      const seal = { owner: "anthropic", value: stringOf(wire["data"]) ?? "" } as const;
      return { type: "reasoning", path, text: "", seal, isRedacted: true };
    }
    case "tool_use":
      return readCall(block, losses);
    default:
      return readPart(block, losses);
  }
}

function readCall({ wire, path }: Block, losses: Losses): Call {
  losses.others(wire, ["type", "id", "name", "input"], path);
  const name = stringOf(wire["name"]) ?? "";
  return { type: "call", path, id: stringOf(wire["id"]), name, input: { value: wire["input"] }, isCustom: false };
}

function readResult({ wire, path }: Block, losses: Losses): Result {
  losses.others(wire, ["type", "tool_use_id", "content", "is_error"], path);
  const parts = blocksOf(wire["content"], `${path}.content`).map((block) => readPart(block, losses));
  return { path, id: stringOf(wire["tool_use_id"]), name: undefined, parts, isError: wire["is_error"] === true };
}

function readPart({ wire, path }: Block, losses: Losses): Text | Media {
  switch (wire["type"]) {
    case "text":
      return readText(wire, path, losses);
    case "image":
    case "document":
      losses.others(wire, ["type", "source", "title"], path);
      return readMedia(wire, path) ?? readDocument(wire, path, losses);
    case "server_tool_use":
    case "mcp_tool_use": {
      const name = stringOf(wire["name"]) ?? "";
      losses.add(path, `a call of the server tool ${name}`, "only its provider can run it; text replaces it");
      return textPart(`[${name}: ${JSON.stringify(wire["input"]) ?? ""}]`, path);
    }
    default:
      return readOther(wire, path, losses);
  }
}

function readText(wire: JsonObject, path: string, losses: Losses): Text {
  losses.others(wire, ["type", "text"], path);
  return textPart(wordsOf(wire["text"] ?? ""), path);
}

/** The result of a server tool, or a block of an unknown type. */
function readOther(wire: JsonObject, path: string, losses: Losses): Text {
  const type = stringOf(wire["type"]) ?? "";
  if (!type.endsWith("_tool_result")) return unknownPart(wire, path, losses);
  losses.add(path, "the result of a server tool", "only its provider can run it; text replaces it");
  return textPart(`[${type}: ${wordsOf(wire["content"])}]`, path);
}

function readMedia(wire: JsonObject, path: string): Media | undefined {
  const source = recordOf(wire["source"]);
  const kind = wire["type"] === "image" ? "image" : "file";
  const name = typeof wire["title"] === "string" ? { name: wire["title"] } : {};
  const head = { type: "media", path, ...name } as const;
  const { data, url, file_id: id } = source;
  const mediaType = stringOf(source["media_type"]);
  switch (source["type"]) {
    case "base64":
      if (typeof data !== "string") return undefined;
      return { ...head, kind: kind === "file" ? kindOf(mediaType) : kind, mediaType, source: { type: "bytes", data } };
    case "url":
      if (typeof url !== "string") return undefined;
      // A document by URL is always a PDF.
      return {
        ...head,
        kind,
        mediaType: kind === "file" ? "application/pdf" : mediaType,
        source: { type: "url", url },
      };
    case "file":
      if (typeof id !== "string") return undefined;
      return { ...head, kind, mediaType, source: { type: "file", id, owner: "anthropic" } };
    default:
      return undefined;
  }
}

/** Reads a text document. */
function readDocument(wire: JsonObject, path: string, losses: Losses): Text {
  const { type, data } = recordOf(wire["source"]);
  if (type !== "text" || typeof data !== "string") return unknownPart(wire, path, losses);
  return documentPart(data, { path, title: stringOf(wire["title"]) }, losses);
}
