import { isRecord } from "#core";

import { lookInto } from "./body-source.ts";
import type { BodySource } from "./body-source.ts";
import { joined } from "./cut-events.ts";

/** What a body looks like from its beginning: one object, a list, server-sent events, or nothing that is known here. */
export type Opening = "object" | "list" | "events" | "other";

export async function openingOf(source: BodySource): Promise<Opening> {
  const { bytes } = await lookInto(source, (read) => {
    const text = beginningOf(joined(read));
    return text.includes("\n") || text.length >= longestField || /^[^a-z]/u.test(text);
  });
  const text = beginningOf(bytes);
  if (text.startsWith("{")) return "object";
  if (text.startsWith("[")) return "list";
  return /^(?::|(?:data|event|id|retry)[ \t]*(?:[:\r\n]|$))/u.test(text) ? "events" : "other";
}

const longestField = "retry :".length;

/** True for a body whose first line is one of Ollama's. */
export async function opensLikeOllama(source: BodySource, maxBytes: number): Promise<boolean> {
  let isBegun = false;
  const { bytes } = await lookInto(source, (read, size) => {
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
    return isRecord(value) && isOllamas(value);
  } catch {
    return false; // no line of JSON
  }
}

/** True for an answer of Ollama's, or a line of one. */
export const isOllamas = (value: Readonly<Record<string, unknown>>): boolean => "model" in value && "done" in value;

/** True for bytes of which the first that is no blank opens an object. */
export const opensObject = (bytes: Uint8Array): boolean => firstByteOf(bytes) === brace;

/** True for bytes that say nothing. */
export const isBlank = (bytes: Uint8Array): boolean => firstByteOf(bytes) === undefined;

const firstByteOf = (bytes: Uint8Array): number | undefined => bytes.find((byte) => !blanks.has(byte));

const [brace, feed] = [0x7b, 0x0a];

/** White space, and the mark at the beginning of a text. */
const blanks: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]);

/** The text behind the blanks, as far as it is there: half a character is none yet. */
const beginningOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes, { stream: true }).trimStart();
