/**
 * A value as JSON that every provider can read. Half of a character, as a text has it that was cut in the middle of one, is
 * refused by some of them; the sign for what cannot be shown stands in its place.
 */
export function jsonBody(value: unknown): string {
  const text = JSON.stringify(value);
  return text.includes(String.raw`\ud`) ? text.replaceAll(halves, "$1\ufffd") : text;
}

/** `JSON.stringify` escapes only what has no other half; a backslash before it belongs to the text. */
const halves = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/giu;
