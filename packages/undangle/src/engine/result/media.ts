import { Buffer } from "node:buffer";

import { UndangleError } from "#core";

import type { OutcomePart } from "../ledger/call.ts";

const mark: unique symbol = Symbol("media");

/** An image or a file that a tool returns, created by `image()` or `file()`. */
export interface ToolMedia {
  readonly [mark]: Extract<OutcomePart, { readonly type: "media" }>;
}

/** Bytes, base64, a `data:` URL, or a web URL. */
export type MediaData = Uint8Array | ArrayBuffer | string;

/** An image for a tool to return, alone or in a list with texts. The type is optional for a `data:` URL. */
export const image = (data: MediaData, mediaType?: string): ToolMedia => mediaOf("image", data, { mediaType });

/** A file for a tool to return, alone or in a list with texts: a PDF, audio, video or any other type. */
export function file(
  data: MediaData,
  options: { readonly mediaType?: string; readonly name?: string } = {},
): ToolMedia {
  return mediaOf("file", data, options);
}

export const isMedia = (value: unknown): value is ToolMedia =>
  typeof value === "object" && value !== null && Object.hasOwn(value, mark);

export const asPart = (media: ToolMedia): OutcomePart => media[mark];

interface Given {
  readonly mediaType?: string | undefined;
  readonly name?: string | undefined;
}

function mediaOf(helper: "image" | "file", data: unknown, { mediaType, name }: Given): ToolMedia {
  const { source, type = mediaType } = sourceOf(helper, data);
  const isType = type === undefined ? source.type === "url" : /^[\w.+-]+\/[\w.+-]+(?:;.*)?$/u.test(type);
  if (!isType) {
    throw new UndangleError("options/value", {
      option: `mediaType of ${helper}()`,
      value: type,
      allowed: ["a media type, such as image/png"],
    });
  }
  const kind = helper === "image" ? "image" : kindOf(type);
  return Object.freeze({
    [mark]: Object.freeze({
      type: "media",
      kind,
      mediaType: type,
      source,
      ...(name !== undefined && { name }),
    } as const),
  });
}

type Source = { readonly type: "bytes"; readonly data: string } | { readonly type: "url"; readonly url: string };

function sourceOf(helper: string, data: unknown): { readonly source: Source; readonly type?: string } {
  if (ArrayBuffer.isView(data)) return { source: bytes(Buffer.from(data.buffer, data.byteOffset, data.byteLength)) };
  if (data instanceof ArrayBuffer) return { source: bytes(Buffer.from(data)) };
  if (typeof data === "string" && data !== "") {
    if (/^https?:\/\//iu.test(data)) return { source: { type: "url", url: data } };
    const inline = /^data:([^;,]*)(?:;[^;,]*)*;base64,/iu.exec(data.slice(0, 200)); // avoids a search of long data
    if (inline !== null) {
      const type = inline[1] === "" ? {} : { type: inline[1] ?? "" };
      return { source: { type: "bytes", data: data.slice(inline[0].length) }, ...type };
    }
    if (isBase64(data)) return { source: { type: "bytes", data } };
  }
  throw new UndangleError("options/value", {
    option: `data of ${helper}()`,
    value: data,
    allowed: ["bytes", "base64", "a data: address in base64", "an address that begins with https://"],
  });
}

const bytes = (data: Buffer): Source => ({ type: "bytes", data: data.toString("base64") });

/** Checks only the beginning and the end, because the data may be long. */
const isBase64 = (data: string): boolean =>
  /^[A-Za-z0-9+/]*={0,2}$/u.test(data.slice(0, 64)) && /^[A-Za-z0-9+/]*={0,2}$/u.test(data.slice(-64));

/** The kind of a media type. */
export function kindOf(mediaType: string | undefined): "image" | "audio" | "video" | "file" {
  const kind = /^(image|audio|video)\//u.exec(mediaType ?? "")?.[1];
  return kind === "image" || kind === "audio" || kind === "video" ? kind : "file";
}
