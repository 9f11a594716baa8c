import { isRecord } from "#core";
import type { JsonObject } from "#core";

import type { Media } from "../convert/conversation.ts";
import { kindOf, placeholder, typeOfBytes, usualImageType } from "../convert/media.ts";

/** Bytes that the API refuses, and their replacement. */
export interface RefusedBytes {
  readonly part: JsonObject;
  readonly why: string;
  /** True if only the name of the type was wrong. */
  readonly lossless: boolean;
}

/** Types with the error "Unsupported MIME type": names without a slash, and unsupported images. */
const refusedTypes = /^(?:[^/]*|image\/(?:jpg|jpe|jfif|pjpeg|gif|bmp|tiff?|svg.*|x-.+|vnd\..+))$/i;

/** True for a media type that the API is known to refuse. */
export const isRefusedType = (mimeType: string): boolean => refusedTypes.test(mimeType);

/** True for `inlineData` of such a type. */
export function hasRefusedType(inside: JsonObject): boolean {
  const given = inside["mimeType"] ?? inside["mime_type"];
  if (given === "image/png" || given === "image/jpeg" || typeof given !== "string") return false; // the common case
  return isRefusedType(given) && typeof inside["data"] === "string";
}

/** The replacement of a part with bytes of a refused type. Undefined for any other part. */
export function refusedBytes(part: unknown): RefusedBytes | undefined {
  if (!isRecord(part)) return undefined;
  const key = isRecord(part["inlineData"]) ? "inlineData" : "inline_data";
  const inside = part[key];
  if (!isRecord(inside) || !hasRefusedType(inside)) return undefined;
  const typeKey = typeof inside["mimeType"] === "string" ? "mimeType" : "mime_type";
  const { [typeKey]: given, data } = inside;
  if (typeof given !== "string" || typeof data !== "string") return undefined; // checked by hasRefusedType
  const why = `The API does not accept bytes of type ${given === "" ? '""' : given}.`;
  const declared = given.includes("/") ? given : `image/${given}`;
  const type = usualImageType(declared, data) ?? typeOfBytes(data);
  if (type !== undefined && !isRefusedType(type)) {
    return { part: { ...part, [key]: { ...inside, [typeKey]: type } }, why, lossless: true };
  }
  const mediaType = given === "" ? undefined : declared;
  const media: Media = { type: "media", path: "", kind: kindOf(declared), mediaType, source: { type: "bytes", data } };
  const { [key]: _, ...rest } = part;
  return { part: { ...rest, text: placeholder(media) }, why, lossless: false };
}
