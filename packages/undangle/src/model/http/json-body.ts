/**
 * A value as JSON that every provider accepts. Some refuse a lone surrogate, as in a text that was cut inside a
 * character; the replacement character replaces it.
 */
export function jsonBody(value: unknown): string {
  const text = JSON.stringify(value);
  return text.includes(String.raw`\ud`) ? text.replaceAll(halves, "$1\ufffd") : text;
}

/** `JSON.stringify` escapes only lone surrogates. An escaped backslash before it belongs to the text. */
const halves = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/giu;
