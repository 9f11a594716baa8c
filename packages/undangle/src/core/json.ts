/** A JSON object, not validated further. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The problem of argument text; undefined for a JSON object or blank text. */
export function damageOf(text: string): "malformed" | "truncated" | undefined {
  const scan: Scan = { text, at: 0, tooDeep: false };
  const outcome = scanValue(scan, 0);
  if (scan.tooDeep) return isObjectText(text) ? undefined : "malformed";
  const first = text.charAt(skipBlanks({ text, at: 0, tooDeep: false }));
  if (first === "") return undefined; // providers that parse the text read blank text as {}
  if (outcome === "end") return /[-\d]/.test(first) ? "malformed" : "truncated"; // a number is complete at any length
  return first === "{" && outcome === "ok" && skipBlanks(scan) === text.length ? undefined : "malformed";
}

/**
 * True for JSON text that is nested deeper than values may be. Code that walks or writes a value is recursive, also
 * `JSON.stringify`, and the stack that is left depends on its caller. The text itself has no such limit.
 */
export function isTooDeep(text: string): boolean {
  if (text.length <= deepest) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === sign.quote) {
      at = endOfText(text, at);
    } else if (code === sign.openBrace || code === sign.open) {
      if (++depth > deepest) return true;
    } else if (code === sign.closeBrace || code === sign.close) depth--;
  }
  return false;
}

/** The index of the quote that closes the string at `start`, or of the end of the text. */
function endOfText(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === sign.quote) return at;
    if (code === sign.backslash) at++;
  }
  return text.length;
}

/** True for argument text that no object can replace: it is damaged or nested too deeply. It gets the wrapper. */
export const staysText = (text: string): boolean => isTooDeep(text) || damageOf(text) !== undefined;

/** Wraps text that is not a JSON object. Nothing is completed or guessed. */
export const wrapRaw = (text: string): { readonly _raw: string } => ({ _raw: text });

