import { lookUp } from "undangle/report";
import type { JsonPath } from "undangle/report";

import type { JsonLine, MessageView, Segment } from "./examination.ts";

/** Long texts and long messages are cut, so that a page with hundreds of messages stays light. */
const longestText = 400;
const mostLines = 300;
/** The number of messages with marks that are shown at once. */
const mostMarked = 150;

/** A message with the places of its problems or edits. */
export function messageView(message: unknown, index: number, paths: readonly JsonPath[] = []): MessageView {
  const marked = new Set(
    paths.map((path) => JSON.stringify(path.slice(0, lookUp(message, path).depth))), // the deepest place that exists
  );
  const lines: JsonLine[] = [];
  write(message, { key: "", path: [], depth: 0, comma: "" }, lines, marked);
  return { index, label: labelOf(message), preview: previewOf(message), lines, isMarked: paths.length > 0 };
}

/** The messages with marks and one beside each, and folds for the rest. */
export function segmentsOf(
  messages: readonly unknown[],
  marks: ReadonlyMap<number, readonly JsonPath[]>,
): readonly Segment[] {
  const shown = new Set<number>();
  const indexes = [...marks.keys()].sort((one, other) => one - other).slice(0, mostMarked);
  for (const index of indexes) for (const near of [index - 1, index, index + 1]) shown.add(near);
  if (messages.length <= 12) for (const index of messages.keys()) shown.add(index);
  const segments: Segment[] = [];
  for (let index = 0; index < messages.length;) {
    const start = index;
    const isShown = shown.has(index);
    while (index < messages.length && shown.has(index) === isShown) index++;
    const range = messages.slice(start, index);
    segments.push(
      isShown
        ? { type: "messages", messages: range.map((each, i) => messageView(each, start + i, marks.get(start + i))) }
        : { type: "fold", from: start, count: range.length },
    );
  }
  return segments;
}

/** A value as indented JSON with long texts cut. */
export function jsonText(value: unknown): string {
  if (value === undefined) return "";
  const lines: JsonLine[] = [];
  write(value, { key: "", path: [], depth: 0, comma: "" }, lines, new Set());
  return lines.map(({ depth, text }) => "  ".repeat(depth) + text).join("\n");
}

interface Place {
  /** `"key": `, or empty in a list. */
  readonly key: string;
  readonly path: JsonPath;
  readonly depth: number;
  readonly comma: string;
}

function write(value: unknown, { key, path, depth, comma }: Place, lines: JsonLine[], marked: Set<string>): void {
  const add = (text: string, isMarked = false): void => {
    lines.push({ depth, text, isMarked });
  };
  const isMarked = marked.has(JSON.stringify(path));
  if (lines.length >= mostLines) {
    if (lines.length === mostLines) add("…");
    return;
  }
  const entries = typeof value === "object" && value !== null ? Object.entries(value) : [];
  if (entries.length === 0) {
    add(`${key}${scalar(value)}${comma}`, isMarked);
    return;
  }
  const isList = Array.isArray(value);
  add(`${key}${isList ? "[" : "{"}`, isMarked);
  for (const [i, [name, inner]] of entries.entries()) {
    if (lines.length > mostLines) break;
    const place: Place = {
      key: isList ? "" : `${JSON.stringify(name)}: `,
      path: [...path, isList ? i : name],
      depth: depth + 1,
      comma: i === entries.length - 1 ? "" : ",",
    };
    write(inner, place, lines, marked);
  }
  if (lines.length <= mostLines) add(`${isList ? "]" : "}"}${comma}`);
}

function scalar(value: unknown): string {
  if (typeof value !== "string" || value.length <= longestText) return JSON.stringify(value) ?? "";
  return `${JSON.stringify(value.slice(0, longestText)).slice(0, -1)}… (${value.length.toLocaleString("en")})"`;
}

function labelOf(message: unknown): string {
  if (typeof message !== "object" || message === null) return "";
  for (const key of ["role", "type"]) {
    const word = (message as Readonly<Record<string, unknown>>)[key]; // a parsed JSON value
    if (typeof word === "string") return word.slice(0, 40);
  }
  return "";
}

/** The first text of a message, or its JSON without what the label shows. */
function previewOf(message: unknown): string {
  const found = firstText(message, 0);
  if (found !== undefined) return found.slice(0, 200).replaceAll(/\s+/gu, " ");
  const shown =
    typeof message === "object" && message !== null && !Array.isArray(message)
      ? Object.fromEntries(Object.entries(message).filter(([key, value]) => key !== "role" && value !== null))
      : message;
  return jsonText(shown).slice(0, 2000).replaceAll(/\s+/gu, " ").slice(0, 200);
}

function firstText(value: unknown, depth: number): string | undefined {
  if (typeof value === "string") return value.trim() === "" ? undefined : value;
  if (typeof value !== "object" || value === null || depth > 4) return undefined;
  const record = value as Readonly<Record<string, unknown>>; // a parsed JSON value
  const inner = Array.isArray(value)
    ? value.slice(0, 3)
    : ["content", "text", "parts", "output"].map((key) => record[key]);
  for (const each of inner) {
    const found = firstText(each, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}
