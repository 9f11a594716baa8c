import type { JsonObject } from "../json.ts";

/**
 * Parses almost valid JSON: code fences, single quotes, Python literals, trailing commas, comments, raw line breaks,
 * invalid escapes, and keys without quotes. Undefined if it is ambiguous or incomplete; nothing is ever completed.
 */
export function parseLenient(text: string): unknown {
  const scan: Scan = { text: withoutFence(text), at: 0 };
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
  return sign === '"' || sign === "'" ? readString(scan) : readWord(scan);
}

function readObject(scan: Scan, depth: number): Record<string, unknown> {
  const entries: [string, unknown][] = [];
  scan.at++;
  for (;;) {
    skipBlanks(scan);
    if (scan.text[scan.at] === "}") break;
    const sign = scan.text[scan.at];
    const key = sign === '"' || sign === "'" ? readString(scan) : readKey(scan);
    skipBlanks(scan);
    if (scan.text[scan.at++] !== ":") throw unreadable;
    entries.push([key, readValue(scan, depth + 1)]);
    if (!nextMember(scan, "}")) break;
  }
  scan.at++;
  return Object.fromEntries(entries);
}

function readList(scan: Scan, depth: number): unknown[] {
  const close = scan.text[scan.at++] === "(" ? ")" : "]";
  const items: unknown[] = [];
  for (;;) {
    skipBlanks(scan);
    if (scan.text[scan.at] === close) break;
    items.push(readValue(scan, depth + 1));
    if (!nextMember(scan, close)) break;
  }
  scan.at++;
  return items;
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

function readString(scan: Scan): string {
  const { text } = scan;
  const quote = text[scan.at];
  let value = "";
  for (let at = scan.at + 1; at < text.length; at++) {
    const sign = text[at] ?? "";
    if (sign === quote) {
      scan.at = at + 1;
      mustEnd(scan);
      return value;
    }
    if (sign !== "\\") {
      value += sign;
      continue;
    }
    const escaped = text[++at] ?? "";
    const code = escaped === "u" ? /^[0-9a-fA-F]{4}/u.exec(text.slice(at + 1, at + 5))?.[0] : undefined;
    if (code !== undefined) {
      value += String.fromCharCode(Number.parseInt(code, 16));
      at += 4;
    } else value += escapes[escaped] ?? `\\${escaped}`; // an unknown escape means the character itself
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
  if (!/^[+-]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/u.test(found)) throw unreadable; // 007 is ambiguous
  return Number(found);
}

function skipBlanks(scan: Scan): void {
  const blanks = /(?:\s+|\\[nrt]|\/\/[^\n]*|\/\*[^]*?\*\/)*/uy; // a line break between values may be written as \n
  blanks.lastIndex = scan.at;
  blanks.test(scan.text);
  scan.at = blanks.lastIndex;
}
