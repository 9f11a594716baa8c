/** Stands before the name of a character that a database cannot keep. It is a control character: no ordinary id has it. */
const mark = "\u001a";

/** What no database keeps in a text: NUL, halves of a surrogate pair; and the mark itself. */
// oxlint-disable-next-line no-control-regex -- they are what it looks for
const unfit = /[\0\u001a]|\p{Surrogate}/gu;

/** The text as any database keeps it. Different texts stay different, and nearly all stay as they are. */
export function escapeText(text: string): string {
  if (text.isWellFormed() && !text.includes("\0") && !text.includes(mark)) return text;
  return text.replace(unfit, (character) => mark + character.charCodeAt(0).toString(16).padStart(4, "0"));
}

/** The text that was given to `escapeText`. */
export function unescapeText(text: string): string {
  if (!text.includes(mark)) return text;
  // oxlint-disable-next-line no-control-regex -- the mark
  return text.replace(/\u001a([0-9a-f]{4})/gu, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** A text as a search compares it: the letters A to Z are small, and all others as they are. */
export function foldCase(text: string): string {
  if (!beyondAscii.test(text)) return text.toLowerCase();
  return text.replace(/[A-Z]+/gu, (letters) => letters.toLowerCase());
}

// oxlint-disable-next-line no-control-regex -- where it begins
const beyondAscii = /[^\0-\u007f]/u;
