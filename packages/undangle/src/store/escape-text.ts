/** Escapes a character that a database cannot store. It is a control character, which no ordinary id contains. */
const mark = "\u001a";

/** Characters that no database stores: NUL and lone surrogates; and the escape itself. */
// oxlint-disable-next-line no-control-regex -- they are what it looks for
const unfit = /[\0\u001a]|\p{Surrogate}/gu;

/** A text that any database can store. The mapping is injective and leaves nearly all texts unchanged. */
export function escapeText(text: string): string {
  if (text.isWellFormed() && !text.includes("\0") && !text.includes(mark)) return text;
  return text.replace(unfit, (character) => mark + character.charCodeAt(0).toString(16).padStart(4, "0"));
}

/** The inverse of `escapeText`. */
export function unescapeText(text: string): string {
  if (!text.includes(mark)) return text;
  // oxlint-disable-next-line no-control-regex -- the mark
  return text.replace(/\u001a([0-9a-f]{4})/gu, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** A text for a case-insensitive comparison: A to Z become lower case. */
export function foldCase(text: string): string {
  if (!beyondAscii.test(text)) return text.toLowerCase();
  return text.replace(/[A-Z]+/gu, (letters) => letters.toLowerCase());
}

// oxlint-disable-next-line no-control-regex -- where it begins
const beyondAscii = /[^\0-\u007f]/u;
