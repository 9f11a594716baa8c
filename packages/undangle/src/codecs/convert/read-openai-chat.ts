import { isRecord } from "#core";
import type { JsonObject } from "#core";

import type { AssistantPart, Call, Conversation, Media, Message, Result, Setting, Text } from "./conversation.ts";
import type { Losses } from "./losses.ts";
import { sourceOf } from "./media.ts";
import { readSampling, samplingKeys } from "./sampling.ts";
import type { SamplingNames } from "./sampling.ts";
import { readChatChoice, readChatTool } from "./tools.ts";
import { isThoughtPart, readThoughts, thoughtIn, thoughtNames } from "./read-chat-thoughts.ts";
import { isMessage, listOf, readStray, recordOf, stringOf, textPart, unknownPart, wordsOf } from "./wire.ts";
import type { Document } from "./wire.ts";

export const chatSampling: SamplingNames = {
  maxTokens: ["max_completion_tokens", "max_tokens"],
  temperature: ["temperature"],
  topP: ["top_p"],
  stop: ["stop"],
  seed: ["seed"],
  frequencyPenalty: ["frequency_penalty"],
  presencePenalty: ["presence_penalty"],
};

/** Reads a chat request. */
export function readChat({ list, body }: Document, losses: Losses): Conversation {
  const messages = list.flatMap((wire, i) => readMessage(wire, `messages[${i}]`, losses));
  return { messages, setting: body && readSetting(body, losses) };
}

function readSetting(body: JsonObject, losses: Losses): Setting {
  const read = ["messages", "model", "stream", "tools", "tool_choice", "parallel_tool_calls"];
  losses.others(body, [...read, "functions", ...samplingKeys(chatSampling)], "");
  const parallel = body["parallel_tool_calls"];
  const legacy = listOf(body["functions"]).flatMap((wire, i) =>
    readChatTool({ type: "function", function: wire }, `functions[${i}]`, losses),
  );
  return {
    model: stringOf(body["model"]),
    isStreamed: typeof body["stream"] === "boolean" ? body["stream"] : undefined,
    tools: [...listOf(body["tools"]).flatMap((wire, i) => readChatTool(wire, `tools[${i}]`, losses)), ...legacy],
    toolChoice: readChatChoice(body["tool_choice"], "tool_choice", losses),
    isParallel: typeof parallel === "boolean" ? { path: "parallel_tool_calls", value: parallel } : undefined,
    sampling: readSampling(body, chatSampling, ""),
  };
}

function readMessage(wire: unknown, path: string, losses: Losses): readonly Message[] {
  if (!isMessage(wire)) return readStray(wire, path, losses);
  const parts = (): readonly (Text | Media)[] => readContent(wire["content"], `${path}.content`, losses);
  switch (wire["role"]) {
    case "system":
    case "developer":
      losses.others(wire, ["role", "content"], path);
      return [{ role: "system", path, parts: parts().filter(isText), isDeveloper: wire["role"] === "developer" }];
    case "assistant":
      return [{ role: "assistant", path, parts: readAssistant(wire, path, losses) }];
    case "tool":
    case "function":
      return [{ role: "tool", path, results: [readResult(wire, path, losses)] }];
    default:
      losses.others(wire, ["role", "content", "name"], path);
      return [{ role: "user", path, parts: parts(), name: stringOf(wire["name"]) }];
  }
}

const isText = (part: Text | Media): part is Text => part.type === "text";

function readAssistant(wire: JsonObject, path: string, losses: Losses): readonly AssistantPart[] {
  const read = ["role", "content", "refusal", ...thoughtNames, "tool_calls", "function_call"];
  losses.others(wire, read, path);
  const content = listOf(wire["content"]);
  const parts: AssistantPart[] = [...readThoughts(wire, path)];
  if (!content.some(isThoughtPart)) {
    for (const part of readContent(wire["content"], `${path}.content`, losses)) parts.push(part);
  } else {
    content.forEach((part, i) => {
      const place = `${path}.content[${i}]`;
      parts.push(isThoughtPart(part) ? thoughtIn(part, place) : readPart(part, place, losses));
    });
  }
  const { refusal } = wire;
  if (typeof refusal === "string") parts.push({ ...textPart(refusal, `${path}.refusal`), isRefusal: true });
  listOf(wire["tool_calls"]).forEach((call, i) => parts.push(readCall(call, `${path}.tool_calls[${i}]`, losses)));
  const legacy = wire["function_call"];
  if (isRecord(legacy)) parts.push(readCall({ function: legacy }, `${path}.function_call`, losses));
  return parts;
}

