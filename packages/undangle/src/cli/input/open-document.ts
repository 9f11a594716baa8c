import type { Buffer } from "node:buffer";
import { findJsonError, formatPath, lookUp, parsePath, positionAt } from "#report";
import type { JsonPath } from "#report";
import { printable } from "../terminal/printable.ts";
import { textWidth } from "../terminal/text-width.ts";
import type { Texts } from "../texts/texts.ts";
import { decodeText, firstBadLine } from "./decode-text.ts";
import type { Decoded } from "./decode-text.ts";
import { isBlank } from "./read-documents.ts";
import type { Document } from "./read-documents.ts";

/** A parsed document, and the value in it to check. */
export interface Opened {
  readonly type: "opened";
  readonly decoded: Decoded;
  readonly root: unknown;
  /** The path of the value in the root. */
  readonly path: JsonPath;
  readonly input: unknown;
}

/** The reason why a document cannot be checked. */
export interface Fault {
  readonly type: "fault";
  readonly code: string;
  readonly message: string;
  /** The place in the document; both start at 1. */
  readonly line?: number;
  readonly column?: number;
  /** More lines for the user: the text at fault, what to do. */
  readonly details: readonly string[];
}

/** Parses a document and finds the value that `at` names. Undefined for a blank line of JSON lines, which is kept. */
export function openDocument(document: Document, at: string | undefined, texts: Texts): Opened | Fault | undefined {
  const { bytes, line, overlong } = document;
  if (overlong)
    return { type: "fault", code: "input/too-long", message: texts.tooLong(line !== undefined), details: [] };
  if (line !== undefined && isBlank(bytes)) return undefined;
  const decoded = decodeText(bytes);
  if (decoded === undefined) {
    return { type: "fault", code: "input/encoding", message: texts.notUtf8, line: firstBadLine(bytes), details: [] };
  }
  const parsed = parse(decoded.text);
  if (parsed.failed) return notJson(decoded.text, document, { texts, message: parsed.message });
  return select(parsed.value, at, { decoded, texts });
}

type Parsed = { readonly failed: false; readonly value: unknown } | { readonly failed: true; readonly message: string };

function parse(text: string): Parsed {
  try {
    return { failed: false, value: JSON.parse(text) };
  } catch (error) {
    if (error instanceof SyntaxError) return { failed: true, message: error.message };
    throw error;
  }
}

function select(
  root: unknown,
  at: string | undefined,
  { decoded, texts }: { readonly decoded: Decoded; readonly texts: Texts },
): Opened | Fault {
  const path = at === undefined ? [] : (parsePath(at) ?? [at]);
  const { value, depth } = lookUp(root, path);
  if (depth === path.length) return { type: "opened", decoded, root, path, input: value };
  const keys = typeof value === "object" && value !== null ? Object.keys(value) : [];
  const reached = formatPath(path.slice(0, depth));
  return { type: "fault", code: "input/path", message: texts.noPath(at ?? "", reached, keys), details: [] };
}

function notJson(
  text: string,
  { bytes, line }: { readonly bytes: Buffer; readonly line: number | undefined },
  { texts, message }: { readonly texts: Texts; readonly message: string },
): Fault {
  const found = findJsonError(text);
  const place = positionAt(text, found?.offset ?? 0);
  const details =
    found === undefined || isBlank(bytes)
      ? []
      : excerpt(text, found.offset, { line: line ?? place.line, column: place.column });
  const hint = line === undefined && looksLikeLines(text) ? [texts.maybeLines] : [];
  return {
    type: "fault",
    code: "input/not-json",
    message: texts.notJson(found === undefined ? message : texts.faults[found.fault]),
    ...place,
    details: [...details, ...hint],
  };
}

/** The line at fault with a mark under the column, cut to fit. */
function excerpt(
  text: string,
  offset: number,
  { line, column }: { readonly line: number; readonly column: number },
): readonly string[] {
  const start = offset - column + 1;
  const end = text.indexOf("\n", offset);
  const from = Math.max(start, offset - 40);
  const to = Math.min(end === -1 ? text.length : end, offset + 30);
  const before = (from > start ? "…" : "") + printable(text.slice(from, offset));
  const label = String(line);
  return [
    `${label} | ${before}${printable(text.slice(offset, to))}`.trimEnd(),
    `${" ".repeat(label.length)} | ${" ".repeat(textWidth(before))}^`,
  ];
}

/** True if the second line is JSON by itself, so the first line of JSON lines may be broken. */
function looksLikeLines(text: string): boolean {
  const [, second = ""] = text.slice(0, 1_000_000).split("\n", 2);
  return second.startsWith("{") && !parse(second).failed;
}
