import { isRecord } from "#core";
import type { Content, Source } from "#core";

import type { Context } from "./context.ts";
import type { Item } from "./item.ts";

/** A message with content that its role may have, and media that have to move into a user message. */
export interface MendedContent {
  readonly item: Item;
  readonly media: readonly Content[];
}

const none: readonly Content[] = [];

/** Makes the content of a message one that its role may have. */
export function mendContent(item: Item, source: Source, { journal }: Context): MendedContent {
  const { content } = item;
  if (typeof content === "string") return { item, media: none };
  if (content === undefined || content === null) {
    const finding = { rule: "null-content" as const, message: "The message has no content." };
    journal.note({ source, suffix: ".content" }, finding, { type: "rewrite" });
    return { item: { ...item, content: "" }, media: none };
  }
  if (!Array.isArray(content)) {
    const finding = { rule: "content-type" as const, message: "The content is neither text nor a list of parts." };
    journal.note({ source, suffix: ".content" }, finding, { type: "rewrite" });
    return { item: { ...item, content: textOf(content) }, media: none };
  }
  const { parts, media } = mendParts(content, item["role"] === "assistant", source, journal);
  if (parts === content) return { item, media };
  return { item: { ...item, content: parts.length === 0 ? "" : parts }, media };
}

/** Assistant messages are made of these parts, all others of the inputs below. */
const outputParts = new Set(["output_text", "refusal"]);
const inputParts = new Set(["input_text", "input_image", "input_file", "input_audio", "scoped_content"]);
const mediaParts = new Set(["input_image", "input_file", "input_audio", "scoped_content"]);

function mendParts(
  content: readonly unknown[],
  isAssistant: boolean,
  source: Source,
  journal: Context["journal"],
): { readonly parts: readonly unknown[]; readonly media: readonly Content[] } {
  const media: Content[] = [];
  const parts: unknown[] = [];
  content.forEach((part, place) => {
    const kept = mendPart(part, isAssistant);
    const from = `input[${source.index}].content[${place}]`;
    if (kept === "elsewhere") {
      media.push({ type: "media", wire: imageOf(part) ?? part, origin: { source, place } });
      const message = `${describe(part)} cannot be part of an assistant message.`;
      journal.report({ rule: "content-type", from, message }, { type: "move", source, part: { place, tail: "" } });
      return;
    }
    if (kept !== part) {
      const suffix = `.content[${parts.length}]`;
      const message = complain(part, kept, isAssistant ? "an assistant message" : "this message");
      journal.report({ rule: "content-type", from, message }, { type: "rewrite", source, suffix });
    }
    parts.push(kept);
  });
  return parts.length === content.length && parts.every((part, i) => part === content[i])
    ? { parts: content, media }
    : { parts, media };
}

/** The part as the message may hold it: itself, a rewritten one, or "elsewhere". */
function mendPart(part: unknown, isAssistant: boolean): unknown {
  const type = isRecord(part) ? part["type"] : undefined;
  if (isRecord(part) && typeof type === "string" && (isAssistant ? outputParts : inputParts).has(type)) {
    const key = type === "refusal" ? "refusal" : "text";
    const isText = type === "input_text" || outputParts.has(type);
    if (!isText || typeof part[key] === "string") return part;
    return { ...part, [key]: part[key] === undefined || part[key] === null ? "" : JSON.stringify(part[key]) };
  }
  const isMedia = imageOf(part) !== undefined || (typeof type === "string" && mediaParts.has(type));
  if (isMedia) return isAssistant ? "elsewhere" : imageOf(part);
  const own = isAssistant ? "output_text" : "input_text";
  return isRecord(part) && typeof part["text"] === "string"
    ? { ...part, type: own }
    : { type: own, text: textOf(part) };
}

/** An image of another format as the API takes it. */
export function imageOf(part: unknown): unknown {
  if (!isRecord(part)) return undefined;
  const { type, source } = part;
  if (type === "image_url") {
    const given = part["image_url"];
    const url = isRecord(given) ? given["url"] : given;
    return typeof url === "string" ? { type: "input_image", image_url: url } : undefined;
  }
  if (type !== "image" || !isRecord(source)) return undefined;
  if (typeof source["url"] === "string") return { type: "input_image", image_url: source["url"] };
  if (typeof source["data"] !== "string") return undefined;
  const media = typeof source["media_type"] === "string" ? source["media_type"] : "image/png";
  return { type: "input_image", image_url: `data:${media};base64,${source["data"]}` };
}

/** What a part says, or all of it as JSON where it says nothing. */
export function textOf(part: unknown): string {
  if (typeof part === "string") return part;
  if (!isRecord(part)) return JSON.stringify(part) ?? "";
  if (typeof part["text"] === "string") return part["text"];
  if (part["type"] === "refusal" && typeof part["refusal"] === "string") return part["refusal"];
  return JSON.stringify(part);
}

/** What is wrong with a part, seen from what it has become. */
export function complain(part: unknown, kept: unknown, holder: string): string {
  const isSame = isRecord(part) && isRecord(kept) && part["type"] === kept["type"];
  return isSame ? "The text of the part is not a string." : `${describe(part)} cannot be part of ${holder}.`;
}

const describe = (part: unknown): string =>
  isRecord(part) && typeof part["type"] === "string" ? `A part of type ${part["type"]}` : "A part without a type";
