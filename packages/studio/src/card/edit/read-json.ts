/** JSON that a person types: its value, or the place of the first error. Lines and columns start at 1. */
type ReadJson =
  | { readonly value: unknown; readonly inexact: readonly string[] }
  | { readonly line: number; readonly column: number };

/** Parses JSON. `inexact` lists numbers that JavaScript cannot represent, as they are written. */
export function readJson(text: string): ReadJson {
  const inexact: string[] = [];
  const note = (_key: string, value: unknown, context?: { readonly source?: string }): unknown => {
    const { source } = context ?? {}; // browsers before 2025 do not have it; the server checks too
    if (typeof value === "number" && source !== undefined && !isExact(source)) inexact.push(source);
    return value;
  };
  try {
    const value: unknown = JSON.parse(text, note);
    return { value, inexact };
  } catch {
    const before = text.slice(0, faultIn(text)).split("\n");
    return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
  }
}

/** True if a number is the same after JavaScript has read it. */
export function isExact(written: string): boolean {
  const value = Number(written);
  return Number.isFinite(value) && digitsOf(written) === digitsOf(String(value));
}

/** The significant digits of a decimal number and their exponent. */
function digitsOf(written: string): string {
  const [mantissa = "", exponent = "0"] = written.trim().toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.replace(/^[-+]/u, "").split(".");
  const digits = (whole + fraction).replace(/^0+/u, "");
  const significant = digits.replace(/(?<!0)0+$/u, "");
  if (significant === "") return "0";
  return `${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}

const space = /[ \t\n\r]*/uy;
const token =
  /(?:(?<sign>[{}[\],:])|(?<text>"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")|(?<value>-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null))/uy;

/** What may follow: a value, a key, a colon, or the end of a value. `first`: an empty list or object may end. */
type Expected = "value" | "first value" | "key" | "first key" | "colon" | "end";

/** The offset of the first error. Messages of `JSON.parse` differ between browsers, and not all have a position. */
function faultIn(text: string): number {
  const open: ("{" | "[")[] = [];
  let expected: Expected = "value";
  token.lastIndex = 0;
  for (;;) {
    space.lastIndex = token.lastIndex;
    space.exec(text);
    const place = space.lastIndex;
    token.lastIndex = place;
    const found = token.exec(text);
    if (found === null) return place;
    const next = after(expected, found.groups ?? {}, open);
    if (next === undefined) return place;
    expected = next;
  }
}

function after(
  expected: Expected,
  { sign, text }: { readonly [name: string]: string | undefined },
  open: ("{" | "[")[],
): Expected | undefined {
  const inside = open.at(-1);
  if (expected === "colon") return sign === ":" ? "value" : undefined;
  const mayEnd = expected === "end" || expected === "first key" || expected === "first value";
  if (mayEnd && ((sign === "}" && inside === "{") || (sign === "]" && inside === "["))) {
    open.pop();
    return "end";
  }
  if (expected === "end") {
    if (sign !== ",") return undefined;
    return inside === "{" ? "key" : inside === "[" ? "value" : undefined;
  }
  if (expected === "key" || expected === "first key") return text === undefined ? undefined : "colon";
  if (sign === "{" || sign === "[") {
    open.push(sign);
    return sign === "{" ? "first key" : "first value";
  }
  return sign === undefined ? "end" : undefined;
}
