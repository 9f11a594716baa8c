import { isRecord } from "#core";
import type { Content, Source } from "#core";

import { contentKey } from "../../gemini/message-of-parts.ts";
import type { Context } from "./context.ts";
import type { Item } from "./item.ts";
import { refusedImage } from "./media.ts";

/** A message with content that its role accepts, and media that must move to a user message. */
export interface MendedContent {
  readonly item: Item;
  readonly media: readonly Content[];
}

const none: readonly Content[] = [];

/** The rest of a message after its calls or results were moved, and the original positions of its parts. */
export interface Remainder {
  readonly item: Item;
  /** The index of each part in the original content. Undefined if no part was removed. */
  readonly places: readonly number[] | undefined;
}

/** Converts the content of a message to types that its role accepts. */
export function mendContent(given: Remainder, source: Source, context: Context): MendedContent {
  const { journal } = context;
  const { item } = given;
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
  const { parts, media } = mendParts({ ...given, content }, source, context);
  if (parts === content) return { item, media };
  return { item: { ...item, content: parts.length === 0 ? "" : parts }, media };
}

/** The part types of assistant messages. Other messages use the input types below. */
const outputParts = new Set(["output_text", "refusal"]);
const inputParts = new Set(["input_text", "input_image", "input_file", "input_audio", "scoped_content"]);
const mediaParts = new Set(["input_image", "input_file", "input_audio", "scoped_content"]);

function mendParts(
  { content, item, places }: Remainder & { readonly content: readonly unknown[] },
  source: Source,
  { journal, profile, policy }: Context,
): { readonly parts: readonly unknown[]; readonly media: readonly Content[] } {
  const isAssistant = item["role"] === "assistant";
  const media: Content[] = [];
  const parts: unknown[] = [];
  content.forEach((part, index) => {
    const place = places?.[index] ?? index;
    const from = `input[${source.index}].${contentKey(source)}[${place}]`;
    const refused = policy.keepsMedia ? undefined : refusedImage(imageOf(part) ?? part, profile);
    if (refused !== undefined) {
      const change = { type: "rewrite" as const, source, suffix: `.content[${parts.length}]`, lossless: false };
      journal.report({ rule: "media-refused", from, message: refused.why }, change);
      parts.push({ type: isAssistant ? "output_text" : "input_text", text: refused.text });
      return;
    }
    const kept = mendPart(part, isAssistant);
    if (kept === "nowhere") {
      const message = "Reasoning from another provider cannot be part of a message.";
      journal.report({ rule: "content-type", from, message }, { type: "remove", lossless: false });
      return;
    }
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

/** The part itself, a rewritten one, "elsewhere" to move it, or "nowhere" to remove it. */
function mendPart(part: unknown, isAssistant: boolean): unknown {
  const type = isRecord(part) ? part["type"] : undefined;
  if (isRecord(part) && typeof type === "string" && (isAssistant ? outputParts : inputParts).has(type)) {
    const key = type === "refusal" ? "refusal" : "text";
    const isText = type === "input_text" || outputParts.has(type);
    if (!isText || typeof part[key] === "string") return part;
    return { ...part, [key]: part[key] === undefined || part[key] === null ? "" : JSON.stringify(part[key]) };
  }
  // Reasoning is encrypted for its model and is not part of its text.
  if (isAssistant && (type === "thinking" || type === "redacted_thinking")) return "nowhere";
  const isMedia = imageOf(part) !== undefined || (typeof type === "string" && mediaParts.has(type));
  if (isMedia) return isAssistant ? "elsewhere" : imageOf(part);
  const own = isAssistant ? "output_text" : "input_text";
  return isRecord(part) && typeof part["text"] === "string"
    ? { ...part, type: own }
    : { type: own, text: textOf(part) };
}

/** Converts an image of another format. */
export function imageOf(part: unknown): unknown {
  if (!isRecord(part)) return undefined;
  const { type, source } = part;
  if (type === "image_url") {
    const given = part["image_url"];
    const { url, detail } = isRecord(given) ? given : { url: given, detail: part["detail"] };
    const how = typeof detail === "string" ? { detail } : {};
    return typeof url === "string" ? { type: "input_image", image_url: url, ...how } : undefined;
  }
  if (type !== "image") return undefined;
  if (typeof part["data"] === "string") return imageData(part["data"], part["mimeType"]); // the MCP form
  if (!isRecord(source)) return undefined;
  if (typeof source["url"] === "string") return { type: "input_image", image_url: source["url"] };
  return typeof source["data"] === "string" ? imageData(source["data"], source["media_type"]) : undefined;
}

const imageData = (data: string, media: unknown): Item => ({
  type: "input_image",
  image_url: `data:${typeof media === "string" ? media : "image/png"};base64,${data}`,
});

/** The text of a part, or its JSON without text. */
export function textOf(part: unknown): string {
  if (typeof part === "string") return part;
  if (!isRecord(part)) return JSON.stringify(part) ?? "";
  if (typeof part["text"] === "string") return part["text"];
  if (part["type"] === "refusal" && typeof part["refusal"] === "string") return part["refusal"];
  return JSON.stringify(part);
}

/** Describes the problem of a part, derived from its replacement. */
export function complain(part: unknown, kept: unknown, holder: string): string {
  const isSame = isRecord(part) && isRecord(kept) && part["type"] === kept["type"];
  return isSame ? "The text of the part is not a string." : `${describe(part)} cannot be part of ${holder}.`;
}

const describe = (part: unknown): string =>
  isRecord(part) && typeof part["type"] === "string" ? `A part of type ${part["type"]}` : "A part without a type";
