import { damageOf, isRecord, wrapRaw } from "#core";

import type { Call } from "./conversation.ts";
import type { Losses } from "./losses.ts";

/** The arguments of a call as an object; text that is not one stands in a wrapper. */
export function inputObject({ input, path, isCustom }: Call, losses: Losses): Readonly<Record<string, unknown>> {
  if ("value" in input) return isRecord(input.value) ? input.value : wrapValue(input.value);
  const { text } = input;
  if (isCustom) return wrapRaw(text);
  if (text.trim() === "") return {};
  if (damageOf(text) !== undefined) return wrapRaw(text);
  if (hasLongNumber(text))
    losses.add(path, "digits of a number in the arguments", "a number has at most 53 bits there");
  return JSON.parse(text) as Readonly<Record<string, unknown>>; // undamaged: the text of an object
}

/** The arguments of a call as text, out of their wrapper. */
export function inputText({ input, isCustom }: Call): string {
  if ("text" in input) return input.text;
  const { value } = input;
  const raw = rawOf(value);
  if (raw !== undefined && (isCustom || damageOf(raw) !== undefined)) return raw;
  if (value === undefined || value === null) return "{}";
  return JSON.stringify(value);
}

/** The text in a wrapper of ours. */
function rawOf(value: unknown): string | undefined {
  if (!isRecord(value) || Object.keys(value).length !== 1) return undefined;
  return typeof value["_raw"] === "string" ? value["_raw"] : undefined;
}

function wrapValue(value: unknown): Readonly<Record<string, unknown>> {
  if (value === undefined || value === null) return {};
  return wrapRaw(typeof value === "string" ? value : JSON.stringify(value));
}

/** True when reading the text as numbers would change one. */
function hasLongNumber(text: string): boolean {
  if (!/\d{16}/.test(text)) return false;
  const outside = text.replaceAll(/"(?:[^"\\]|\\.)*"/gs, '""');
  return (outside.match(/-?\d{16,}(?![\d.eE])/g) ?? []).some((digits) => String(BigInt(Number(digits))) !== digits);
}
