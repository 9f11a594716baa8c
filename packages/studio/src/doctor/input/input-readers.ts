import { detect, explain } from "undangle";
import type { StreamFormat } from "undangle";
import { detectStream, findJsonError, positionAt } from "undangle/report";
import type { JsonFault } from "undangle/report";

import { findHistories } from "./find-histories.ts";
import { findValues } from "./find-values.ts";

/** Something in an input that can be examined. */
export type Found =
  | {
      readonly type: "history";
      /** The line of the input, counted from 1, if it has several values. */
      readonly line?: number;
      /** The path in the value of that line. */
      readonly path: string;
      readonly value: unknown;
    }
  | { readonly type: "stream"; readonly text: string; readonly format: StreamFormat }
  | { readonly type: "error-text"; readonly text: string }
  | ({ readonly type: "not-json" } & JsonPlace)
  /** JSON without any messages. */
  | { readonly type: "no-messages"; readonly value: unknown };

/** Where a text stops being JSON. Line and column start at 1. */
export interface JsonPlace {
  readonly fault: JsonFault;
  readonly line: number;
  readonly column: number;
  /** The line around the place; `caret` is the position in it. */
  readonly excerpt: string;
  readonly caret: number;
}

/** Reads one kind of input. A reader that finds nothing leaves the input to the next one. */
export interface InputReader {
  readonly name: string;
  /** A cheap look at the text. */
  readonly recognises: (text: string) => boolean;
  readonly read: (text: string) => readonly Found[];
}

/** The first reader that recognises an input and finds something in it reads it. Readers of session files belong on top. */
export const inputReaders: readonly InputReader[] = [
  { name: "stream", recognises: hasEvents, read: readStream },
  { name: "json", recognises: startsLikeJson, read: readJson },
  { name: "json-lines", recognises: startsLikeJson, read: readLines },
  { name: "broken-json", recognises: isMeantAsJson, read: readBroken },
  { name: "log", recognises: (text) => /[[{]/u.test(text), read: readLog },
  { name: "error-text", recognises: isKnownError, read: (text) => [{ type: "error-text", text }] },
  { name: "text", recognises: () => true, read: (text) => [{ type: "error-text", text: text.slice(0, longestError) }] },
];

/** Finds what can be examined in an input. Never empty, unless the input is blank. */
export function readInput(given: string): { readonly reader: string; readonly found: readonly Found[] } {
  const text = withoutFence(given.replace(/^\uFEFF/u, ""));
  if (text.trim() === "") return { reader: "blank", found: [] };
  for (const { name, recognises, read } of inputReaders) {
    const found = recognises(text) ? read(text) : [];
    if (found.length > 0) return { reader: name, found };
  }
  return { reader: "blank", found: [] };
}

/** Error texts are short. Of a long text, the start is compared with those of providers. */
const longestError = 20_000;

/** JSON that was copied from Markdown. */
const withoutFence = (text: string): string => /^\s*```\w*\n([\s\S]*?)\n```\s*$/u.exec(text)?.[1] ?? text;

function startsLikeJson(text: string): boolean {
  return /^\s*[[{]/u.test(text);
}

/** Unlike a line of a log that starts with a bracket. */
function isMeantAsJson(text: string): boolean {
  return /^\s*(?:\{\s*(?:["'}]|\w+\s*:)|\[\s*[[{"'])/u.test(text);
}

function hasEvents(text: string): boolean {
  return /^(?:data|event):/mu.test(text.slice(0, 65_536));
}

function isKnownError(text: string): boolean {
  return explain(text.slice(0, longestError)).some(({ confidence }) => confidence !== "nearest");
}

function readStream(text: string): readonly Found[] {
  const format = detectStream(text);
  return format === undefined ? [] : [{ type: "stream", text, format }];
}

function readJson(text: string): readonly Found[] {
  const root = parse(text);
  if (root === undefined) return [];
  const histories = findHistories(root.value);
  if (histories.length > 0) return histories.map((one) => ({ type: "history", ...one }));
  const streams = readStream(text); // a response that was not streamed
  if (streams.length > 0) return streams;
  return isKnownError(text) ? [{ type: "error-text", text }] : [{ type: "no-messages", value: root.value }];
}

/** One value per line: bodies, or the messages of one history. */
function readLines(text: string): readonly Found[] {
  const lines = text.split("\n").map((line, i) => ({ line: i + 1, text: line.trim() }));
  const values: { readonly line: number; readonly value: unknown }[] = [];
  for (const { line, text: each } of lines) {
    if (each === "") continue;
    const root = parse(each);
    if (root === undefined) return [];
    values.push({ line, value: root.value });
  }
  const list = values.map(({ value }) => value);
  if (list.every(isMessage) && detect(list) !== undefined) return [{ type: "history", path: "", value: list }];
  const histories = values.flatMap(({ line, value }) => findHistories(value).map((one) => ({ line, ...one })));
  if (histories.length > 0) return histories.map((one) => ({ type: "history", ...one }));
  return readStream(text);
}

const isMessage = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "role" in value && typeof value.role === "string";

/** Values with other text around them. The text beside them may report the error of the provider. */
function readLog(text: string): readonly Found[] {
  const found: Found[] = [];
  const rest: string[] = [];
  let [end, line, counted] = [0, 1, 0];
  for (const { start, end: after, value } of findValues(text)) {
    const histories = findHistories(value);
    if (histories.length === 0) continue;
    rest.push(text.slice(end, start));
    line += breaksIn(text, counted, start);
    counted = start;
    end = after;
    for (const one of histories) found.push({ type: "history", line, ...one });
  }
  if (found.length === 0) return [];
  const around = [...rest, text.slice(end)].join("\n").slice(0, longestError);
  return around.trim() !== "" && isKnownError(around) ? [...found, { type: "error-text", text: around.trim() }] : found;
}

function breaksIn(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf("\n", from); at !== -1 && at < to; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

/** A value with a fault. Parts of it are not examined, because they would look like a shorter history. */
function readBroken(text: string): readonly Found[] {
  const found = findJsonError(text);
  if (found === undefined || found.fault === "extra") return []; // a whole value with other text after it
  if (isKnownError(text)) return [{ type: "error-text", text }]; // an error as Python prints it
  const { line, column } = positionAt(text, found.offset);
  const start = found.offset - column + 1;
  const end = text.indexOf("\n", found.offset);
  const from = Math.max(start, found.offset - 60);
  const to = Math.min(end === -1 ? text.length : end, found.offset + 30);
  const lead = from > start ? "…" : "";
  const excerpt = lead + text.slice(from, to) + (to < (end === -1 ? text.length : end) ? "…" : "");
  return [{ type: "not-json", fault: found.fault, line, column, excerpt, caret: lead.length + found.offset - from }];
}

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