export function isRecord(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Visits the objects in a list under a key of an object. */
export function eachRecord(object: JsonObject, key: string, visit: (entry: JsonObject) => void): void {
  const list = object[key];
  if (!Array.isArray(list)) return;
  for (const entry of list as readonly unknown[]) if (isRecord(entry)) visit(entry);
}

/** True if every entry passes, including holes, which `Array.every` skips. */
export function everyEntry(list: readonly unknown[], isIt: (entry: unknown) => boolean): boolean {
  for (let i = 0; i < list.length; i++) if (!isIt(list[i])) return false;
  return true;
}

/** A word of the wire, such as a role or a type; "" for any other value. */
export function wordOf(value: unknown): string {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

/** The value of a JSON text; undefined for any other text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined; // it throws only for invalid JSON
  }
}

/** True only for the text of a JSON object. Most incomplete texts are not parsed. */
export const isObjectText = (text: string): boolean => text.trimEnd().endsWith("}") && isRecord(parseJson(text));

/** The state of a strict JSON scan. It builds no values, which is several times faster than parsing short texts. */
interface Scan {
  readonly text: string;
  at: number;
  /** True if the nesting exceeds the stack limit. */
  tooDeep: boolean;
}

/** `"end"`: the text ended while it was valid, so it is a proper prefix of JSON. */
type Outcome = "ok" | "end" | "bad";

/** The most levels of nesting for recursion. */
const deepest = 500;

const sign = {
  quote: 0x22,
  plus: 0x2b,
  comma: 0x2c,
  minus: 0x2d,
  dot: 0x2e,
  zero: 0x30,
  nine: 0x39,
  colon: 0x3a,
  open: 0x5b,
  backslash: 0x5c,
  close: 0x5d,
  e: 0x65,
  openBrace: 0x7b,
  closeBrace: 0x7d,
} as const;

function scanValue(scan: Scan, depth: number): Outcome {
  skipBlanks(scan);
  if (scan.at >= scan.text.length) return "end";
  if (depth > deepest) scan.tooDeep = true;
  if (scan.tooDeep) return "bad";
  const first = scan.text.charCodeAt(scan.at);
  if (first === sign.openBrace) return scanMembers(scan, depth, sign.closeBrace);
  if (first === sign.open) return scanMembers(scan, depth, sign.close);
  return first === sign.quote ? scanString(scan) : scanWord(scan);
}

/** The members up to the closing bracket. */
function scanMembers(scan: Scan, depth: number, close: number): Outcome {
  const { text } = scan;
  scan.at++;
  if (text.charCodeAt(skipBlanks(scan)) === close) {
    scan.at++;
    return "ok";
  }
  for (;;) {
    if (close === sign.closeBrace) {
      const key = scanKey(scan);
      if (key !== "ok") return key;
    }
    const inner = scanValue(scan, depth + 1);
    if (inner !== "ok") return inner;
    if (skipBlanks(scan) >= text.length) return "end";
    const next = text.charCodeAt(scan.at++);
    if (next === close) return "ok";
    if (next !== sign.comma) return "bad";
  }
}

function scanKey(scan: Scan): Outcome {
  if (skipBlanks(scan) >= scan.text.length) return "end";
  if (scan.text.charCodeAt(scan.at) !== sign.quote) return "bad";
  const key = scanString(scan);
  if (key !== "ok") return key;
  if (skipBlanks(scan) >= scan.text.length) return "end";
  return scan.text.charCodeAt(scan.at++) === sign.colon ? "ok" : "bad";
}

function scanString(scan: Scan): Outcome {
  const { text } = scan;
  for (let at = scan.at + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === sign.quote) {
      scan.at = at + 1;
      return "ok";
    }
    if (code < 0x20) return "bad";
    if (code !== sign.backslash) continue;
    const escaped = text[++at];
    if (escaped === undefined) return "end";
    if (escaped === "u") {
      const digits = text.slice(at + 1, at + 5);
      if (!/^[0-9a-fA-F]*$/.test(digits)) return "bad";
      if (digits.length < 4) return "end";
      at += 4;
    } else if (!'"\\/bfnrt'.includes(escaped)) return "bad";
  }
  return "end";
}

function scanWord(scan: Scan): Outcome {
  const first = scan.text.charCodeAt(scan.at);
  if (first === 0x74) return scanLiteral(scan, "true");
  if (first === 0x66) return scanLiteral(scan, "false");
  if (first === 0x6e) return scanLiteral(scan, "null");
  return scanNumber(scan);
}

function scanLiteral(scan: Scan, literal: string): Outcome {
  const rest = scan.text.slice(scan.at, scan.at + literal.length);
  scan.at += rest.length;
  if (rest === literal) return "ok";
  return scan.at === scan.text.length && literal.startsWith(rest) ? "end" : "bad";
}

/** A number. At the end of the text it counts as truncated, because more digits may follow. */
function scanNumber(scan: Scan): Outcome {
  const { text } = scan;
  if (text.charCodeAt(scan.at) === sign.minus) scan.at++;
  const isZero = text.charCodeAt(scan.at) === sign.zero;
  const digits = skipDigits(scan);
  if (isZero && digits > 1) return "bad";
  if (scan.at >= text.length) return "end";
  if (digits === 0) return "bad";
  if (text.charCodeAt(scan.at) === sign.dot) {
    scan.at++;
    const decimals = skipDigits(scan);
    if (scan.at >= text.length) return "end";
    if (decimals === 0) return "bad";
  }
  if ((text.charCodeAt(scan.at) | 0x20) === sign.e) {
    scan.at++;
    const code = text.charCodeAt(scan.at);
    if (code === sign.plus || code === sign.minus) scan.at++;
    const exponent = skipDigits(scan);
    if (scan.at >= text.length) return "end";
    if (exponent === 0) return "bad";
  }
  return "ok";
}

/** Skips digits and returns their number. */
function skipDigits(scan: Scan): number {
  const start = scan.at;
  for (; scan.at < scan.text.length; scan.at++) {
    const code = scan.text.charCodeAt(scan.at);
    if (code < sign.zero || code > sign.nine) break;
  }
  return scan.at - start;
}

/** Skips white space and returns the position. */
function skipBlanks(scan: Scan): number {
  const { text } = scan;
  let { at } = scan;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) break;
  }
  scan.at = at;
  return at;
}
