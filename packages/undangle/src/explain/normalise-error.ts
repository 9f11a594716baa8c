/** A number in a text, and one that continues a path, as in `input[0]`. */
export const number = "0";
export const index = "[0]";

/** How much of a long text is read: errors are at its beginning or, after a log or a traceback, at its end. */
const head = 200_000;
const tail = 200_000;

/**
 * The words of an error text, without what varies between wrappings: quotes, case, punctuation, nested escapes,
 * entities, markup and line breaks. `lineBreak: ""` joins words that a terminal has split at the end of a line.
 */
export function errorWords(text: string, { lineBreak = " " }: { readonly lineBreak?: "" | " " } = {}): string[] {
  const read = text.length > head + tail ? `${text.slice(0, head)}\n${text.slice(-tail)}` : text;
  const plain = read
    .replace(terminalCodes, "")
    .replace(entities, (_, hexadecimal?: string, decimal?: string, name?: string) =>
      hexadecimal ? character(hexadecimal, 16) : decimal ? character(decimal, 10) : (named[name ?? ""] ?? " "),
    )
    .replace(escapes, (_, unicode?: string, byte?: string, underscore?: string) =>
      unicode ? character(unicode, 16) : byte ? character(byte, 16) : underscore ? "_" : "\n",
    )
    .replace(markup, " ")
    .split("\n")
    .map(lineBreak === "" ? withoutBorder : withoutMargin)
    .join(lineBreak);
  return plainWords(plain);
}

/** The words of an unwrapped text. */
export function plainWords(text: string): string[] {
  const lower = text.toLowerCase();
  const found: string[] = [];
  for (const { 0: word, index: at } of lower.matchAll(words)) {
    found.push(isDigit(word) ? (goesOn(lower, at) ? index : number) : word);
  }
  return found;
}

// Every quantifier is bounded, or consumes nothing that could begin another match, so matching takes linear time for any
// text.
const terminalCodes = /\p{Cc}\[[0-9;]{0,12}m|[\u00AD\u200B-\u200D\uFEFF]/gu;
const entities = /&(?:amp;|#38;|#x26;){0,4}(?:#x([0-9a-f]{1,5})|#([0-9]{1,6})|(quot|apos|lt|gt|amp|nbsp|lowbar));/giu;
const escapes = /\\{1,16}(?:u([0-9a-f]{4})|x([0-9a-f]{2})|(_)|[nrt])/giu;
const markup = /<\/?(?:a|b|br|code|div|em|i|li|p|pre|small|span|strong|td|tr|ul)(?:\s[^<>]{0,300})?\/?>/giu;
const words = /[a-z_][a-z0-9_]*|[0-9][a-z0-9_]*|[\u3400-\u9FFF]/gu;

const named: Readonly<Record<string, string>> = { quot: '"', apos: "'", lt: "<", gt: ">", amp: "&", lowbar: "_" };

/** The line without surrounding white space, quote markers and box borders. */
function withoutMargin(line: string): string {
  let start = 0;
  let end = line.length;
  while (start < end && margin.includes(line.charAt(start))) start += 1;
  while (end > start && margin.includes(line.charAt(end - 1))) end -= 1;
  return line.slice(start, end);
}

/** The line without a border and its single space. The remaining spaces show whether a word ends with the line. */
function withoutBorder(line: string): string {
  const start = borders.includes(line.charAt(0)) ? (line.charAt(1) === " " ? 2 : 1) : 0;
  const right = line.endsWith("\r") ? line.length - 1 : line.length;
  const end = borders.includes(line.charAt(right - 1))
    ? line.charAt(right - 2) === " "
      ? right - 2
      : right - 1
    : right;
  return line.slice(start, Math.max(start, end));
}

const borders: readonly string[] = ["│", "┃", "|"];
const margin: readonly string[] = [...borders, " ", "\t", "\r", ">"];

function character(code: string, radix: number): string {
  const point = Number.parseInt(code, radix);
  return point <= 0x10_ff_ff ? String.fromCodePoint(point) : " ";
}

function isDigit(word: string): boolean {
  const code = word.charCodeAt(0);
  return code >= 48 && code <= 57;
}

function goesOn(text: string, at: number): boolean {
  const before = text.charAt(at - 1);
  return before === "[" || before === ".";
}
