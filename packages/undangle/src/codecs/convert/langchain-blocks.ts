import { isRecord } from "#core";

import type { AssistantPart, Call, Media, MediaSource, Text } from "./conversation.ts";
import type { Losses } from "./losses.ts";
import { kindOf, sourceOf } from "./media.ts";
import { listOf, recordOf, stringOf, textPart, unknownPart, wordsOf } from "./wire.ts";
import type { Wire } from "./wire.ts";

/** What a message says: text, or a list of blocks. */
export function readContent(content: unknown, path: string, losses: Losses): readonly (Text | Media)[] {
  if (content === undefined || content === null || content === "") return [];
  if (!Array.isArray(content)) return [textPart(wordsOf(content), path)];
  return listOf(content).map((block, i) => readSpoken(block, `${path}[${i}]`, losses));
}

/** A block of an assistant; a call that also stands among the calls of the message is passed over. */
export function readBlock(
  wire: unknown,
  path: string,
  { calls, losses }: { readonly calls: readonly Call[]; readonly losses: Losses },
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
      return []; // pieces of a stream, whose sum stands among the calls
    case "tool_use":
    case "tool_call":
    case "functionCall":
    case "function_call":
      return readCall(block, path, calls);
    default:
      return [readSpoken(wire, path, losses)];
  }
}

function readCall(block: Wire, path: string, calls: readonly Call[]): readonly Call[] {
  const inner = isRecord(block["functionCall"]) ? block["functionCall"] : block;
  const id = stringOf(inner["call_id"]) ?? stringOf(inner["id"]);
  const name = stringOf(inner["name"]) ?? "";
  if (calls.some((call) => (id === undefined ? call.name === name : call.id === id))) return [];
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
  return readMedia(block, path) ?? unknownPart(wire, path, losses);
}

/** Media as LangChain has it in either version, or as OpenAI or Anthropic write it. */
function readMedia(block: Wire, path: string): Media | undefined {
  const { type } = block;
  if (type === "image_url") {
    const given = block["image_url"];
    const url = isRecord(given) ? given["url"] : given;
    return typeof url === "string" ? { type: "media", path, kind: "image", ...sourceOf(url) } : undefined;
  }
  if (type === "input_audio") {
    const { data, format } = recordOf(block["input_audio"]);
    const source = { type: "bytes", data: stringOf(data) ?? "" } as const;
    return { type: "media", path, kind: "audio", mediaType: `audio/${stringOf(format) ?? "wav"}`, source };
  }
  if (typeof type !== "string" || !mediaTypes.test(type)) return undefined;
  const inner = isRecord(block["source"]) ? block["source"] : block;
  const mediaType = stringOf(inner["mimeType"] ?? inner["mime_type"] ?? inner["media_type"]);
  const source = readSource(inner);
  if (source === undefined) return undefined;
  const kind = type === "document" || type === "file" ? kindOf(mediaType) : (type as Media["kind"]); // the types are those of the pattern
  const name = stringOf(recordOf(block["metadata"])["filename"]) ?? stringOf(block["title"]);
  return { type: "media", path, kind, mediaType, source, ...(name === undefined ? {} : { name }) };
}

const mediaTypes = /^(?:image|audio|video|file|document)$/;

function readSource(inner: Wire): MediaSource | undefined {
  const { data, url } = inner;
  if (typeof data === "string") return { type: "bytes", data };
  if (typeof url === "string") return sourceOf(url).source;
  const id = inner["fileId"] ?? inner["file_id"] ?? (inner["source_type"] === "id" ? inner["id"] : undefined);
  return typeof id === "string" ? { type: "file", id, owner: "openai" } : undefined;
}
