import { findJsonError } from "undangle/report";
import type { JsonFault } from "undangle/report";

import { parseJson } from "./parse-json.ts";
import { parseSource } from "./parse-source.ts";

/** An object or array in a text. */
export interface FoundValue {
  readonly start: number;
  readonly end: number;
  readonly value: unknown;
  /** Why it is not JSON, if it is a value as Python or JavaScript print it. */
  readonly error?: { readonly offset: number; readonly fault: JsonFault };
  /** True for a member of a value that is broken. */
  readonly isPart: boolean;
}

/**
 * The outermost objects and arrays in a text with anything around them, such as a log. Broken values are skipped, and what
 * they contain is searched until the work exceeds four times the text; then the search continues after them.
 */
export function* findValues(text: string): Generator<FoundValue, void, undefined> {
  let budget = text.length * 4 + 100_000;
  for (let at = nextStart(text, 0); at !== -1;) {
    const { value, length, work, error } = readValue(text.slice(at), budget);
    budget -= work;
    if (value !== undefined) {
      const isPart = isMember(text, at);
      const end = at + length;
      yield {
        start: at,
        end,
        value,
        isPart,
        ...(error !== undefined && { error: { ...error, offset: at + error.offset } }),
      };
    }
    at = nextStart(text, value === undefined && budget > 0 ? at + 1 : at + Math.max(length, 1));
  }
}

interface ReadValue {
  /** Undefined if the text begins with no whole value. */
  readonly value: unknown;
  readonly length: number;
  /** The number of characters that were read, some of them twice. */
  readonly work: number;
  readonly error?: NonNullable<FoundValue["error"]>;
}

function readValue(text: string, budget: number): ReadValue {
  const error = findJsonError(text);
  const length = error?.offset ?? text.length;
  const value = error === undefined || isAfterValue(error.fault) ? parseJson(text.slice(0, length)) : undefined;
  if (value !== undefined || error === undefined || budget <= length || !sourceFaults.has(error.fault))
    return { value, length, work: length };
  const end = endOfSource(text);
  const source = end === undefined ? undefined : parseSource(text.slice(0, end));
  const work = length + (end ?? Math.min(text.length, longestSource));
  return source === undefined
    ? { value: undefined, length, work }
    : { value: source, length: end ?? length, work, error };
}

/** A value that has text after it ends there. A comment may also be inside a value, which then does not parse. */
const isAfterValue = (fault: JsonFault): boolean => fault === "extra" || fault === "comment";

/** What values of Python and JavaScript have at their first fault. */
export const sourceFaults: ReadonlySet<JsonFault> = new Set<JsonFault>([
  "single-quotes",
  "python-word",
  "key",
  "value",
  "comment",
  "trailing-comma",
  "control-character",
  "bad-escape",
  "no-number",
]);

/** The end of the search for the closing bracket of a value that is not JSON. */
const longestSource = 20_000_000;

const closers: Readonly<Record<string, string>> = { "[": "]", "{": "}", "(": ")" };

/** The end of the value that begins with the text, by its brackets, strings and comments. */
function endOfSource(text: string): number | undefined {
  const sign = /[[\]{}()"'`]|\/\/|\/\*/gu;
  const open: string[] = [];
  for (let found = sign.exec(text); found !== null && found.index < longestSource; found = sign.exec(text)) {
    const [token] = found;
    const closer = closers[token];
    if (closer !== undefined) open.push(closer);
    else if (token === '"' || token === "'" || token === "`") {
      const end = endOfString(text, found.index);
      if (end === undefined) return undefined;
      sign.lastIndex = end;
    } else if (token === "//" || token === "/*") {
      const end = text.indexOf(token === "//" ? "\n" : "*/", found.index);
      if (end === -1) return undefined;
      sign.lastIndex = end;
    } else {
      if (open.pop() !== token) return undefined;
      if (open.length === 0) return found.index + 1;
    }
  }
  return undefined;
}

function endOfString(text: string, start: number): number | undefined {
  const quote = text.charAt(start);
  for (let at = start + 1; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === "\\") at++;
    else if (character === quote) return at + 1;
  }
  return undefined;
}

/** True after a quoted key, another value or an open bracket. Logs have keys too, but without quotes. */
function isMember(text: string, start: number): boolean {
  const before = text.slice(Math.max(0, start - 100), start).trimEnd();
  if (/["']messages["']\s*:$/u.test(before)) return false; // copied without the braces around it
  return /(?:["']\s*:|[[{]|[\]}]\s*,)$/u.test(before);
}

function nextStart(text: string, from: number): number {
  const start = /[[{]/gu;
  start.lastIndex = from;
  return start.exec(text)?.index ?? -1;
}
