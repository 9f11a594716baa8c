import type { JsonObject } from "../json.ts";

export interface LenientOptions {
  /**
   * The text is what Python or JavaScript print or compile: strings have the escapes of these languages and may be split,
   * `undefined` is no value, and `Name(key=value)` is an object. A model does not write arguments so.
   */
  readonly isSource?: boolean;
  /** The value of `Name(key=value)`. Default: its fields. */
  readonly construct?: (name: string, fields: JsonObject) => unknown;
}

/**
 * Parses almost valid JSON: code fences, single quotes, Python literals, trailing commas, comments, raw line breaks,
 * invalid escapes, and keys without quotes. Undefined if it is ambiguous or incomplete; nothing is ever completed.
 */
export function parseLenient(
  text: string,
  { isSource = false, construct = (_, fields) => fields }: LenientOptions = {},
): unknown {
  const scan: Scan = { text: withoutFence(text), at: 0, isSource, construct };
  try {
    const value = readValue(scan, 0);
    skipBlanks(scan);
    return scan.at === scan.text.length ? value : undefined;
  } catch (error) {
    if (error === unreadable) return undefined;
    throw error;
  }
}

interface Scan {
  readonly text: string;
  readonly isSource: boolean;
  readonly construct: NonNullable<LenientOptions["construct"]>;
  at: number;
}

/** Thrown for unreadable text; it never leaves this file. */
const unreadable = new Error("The text cannot be parsed leniently as JSON.");

const deepest = 500;

function withoutFence(text: string): string {
  const bare = text.trim();
  const fence = /^```[\w-]*/u.exec(bare)?.[0] ?? "";
  const isFenced = fence !== "" && bare.length >= fence.length + 3 && bare.endsWith("```");
  return isFenced ? bare.slice(fence.length, -3).trim() : bare;
}

function readValue(scan: Scan, depth: number): unknown {
  skipBlanks(scan);
  if (depth > deepest) throw unreadable;
  const sign = scan.text[scan.at];
  if (sign === "{") return readObject(scan, depth);
  if (sign === "[" || sign === "(") return readList(scan, depth);
  if (isQuote(scan, sign)) return scan.isSource ? readStrings(scan) : readString(scan);
  return (scan.isSource ? readFields(scan, depth) : undefined) ?? readWord(scan);
}

const isQuote = ({ isSource }: Scan, sign: string | undefined): boolean =>
  sign === '"' || sign === "'" || (isSource && sign === "`");

function readObject(scan: Scan, depth: number): Record<string, unknown> {
  const entries: [string, unknown][] = [];
  scan.at++;
  for (;;) {
    skipBlanks(scan);
    if (scan.text[scan.at] === "}") break;
    const sign = scan.text[scan.at];
    const key = isQuote(scan, sign) ? readString(scan) : readKey(scan);
    skipBlanks(scan);
    if (scan.text[scan.at++] !== ":") throw unreadable;
    const value = readValue(scan, depth + 1);
    if (value !== undefined) entries.push([key, value]);
    if (!nextMember(scan, "}")) break;
  }
  scan.at++;
  return Object.fromEntries(entries);
}

function readList(scan: Scan, depth: number): unknown {
  const close = scan.text[scan.at++] === "(" ? ")" : "]";
  const items: unknown[] = [];
  let isTuple = close === "]" || !scan.isSource;
  for (;;) {
    skipBlanks(scan);
    if (scan.text[scan.at] === close) break;
    items.push(readValue(scan, depth + 1));
    if (!nextMember(scan, close)) break;
    isTuple = true;
  }
  scan.at++;
  return isTuple || items.length !== 1 ? items : items[0]; // a value in brackets
}

