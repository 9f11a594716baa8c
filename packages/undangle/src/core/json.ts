/** What is wrong with the text of a call's arguments; undefined when it is the text of a JSON object. */
export function damageOf(text: string): "malformed" | "truncated" | undefined {
  if (text.trim() === "") return undefined; // blank counts as {}: every provider that parses it reads it so
  try {
    return isRecord(JSON.parse(text)) ? undefined : "malformed";
  } catch {
    return isCutOff(text) ? "truncated" : "malformed"; // the only thing JSON.parse throws is "not JSON"
  }
}

/** Keeps text that is not a JSON object in one that is. Nothing is completed, nothing is guessed. */
export const wrapRaw = (text: string): { readonly _raw: string } => ({ _raw: text });

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** True when the text is a proper prefix of valid JSON: it was cut off, and nothing before the cut is wrong. */
function isCutOff(text: string): boolean {
  const scan: Scan = { text, at: 0 };
  return value(scan, 0) === "end";
}

/** Where a strict JSON scan stands: `"end"` means that the text ran out while everything was still right. */
interface Scan {
  readonly text: string;
  at: number;
}
type Outcome = "ok" | "end" | "bad";

/** Deeper nesting than this is answered "bad": no tool has such arguments, and the stack is finite. */
const deepest = 500;

function value(scan: Scan, depth: number): Outcome {
  skipBlanks(scan);
  const first = scan.text[scan.at];
  if (first === undefined) return "end";
  if (depth > deepest) return "bad";
  if (first === "{") return members(scan, depth, { close: "}", keyed: true });
  if (first === "[") return members(scan, depth, { close: "]", keyed: false });
  if (first === '"') return string(scan);
  return word(scan);
}

function members(scan: Scan, depth: number, { close, keyed }: { close: string; keyed: boolean }): Outcome {
  scan.at++;
  skipBlanks(scan);
  if (scan.text[scan.at] === close) return (scan.at++, "ok");
  for (;;) {
    if (keyed) {
      skipBlanks(scan);
      if (scan.at >= scan.text.length) return "end";
      if (scan.text[scan.at] !== '"') return "bad";
      const key = string(scan);
      if (key !== "ok") return key;
      skipBlanks(scan);
      if (scan.at >= scan.text.length) return "end";
      if (scan.text[scan.at++] !== ":") return "bad";
    }
    const inner = value(scan, depth + 1);
    if (inner !== "ok") return inner;
    skipBlanks(scan);
    const next = scan.text[scan.at++];
    if (next === undefined) return "end";
    if (next === close) return "ok";
    if (next !== ",") return "bad";
  }
}

function string(scan: Scan): Outcome {
  for (scan.at++; ; scan.at++) {
    const code = scan.text.charCodeAt(scan.at);
    if (Number.isNaN(code)) return "end";
    if (code < 0x20) return "bad";
    if (code === 0x22) return (scan.at++, "ok");
    if (code !== 0x5c) continue;
    const escaped = scan.text[++scan.at];
    if (escaped === undefined) return "end";
    if (escaped === "u") {
      const digits = scan.text.slice(scan.at + 1, scan.at + 5);
      if (!/^[0-9a-fA-F]*$/.test(digits)) return "bad";
      if (digits.length < 4) return "end";
      scan.at += 4;
    } else if (!'"\\/bfnrt'.includes(escaped)) return "bad";
  }
}

function word(scan: Scan): Outcome {
  const rest = scan.text.slice(scan.at, scan.at + 400);
  for (const literal of ["true", "false", "null"]) {
    if (rest.startsWith(literal)) return ((scan.at += literal.length), "ok");
    if (literal.startsWith(rest)) return "end";
  }
  const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/.exec(rest)?.[0] ?? "";
  const tail = rest.slice(number.length);
  if (number !== "" && !/^[.eE]/.test(tail)) return ((scan.at += number.length), tail === "" ? "end" : "ok");
  return /^(?:-|-?(?:0|[1-9]\d*)(?:\.|(?:\.\d+)?[eE][+-]?))$/.test(rest) ? "end" : "bad";
}

function skipBlanks(scan: Scan): void {
  while (" \t\n\r".includes(scan.text[scan.at] ?? "x")) scan.at++;
}
