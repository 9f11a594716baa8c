import { isRecord } from "#core";
import type { JsonObject, Spot } from "#core";

import type { Media } from "../../convert/conversation.ts";
import { kindOf, placeholder, textInside, typeOfBytes, usualImageType } from "../../convert/media.ts";
import type { Context } from "./context.ts";

/** Bytes that the API refuses, and their replacement. */
export interface RefusedMedia {
  readonly block: JsonObject;
  readonly why: string;
  /** True if its content stays readable, because only its type was wrong. */
  readonly lossless: boolean;
}

/** Converts media to a form that the API accepts. */
export function mendMedia(block: JsonObject, at: Spot, { journal, policy }: Context): JsonObject {
  const refused = policy.keepsMedia ? undefined : refusedMedia(block);
  if (refused === undefined) return block;
  const { why, lossless } = refused;
  journal.note(at, { rule: "media-refused", message: why }, { type: "rewrite", lossless });
  return refused.block;
}

const imageTypes = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);

/** The replacement of an image or document whose bytes are of an unsupported type. Undefined for any other block. */
export function refusedMedia(block: JsonObject): RefusedMedia | undefined {
  const { type, source } = block;
  if ((type !== "image" && type !== "document") || !isRecord(source) || source["type"] !== "base64") return undefined;
  const { data, media_type: given } = source;
  if (typeof data !== "string") return undefined;
  if (type === "image" && given === "image/png" && data.startsWith("iVBORw0KGgo")) return undefined; // the common case
  const declared = typeof given === "string" ? given : undefined;
  const seen = typeOfBytes(data);
  if (type === "document") {
    if (declared === "application/pdf") return undefined;
    const why = `A document as bytes is a PDF, not ${declared ?? "without a type"}.`;
    return { why, ...inAnotherForm({ block, source, data, type: seen ?? declared }) };
  }
  if (declared !== undefined && imageTypes.has(declared) && (seen ?? declared) === declared) return undefined;
  const usual = usualImageType(declared, data);
  const why =
    usual === undefined
      ? `An image as bytes is PNG, JPEG, GIF or WebP, not ${declared ?? "without a type"}.`
      : `The declared type of the image is ${declared ?? "missing"}, but its bytes are ${usual}.`;
  return { why, ...inAnotherForm({ block, source, data, type: usual ?? seen ?? declared }) };
}

interface Bytes {
  readonly block: JsonObject;
  readonly source: JsonObject;
  readonly data: string;
  readonly type: string | undefined;
}

/** The bytes in their actual form: an image, a PDF, text, or a placeholder. */
function inAnotherForm({ block, source, data, type }: Bytes): Omit<RefusedMedia, "why"> {
  const { title, cache_control: marker } = block;
  const marked = marker === undefined ? {} : { cache_control: marker };
  const image = usualImageType(type, data);
  if (image !== undefined) {
    const base = block["type"] === "image" ? block : { type: "image", ...marked }; // images accept no other fields of a document
    return {
      block: { ...base, source: { ...source, media_type: image } },
      lossless: base === block || title === undefined,
    };
  }
  if (type === "application/pdf") {
    return { block: { ...block, type: "document", source: { ...source, media_type: type } }, lossless: true };
  }
  const name = typeof title === "string" ? { name: title } : {};
  const from = { type: "bytes", data } as const;
  const media: Media = { type: "media", path: "", kind: kindOf(type), mediaType: type, source: from, ...name };
  const text = textInside(media);
  if (text !== undefined && text.trim() !== "") {
    const told = { type: "text", media_type: "text/plain", data: text };
    return { block: { ...block, type: "document", source: told }, lossless: true };
  }
  return { block: { type: "text", text: placeholder(media), ...marked }, lossless: false };
}