function readCall(wire: unknown, path: string, losses: Losses): Call {
  const call = recordOf(wire);
  const isCustom = call["type"] === "custom";
  const signature = recordOf(recordOf(call["extra_content"])["google"])["thought_signature"];
  const isSigned = typeof signature === "string" && signature !== "";
  losses.others(call, ["id", "index", "type", "function", "custom", ...(isSigned ? ["extra_content"] : [])], path);
  const inner = recordOf(isCustom ? call["custom"] : call["function"]);
  const given = inner[isCustom ? "input" : "arguments"];
  return {
    type: "call",
    path,
    id: stringOf(call["id"]),
    name: stringOf(inner["name"]) ?? "",
    input: typeof given === "string" ? { text: given } : { value: given },
    isCustom,
    ...(isSigned && { seal: { owner: "gemini", value: signature } }),
  };
}

function readResult(wire: JsonObject, path: string, losses: Losses): Result {
  losses.others(wire, ["role", "content", "tool_call_id", "name"], path);
  const parts = readContent(wire["content"], `${path}.content`, losses);
  return { path, id: stringOf(wire["tool_call_id"]), name: stringOf(wire["name"]), parts, isError: false };
}

/** The content of a message: text, or a list of parts. */
function readContent(content: unknown, path: string, losses: Losses): readonly (Text | Media)[] {
  if (content === undefined || content === null) return [];
  if (!Array.isArray(content)) return [textPart(wordsOf(content), path)];
  return listOf(content).map((part, i) => readPart(part, `${path}[${i}]`, losses));
}

function readPart(wire: unknown, path: string, losses: Losses): Text | Media {
  const part = recordOf(wire);
  switch (part["type"]) {
    case "text":
      losses.others(part, ["type", "text"], path);
      return textPart(wordsOf(part["text"] ?? ""), path);
    case "refusal":
      return { ...textPart(wordsOf(part["refusal"] ?? ""), path), isRefusal: true };
    case "image_url":
      return readImage(part, path, losses);
    case "input_audio": {
      const { data, format } = recordOf(part["input_audio"]);
      const mediaType = `audio/${stringOf(format) ?? "wav"}`;
      return { type: "media", path, kind: "audio", mediaType, source: { type: "bytes", data: stringOf(data) ?? "" } };
    }
    case "file":
      return readFile(recordOf(part["file"]), path) ?? unknownPart(wire, path, losses);
    default:
      return unknownPart(wire, path, losses);
  }
}

function readImage(part: JsonObject, path: string, losses: Losses): Text | Media {
  const given = part["image_url"];
  const image = isRecord(given) ? given : { url: given };
  losses.others(part, ["type", "image_url"], path);
  if (typeof image["url"] !== "string") return unknownPart(part, path, losses);
  const { source, mediaType } = sourceOf(image["url"]);
  const detail = stringOf(image["detail"]);
  return { type: "media", path, kind: "image", mediaType, source, ...(detail === undefined ? {} : { detail }) };
}

/** The file of a part, as bytes or an id. */
export function readFile({ file_data: data, file_id: id, filename }: JsonObject, path: string): Media | undefined {
  const name = typeof filename === "string" ? { name: filename } : {};
  if (typeof id === "string") {
    const source = { type: "file", id, owner: "openai" } as const;
    return { type: "media", path, kind: "file", mediaType: undefined, source, ...name };
  }
  if (typeof data !== "string") return undefined;
  const { source, mediaType } = sourceOf(data);
  const bytes = source.type === "url" ? ({ type: "bytes", data } as const) : source; // some clients send bytes without a data URL
  return { type: "media", path, kind: "file", mediaType: mediaType ?? "application/pdf", source: bytes, ...name };
}
