import { isRecord } from "#core";
import type { JsonObject } from "#core";

import type { AssistantPart, Call, Media, MediaSource, Owner, Text } from "./conversation.ts";
import type { Losses } from "./losses.ts";
import { base64Of, kindOf, sourceOf, sourceOfUri } from "./media.ts";
import { readFile } from "./read-openai-chat.ts";
import { documentPart, listOf, recordOf, stringOf, textPart, unknownPart, wordsOf } from "./wire.ts";

/** The content of a message: text, or a list of blocks. */
export function readContent(content: unknown, path: string, losses: Losses): readonly (Text | Media)[] {
  if (content === undefined || content === null || content === "") return [];
  if (!Array.isArray(content)) return [textPart(wordsOf(content), path)];
  return listOf(content).map((block, i) => readSpoken(block, `${path}[${i}]`, losses));
}

/** An assistant block. A call that is also in the calls of the message is the same call. */
export function readBlock(
  wire: unknown,
  path: string,
  { calls, placed, losses }: Known & { readonly losses: Losses },
): readonly AssistantPart[] {
  const block = recordOf(wire);
  switch (block["type"]) {
    case "thinking": {
      const value = stringOf(block["signature"]);
      const seal = value === undefined ? undefined : ({ owner: "anthropic", value } as const);
      return [{ type: "reasoning", path, text: stringOf(block["thinking"]) ?? "", seal, isRedacted: false }];
    }
    case "redacted_thinking": {
      const seal = { owner: "anthropic", value: stringOf(block["data"]) ?? "" } as const;
      return [{ type: "reasoning", path, text: "", seal, isRedacted: true }];
    }
    case "reasoning": {
      const text = stringOf(block["reasoning"]) ?? stringOf(block["text"]) ?? "";
      return [{ type: "reasoning", path, text, seal: undefined, isRedacted: false }];
    }
    case "input_json_delta":
    case "tool_call_chunk":
      return []; // stream deltas, which are merged in the calls
    case "tool_use":
    case "tool_call":
    case "functionCall":
    case "function_call":
      return readCall(block, path, { calls, placed });
    default:
      return [readSpoken(wire, path, losses)];
  }
}

/** The calls that a message has besides its blocks, and those that were read so far. */
interface Known {
  readonly calls: readonly Call[];
  readonly placed: ReadonlySet<AssistantPart>;
}

function readCall(block: JsonObject, path: string, { calls, placed }: Known): readonly Call[] {
  const inner = isRecord(block["functionCall"]) ? block["functionCall"] : block;
  const id = stringOf(inner["call_id"]) ?? stringOf(inner["id"]);
  const name = stringOf(inner["name"]) ?? "";
  const known = calls.filter((call) => (id === undefined ? call.name === name : call.id === id));
  if (known.length > 0) return known.filter((call) => !placed.has(call)).slice(0, 1);
  const given = inner["input"] ?? inner["args"] ?? inner["arguments"];
  const input = typeof given === "string" ? { text: given } : { value: given };
  return [{ type: "call", path, id, name, input, isCustom: false }];
}

function readSpoken(wire: unknown, path: string, losses: Losses): Text | Media {
  if (typeof wire === "string") return textPart(wire, path);
  const block = recordOf(wire);
  const { type } = block;
  if (type === "text" || type === "text-plain" || type === "output_text" || type === "input_text") {
    losses.others(block, ["type", "text", "index", "id"], path);
    return textPart(wordsOf(block["text"] ?? block["data"] ?? ""), path);
  }
  if (type === "refusal") return { ...textPart(wordsOf(block["refusal"] ?? ""), path), isRefusal: true };
  return readDocument(block, path, losses) ?? readMedia(block, path) ?? unknownPart(wire, path, losses);
}

/** A document that contains only text, in Anthropic's or LangChain's form. */
function readDocument(block: JsonObject, path: string, losses: Losses): Text | undefined {
  const source = recordOf(block["source"]);
  const text = source["type"] === "text" ? source["data"] : block["source_type"] === "text" ? block["text"] : undefined;
  return typeof text === "string" ? documentPart(text, { path, title: titleOf(block) }, losses) : undefined;
}

const titleOf = (block: JsonObject): string | undefined =>
  stringOf(recordOf(block["metadata"])["filename"]) ?? stringOf(block["title"]);

/** Media in the form of LangChain (either version), OpenAI, Anthropic or Google. */
function readMedia(block: JsonObject, path: string): Media | undefined {
  const { type } = block;
  if (type === "image_url") {
    const given = block["image_url"];
    const { url, detail } = isRecord(given) ? given : { url: given };
    if (typeof url !== "string") return undefined;
    return { type: "media", path, kind: "image", ...sourceOf(url), ...(typeof detail === "string" ? { detail } : {}) };
  }
  if (type === "input_audio") {
    const { data, format } = recordOf(block["input_audio"]);
    const source = { type: "bytes", data: stringOf(data) ?? "" } as const;
    return { type: "media", path, kind: "audio", mediaType: `audio/${stringOf(format) ?? "wav"}`, source };
  }
  if (type === "file" && isRecord(block["file"])) return readFile(block["file"], path);
  if (typeof type !== "string" || !mediaTypes.test(type)) return undefined;
  const inner = isRecord(block["source"]) ? block["source"] : block;
  const source = readSource(inner, inner === block ? "openai" : "anthropic");
  if (source === undefined) return undefined;
  const given = stringOf(inner["mimeType"] ?? inner["mime_type"] ?? inner["media_type"]);
  const mediaType = given ?? (type === "document" && source.type === "url" ? "application/pdf" : undefined);
  const isNamed = type === "image" || type === "audio" || type === "video";
  const name = titleOf(block);
  const head = { type: "media", path, kind: isNamed ? type : kindOf(mediaType), mediaType, source } as const;
  return { ...head, ...(name === undefined ? {} : { name }) };
}

const mediaTypes = /^(?:image|audio|video|file|document|media)$/;

function readSource(inner: JsonObject, owner: Owner): MediaSource | undefined {
  const { url } = inner;
  const data = base64Of(inner["data"]);
  if (data !== undefined) return { type: "bytes", data };
  if (typeof url === "string") return sourceOf(url).source;
  const uri = inner["fileUri"] ?? inner["file_uri"];
  if (typeof uri === "string") return sourceOfUri(uri);
  const id = inner["fileId"] ?? inner["file_id"] ?? (inner["source_type"] === "id" ? inner["id"] : undefined);
  return typeof id === "string" ? { type: "file", id, owner } : undefined;
}
