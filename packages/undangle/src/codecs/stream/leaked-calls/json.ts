import { isRecord, jsonText, parseJson } from "#core";
import type { JsonObject } from "#core";

/** A call that a model wrote as text. */
export interface LeakedCall {
  readonly name: string;
  readonly arguments: string;
}

/** The calls in a text that is only JSON: consecutive objects, or lists of them. */
export function callsInJson(text: string): readonly LeakedCall[] | undefined {
  const values = jsonValues(text)?.flatMap((value) => (Array.isArray(value) ? (value as readonly unknown[]) : [value]));
  const calls = values?.flatMap((value) => callsIn(value));
  return calls !== undefined && calls.length > 0 && calls.every((call) => call !== undefined) ? calls : undefined;
}

/** The calls in a value. Undefined for a value with unknown keys, which may be arguments. */
function callsIn(value: unknown, isInList = false): readonly (LeakedCall | undefined)[] {
  if (!isRecord(value)) return [undefined];
  const { tool_calls: list, function: inner, ...rest } = value;
  if (Array.isArray(list) && !isInList && !hasOther(value, ["tool_calls"]))
    return list.flatMap((each) => callsIn(each, true));
  if (isRecord(inner)) return hasOther(rest, callKeys) ? [undefined] : [callIn(inner)];
  return [callIn(value)];
}

function callIn(value: JsonObject): LeakedCall | undefined {
  const { name } = value;
  const given = argumentKeys.filter((key) => (value[key] ?? undefined) !== undefined);
  const args = value[given[0] ?? ""] ?? {};
  if (typeof name !== "string" || given.length > 1 || hasOther(value, ["name", ...callKeys, ...argumentKeys]))
    return undefined;
  if (typeof args === "string") return { name, arguments: args };
  return isRecord(args) ? { name, arguments: jsonText(args) } : undefined;
}

/** Keys that models use for arguments, and other keys of a call. */
const argumentKeys = ["arguments", "parameters", "args", "input"] as const;
const callKeys = ["type", "id", "index", "call_id", "tool_call_id"] as const;

const hasOther = (value: JsonObject, known: readonly string[]): boolean =>
  Object.keys(value).some((key) => !known.includes(key));

/** The JSON values of a text, separated by whitespace or commas. Undefined if it contains anything else. */
function jsonValues(text: string): readonly unknown[] | undefined {
  const values: unknown[] = [];
  for (let at = nextSign(text, 0); at < text.length;) {
    const end = jsonEnd(text, at);
    if (end === undefined) return undefined;
    const value = parseJson(text.slice(at, end));
    if (value === undefined) return undefined;
    values.push(value);
    at = nextSign(text, end);
  }
  return values;
}

/** The index of the next character that is not a separator. */
function nextSign(text: string, from: number): number {
  const blanks = /[\s,;]*/uy;
  blanks.lastIndex = from;
  blanks.test(text);
  return blanks.lastIndex;
}

/** The index after the object or list at `start`. Undefined if there is none or it is not closed. */
export function jsonEnd(text: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const sign = text[at];
    if (sign === '"') at = stringEnd(text, at);
    else if (sign === "{" || sign === "[") depth++;
    else if ((sign === "}" || sign === "]") && --depth === 0) return at + 1;
    if (depth === 0) return undefined;
  }
  return undefined;
}

/** The index after the closing text, which is ignored inside JSON strings. */
export function closerEnd(text: string, closer: string, from: number): number | undefined {
  if (!/[[{]/u.test(text[nextSign(text, from)] ?? "")) {
    const found = text.indexOf(closer, from);
    return found < 0 ? undefined : found + closer.length;
  }
  for (let at = from; at < text.length; at++) {
    if (text[at] === '"') at = stringEnd(text, at);
    else if (text.startsWith(closer, at)) return at + closer.length;
  }
  return undefined;
}

/** The index of the quote that closes the string at `start`, or the length of the text. */
function stringEnd(text: string, start: number): number {
  let at = start + 1;
  for (; at < text.length && text[at] !== '"'; at++) if (text[at] === "\\") at++;
  return at;
}

/** A parameter of a call. A value of unknown type is JSON if it parses, otherwise text. */
export interface Parameter {
  readonly key: string;
  readonly value: string;
  readonly kind: "text" | "json" | "any";
}

/** The parameters as JSON text. Undefined if two have the same name, because one would be lost. */
export function objectText(parameters: readonly Parameter[]): string | undefined {
  if (new Set(parameters.map(({ key }) => key)).size < parameters.length) return undefined;
  return `{${parameters.map((each) => `${JSON.stringify(each.key)}:${valueText(each)}`).join(",")}}`;
}

/** The value of a parameter as JSON. Numbers keep their notation. */
export const valueText = ({ value, kind }: Parameter): string =>
  kind === "json" || (kind === "any" && isJson(value)) ? value.trim() : JSON.stringify(value);

const isJson = (text: string): boolean =>
  /^\s*(?:[[{]|-?\d|true\s*$|false\s*$|null\s*$)/u.test(text) && parseJson(text) !== undefined;

/** A text and the current position in it. */
export interface Scan {
  readonly text: string;
  at: number;
}

/** Matches a sticky pattern at the current position, and moves past the match. */
export function take(scan: Scan, pattern: RegExp): RegExpExecArray | undefined {
  pattern.lastIndex = scan.at;
  const found = pattern.exec(scan.text);
  if (found === null) return undefined;
  scan.at += found[0].length;
  return found;
}

/** Moves past a text if it comes next. */
export function takeText(scan: Scan, text: string): boolean {
  const isNext = scan.text.startsWith(text, scan.at);
  if (isNext) scan.at += text.length;
  return isNext;
}

/** Returns the text before a closing text, and moves past both. Undefined if the closing text is missing. */
export function takeUntil(scan: Scan, closer: string): string | undefined {
  const end = scan.text.indexOf(closer, scan.at);
  if (end < 0) return undefined;
  const inner = scan.text.slice(scan.at, end);
  scan.at = end + closer.length;
  return inner;
}

export function skipBlanks(scan: Scan): void {
  take(scan, /\s*/uy);
}

/** Reads items up to the end of the text. Undefined if there are none, or anything else appears. */
export function readWhole<One>(
  text: string,
  read: (scan: Scan) => readonly One[] | undefined,
  between: RegExp,
): readonly One[] | undefined {
  const scan: Scan = { text, at: 0 };
  const all: One[] = [];
  for (;;) {
    while (take(scan, between) !== undefined);
    if (scan.at === text.length) return all.length > 0 ? all : undefined;
    const some = read(scan);
    if (some === undefined) return undefined;
    all.push(...some);
  }
}
