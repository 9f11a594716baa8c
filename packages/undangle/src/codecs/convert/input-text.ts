import { isRecord, staysText, wrapRaw } from "#core";
import type { JsonObject } from "#core";

import type { Call } from "./conversation.ts";
import type { Losses } from "./losses.ts";

/** The arguments of a call as an object. Other text gets a wrapper. */
export function inputObject({ input, path, isCustom }: Call, losses: Losses): JsonObject {
  if ("value" in input) return isRecord(input.value) ? input.value : wrapValue(input.value);
  const { text } = input;
  if (isCustom) return wrapRaw(text);
  if (text.trim() === "") return {};
  if (staysText(text)) return wrapRaw(text);
  if (hasLongNumber(text))
    losses.add(path, "digits of a number in the arguments", "the target stores numbers with 53 bits");
  return JSON.parse(text) as JsonObject; // the text of an object, without loss
}

/** The arguments of a call as text, without the wrapper. */
export function inputText({ input, isCustom }: Call): string {
  if ("text" in input) return input.text;
  const { value } = input;
  const raw = rawOf(value);
  if (raw !== undefined && (isCustom || staysText(raw))) return raw;
  if (value === undefined || value === null) return "{}";
  return JSON.stringify(value);
}

/** The text inside the wrapper. */
function rawOf(value: unknown): string | undefined {
  if (!isRecord(value) || Object.keys(value).length !== 1) return undefined;
  return typeof value["_raw"] === "string" ? value["_raw"] : undefined;
}

function wrapValue(value: unknown): JsonObject {
  if (value === undefined || value === null) return {};
  return wrapRaw(typeof value === "string" ? value : JSON.stringify(value));
}

/** True if a number in the JSON text would change as a JavaScript number. */
function hasLongNumber(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '"') {
      at = endOfString(text, at);
    } else if (isDigit(text, at)) {
      const start = at;
      while (at < text.length && isInNumber.test(text.charAt(at))) at++;
      if (changes(text.slice(start, at))) return true;
    }
  }
  return false;
}

/** The index of the quote that closes the string at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at;
}

const isInNumber = /[\d.eE+-]/u;

const isDigit = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  return code >= 0x30 && code <= 0x39;
};

/** True for an unsigned number whose value changes as a double. Rounded decimals do not count. */
function changes(written: string): boolean {
  const [mantissa = ""] = written.split(/[eE]/u, 1);
  const [whole = ""] = mantissa.split(".", 1);
  const [value, size] = [Number(written), Number(mantissa)];
  if (!Number.isFinite(value) || !Number.isFinite(size) || (value === 0 && size !== 0)) return true;
  return whole.length > 15 && BigInt(Math.trunc(size)) !== BigInt(whole);
}
