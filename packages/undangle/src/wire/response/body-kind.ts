import { isRecord } from "#core";
import type { JsonObject } from "#core";

import { concat } from "../stream/framing.ts";
import { peek } from "./peekable-body.ts";
import type { PeekableBody } from "./peekable-body.ts";

/** The kind of a body, judged by its beginning. */
export type BodyKind = "object" | "list" | "events" | "other";

export async function bodyKind(source: PeekableBody): Promise<BodyKind> {
  const { bytes } = await peek(source, (read) => {
    const text = beginningOf(concat(read));
    return text.includes("\n") || text.length >= longestField || /^[^a-z]/u.test(text);
  });
  const text = beginningOf(bytes);
  if (text.startsWith("{")) return "object";
  if (text.startsWith("[")) return "list";
  return /^(?::|(?:data|event|id|retry)[ \t]*(?:[:\r\n]|$))/u.test(text) ? "events" : "other";
}

const longestField = "retry :".length;

/** True for a body whose first line is one of Ollama's. */
export async function startsLikeOllama(source: PeekableBody, maxBytes: number): Promise<boolean> {
  let isBegun = false;
  const { bytes } = await peek(source, (read, size) => {
    const last = read.at(-1);
    const from = isBegun ? 0 : (last?.findIndex((byte) => !blanks.has(byte)) ?? -1);
    if (last === undefined || from < 0) return size > maxBytes;
    const isLine = isBegun || last[from] === brace;
    isBegun = true;
    return !isLine || last.includes(feed, from) || size > maxBytes;
  });
  const [line = ""] = beginningOf(bytes).split("\n", 1);
  try {
    const value: unknown = line.startsWith("{") ? JSON.parse(line) : undefined;
    return isRecord(value) && isOllamaValue(value);
  } catch {
    return false; // not JSON
  }
}

/** True for a response of Ollama, or a line of one. */
export const isOllamaValue = (value: JsonObject): boolean => "model" in value && "done" in value;

/** True for bytes that start with an object. */
export const opensObject = (bytes: Uint8Array): boolean => firstByteOf(bytes) === brace;

/** True for white space, which some servers send to keep a connection alive. */
export const isBlank = (bytes: Uint8Array): boolean => firstByteOf(bytes) === undefined;

const firstByteOf = (bytes: Uint8Array): number | undefined => bytes.find((byte) => !blanks.has(byte));

const [brace, feed] = [0x7b, 0x0a];

/** White space, and the bytes of a byte order mark. */
const blanks: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]);

/** The text after white space, without an incomplete character at its end. */
const beginningOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes, { stream: true }).trimStart();
