import { isRecord } from "#core";

import type { Media, MediaSource, Text } from "./conversation.ts";
import type { Losses } from "./losses.ts";

/** The source of a URL: bytes for a data URL, a file for an object in cloud storage that only its provider can open. */
export function sourceOf(url: string): { readonly source: MediaSource; readonly mediaType: string | undefined } {
  const found = /^data:([^;,]*)(?:;[^;,]*)*;base64,/.exec(url);
  if (found === null) {
    const owner = url.startsWith("s3://") ? "bedrock" : url.startsWith("gs://") ? "gemini" : undefined;
    const source = owner === undefined ? ({ type: "url", url } as const) : ({ type: "file", id: url, owner } as const);
    return { source, mediaType: undefined };
  }
  const data = url.slice(found[0].length);
  return { source: { type: "bytes", data }, mediaType: found[1] === "" ? typeOfBytes(data) : found[1] };
}

/** The source of a Google file URI: an upload, or a URL. */
export function sourceOfUri(uri: string): MediaSource {
  const isUpload = /^https:\/\/generativelanguage\.googleapis\.com\/|^files\//.test(uri);
  return isUpload ? { type: "file", id: uri, owner: "gemini" } : sourceOf(uri).source;
}

/** The URL of media, with bytes as a data URL. Undefined for the id of a file. */
export function urlOf({ source, mediaType, kind }: Media): string | undefined {
  if (source.type === "url") return source.url;
  if (source.type === "file") return undefined;
  return `data:${mediaType ?? usualType[kind]};base64,${source.data}`;
}

/** Base64 of bytes in any form that an SDK accepts; undefined for other values. */
export function base64Of(bytes: unknown): string | undefined {
  if (typeof bytes === "string") return bytes;
  if (bytes instanceof Uint8Array) return encode(bytes);
  if (bytes instanceof ArrayBuffer) return encode(new Uint8Array(bytes));
  const data = isRecord(bytes) && bytes["type"] === "Buffer" ? bytes["data"] : undefined; // a Buffer after JSON serialization
  return Array.isArray(data) ? encode(Uint8Array.from(data as readonly number[])) : undefined; // the bytes of a Buffer
}

/** The media type, detected from the first bytes. */
export function typeOfBytes(data: string): string | undefined {
  return beginnings.find(([beginning]) => beginning.test(data))?.[1];
}

export function kindOf(mediaType: string | undefined): Media["kind"] {
  const [kind] = (mediaType ?? "").split("/");
  return kind === "image" || kind === "audio" || kind === "video" ? kind : "file";
}

/** The content of a text file, or a placeholder, reported as a loss. */
export function mediaText(media: Media, losses: Losses, why: string): Text {
  const own = textInside(media);
  losses.add(media.path, describe(media), `${why}; ${own === undefined ? "a placeholder" : "its text"} replaces it`);
  return { type: "text", path: media.path, text: own ?? placeholder(media) };
}

/** The content of a text file; undefined for other files and for bytes that are not UTF-8. */
export function textInside({ source, mediaType = "" }: Media): string | undefined {
  if (source.type !== "bytes" || !textTypes.test(mediaType)) return undefined;
  try {
    return decodeURIComponent(decode(source.data).replaceAll(/[^]/g, (byte) => `%${hexOf(byte)}`));
  } catch (error) {
    if (error instanceof URIError) return undefined; // not UTF-8
    throw error;
  }
}

const textTypes = /^(?:text\/.+|application\/(?:json|xml|yaml|x-yaml))$/;

const hexOf = (byte: string): string => byte.charCodeAt(0).toString(16).padStart(2, "0");

/** False for bytes with the declared type of an uncommon image, such as a drawing or a scan. */
export function isCommonImage({ source, mediaType = "image/*" }: Media): boolean {
  return source.type !== "bytes" || /^image\/(?:png|jpe?g|gif|webp|\*)$/i.test(mediaType);
}

/** True for a URL with a common image type, or without a type. */
export function isUsualUrl(url: string): boolean {
  return !url.startsWith("data:") || /^data:image\/(?:png|jpe?g|gif|webp)[;,]/i.test(url);
}

/** The type of a common image, from its first bytes or its declaration; undefined for any other. */
export function usualImageType(declared: string | undefined, data: string): string | undefined {
  const type = typeOfBytes(data) ?? declared?.toLowerCase().replace(/^image\/(?:jpg|jpe|jfif|pjpeg)$/, "image/jpeg");
  return type !== undefined && /^image\/(?:png|jpeg|gif|webp)$/.test(type) ? type : undefined;
}

/** Reports the detail level of an image as a loss. */
export function detailLoss({ detail, path }: Media, losses: Losses): void {
  if (detail !== undefined && detail !== "auto") losses.add(path, "the detail level of an image");
}

/** The media type, from the extension of a URL. */
export function typeOfUrl(url: string): string | undefined {
  return /^[^?#]+\.pdf(?:$|[?#])/i.test(url) ? "application/pdf" : undefined;
}

/** The placeholder of media: its URL, or its type. */
export function placeholder({ kind, source, name, mediaType }: Media): string {
  if (source.type === "url") return `[${kind}: ${source.url}]`;
  if (source.type === "file") return `[${kind}: ${source.id}]`;
  return `[${kind}: ${name ?? mediaType ?? "bytes"}]`;
}

/** A description for the list of losses. */
export function describe({ kind, source }: Media): string {
  const noun = { image: "an image", audio: "audio", video: "a video", file: "a file" }[kind];
  if (source.type === "bytes") return noun;
  if (source.type === "url") return `${noun} by URL`;
  const [store] = /^(?:s3|gs)(?=:)/.exec(source.id) ?? [];
  return `${noun} by ${store === undefined ? "the id of an upload" : `an address in ${stores[store] ?? store}`}`;
}

const stores: Readonly<Record<string, string>> = { s3: "S3", gs: "Google Cloud Storage" };

const usualType = { image: "image/png", audio: "audio/wav", video: "video/mp4", file: "application/octet-stream" };

const beginnings: readonly (readonly [beginning: RegExp, mediaType: string])[] = [
  [/^iVBORw0KGgo/, "image/png"],
  [/^\/9j\//, "image/jpeg"],
  [/^R0lGOD/, "image/gif"],
  [/^UklGR.{6}XRUJQ/, "image/webp"], // RIFF and its size; WAV files start with RIFF too
  [/^JVBERi0/, "application/pdf"],
];

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

function encode(bytes: Uint8Array): string {
  let text = "";
  for (let i = 0; i < bytes.length; i += 3) {
    const [a = 0, b = 0, c = 0] = bytes.subarray(i, i + 3);
    const word = (a << 16) | (b << 8) | c;
    text += digits.charAt(word >> 18) + digits.charAt((word >> 12) & 63);
    text += i + 1 < bytes.length ? digits.charAt((word >> 6) & 63) : "=";
    text += i + 2 < bytes.length ? digits.charAt(word & 63) : "=";
  }
  return text;
}

/** Decodes base64 to a string with one character per byte. */
function decode(data: string): string {
  let bytes = "";
  let word = 0;
  let bits = 0;
  for (const letter of data) {
    const digit = digits.indexOf(letter === "-" ? "+" : letter === "_" ? "/" : letter);
    if (digit === -1) continue; // padding or whitespace
    word = ((word << 6) | digit) & 0xffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += String.fromCharCode((word >> bits) & 0xff);
  }
  return bytes;
}