/** The fields of `Name(key=value)`, as Python prints an object. Undefined for anything else. */
function readFields(scan: Scan, depth: number): unknown {
  const open = /([A-Za-z_][\w.]*)\(/uy;
  open.lastIndex = scan.at;
  const name = open.exec(scan.text)?.[1];
  if (name === undefined) return undefined;
  scan.at = open.lastIndex;
  const entries: [string, unknown][] = [];
  for (;;) {
    skipBlanks(scan);
    if (scan.text[scan.at] === ")") break;
    const key = readKey(scan);
    if (scan.text[scan.at++] !== "=") throw unreadable;
    entries.push([key, readValue(scan, depth + 1)]);
    if (!nextMember(scan, ")")) break;
  }
  scan.at++;
  return scan.construct(name, Object.fromEntries(entries));
}

/** Skips a comma; false before the closing bracket. */
function nextMember(scan: Scan, close: string): boolean {
  skipBlanks(scan);
  const sign = scan.text[scan.at];
  if (sign === close) return false;
  if (sign !== ",") throw unreadable;
  scan.at++;
  return true;
}

function readKey(scan: Scan): string {
  const key = /[A-Za-z_$][\w$-]*/uy;
  key.lastIndex = scan.at;
  const found = key.exec(scan.text)?.[0];
  if (found === undefined) throw unreadable;
  scan.at += found.length;
  return found;
}

const escapes: Readonly<Record<string, string>> = {
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  "/": "/",
  "\\": "\\",
  '"': '"',
  "'": "'",
};

/** Strings without a comma between them are parts of one, as in Python. */
function readStrings(scan: Scan): string {
  let value = readString(scan);
  for (;;) {
    const { at } = scan;
    skipBlanks(scan);
    if (!isQuote(scan, scan.text[scan.at])) {
      scan.at = at;
      return value;
    }
    value += readString(scan);
  }
}

const sourceEscapes: Readonly<Record<string, string>> = { "0": "\0", a: "\x07", v: "\v", "`": "`", $: "$", "\n": "" };

/** The hexadecimal digits after an escape. Only `\\u` exists in JSON. */
const codeLengths: Readonly<Record<string, number>> = { u: 4, x: 2, U: 8 };

function characters(code: number): string {
  if (code > 0x10_ff_ff) throw unreadable;
  return code > 0xff_ff ? String.fromCodePoint(code) : String.fromCharCode(code);
}

function readString(scan: Scan): string {
  const { text, isSource } = scan;
  const quote = text[scan.at] ?? "";
  let value = "";
  for (let at = scan.at + 1; at < text.length; at++) {
    const start = at;
    while (at < text.length && text[at] !== quote && text[at] !== "\\") at++;
    value += text.slice(start, at);
    if (text[at] === quote) {
      scan.at = at + 1;
      mustEnd(scan);
      return value;
    }
    const escaped = text[++at] ?? "";
    const length = codeLengths[escaped] ?? 0;
    const code = length === 4 || (isSource && length > 0) ? text.slice(at + 1, at + 1 + length) : "";
    if (code.length === length && /^[0-9a-fA-F]+$/u.test(code)) {
      value += characters(Number.parseInt(code, 16));
      at += length;
    } else value += escapes[escaped] ?? (isSource ? sourceEscapes[escaped] : undefined) ?? `\\${escaped}`; // an unknown escape means the character itself
  }
  throw unreadable;
}

/** An unescaped quote inside a string looks like its end; the text after it decides. */
function mustEnd(scan: Scan): void {
  const after = /[\s,:}\]\\)]|$/uy;
  after.lastIndex = scan.at;
  if (!after.test(scan.text)) throw unreadable;
}

const words: JsonObject = {
  true: true,
  false: false,
  null: null,
  True: true,
  False: false,
  None: null,
};

function readWord(scan: Scan): unknown {
  const word = /[^\s,:{}[\]()"'\\]+/uy;
  word.lastIndex = scan.at;
  const found = word.exec(scan.text)?.[0] ?? "";
  scan.at += found.length;
  if (Object.hasOwn(words, found)) return words[found];
  if (scan.isSource && found === "undefined") return undefined;
  if (!/^[+-]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/u.test(found)) throw unreadable; // 007 is ambiguous
  return Number(found);
}

function skipBlanks(scan: Scan): void {
  const blanks = /(?:\s+|\\[nrt]|\/\/[^\n]*|\/\*[^]*?\*\/)*/uy; // a line break between values may be written as \n
  blanks.lastIndex = scan.at;
  blanks.test(scan.text);
  scan.at = blanks.lastIndex;
}
