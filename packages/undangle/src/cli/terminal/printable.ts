/** A line of foreign text for a terminal. Characters that move the cursor, hide text or end the line become escapes. */
export const printable = (text: string): string =>
  text.replaceAll(controls, (character) => known[character] ?? short(character));

/** The same for text with line breaks, which stay. */
export const printableLines = (text: string): string => text.split(/\r?\n/u).map(printable).join("\n");

/**
 * Text composed by this program, safe for a terminal. Line breaks, tabs and colours stay. Other control characters
 * become JSON escapes, so that a JSON document keeps its value.
 */
export const harmless = (text: string, { colors = true }: { readonly colors?: boolean } = {}): string =>
  text.replaceAll(composed, (found, own: string | undefined, color: string | undefined) => {
    if (color !== undefined) return colors ? color : inJson("\u001B") + color.slice(1);
    return own ?? inJson(found);
  });

/** A JSON document with the same value and without control characters, which only its strings can contain. */
export const harmlessJson = (text: string): string =>
  text.replaceAll(controls, (found) => (found < " " ? found : inJson(found)));

const known: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function short(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code > 0xffff) return `\\u{${code.toString(16)}}`;
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : inJson(character);
}

const inJson = (character: string): string =>
  Array.from({ length: character.length }, (_, i) => character.charCodeAt(i))
    .map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`)
    .join("");

/**
 * Control characters, line separators, bidirectional marks, zero-width characters that join nothing, lone surrogates,
 * and Unicode tag characters, which people cannot see but models can read. After a black flag, tags form the flags of
 * England, Scotland and Wales.
 */
const controls =
  /[\p{Cc}\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u2064\u2066-\u206F\uFEFF\uFFF9-\uFFFB\p{Cs}]|(?<!\u{1F3F4}[\u{E0020}-\u{E007E}]{0,6})[\u{E0000}-\u{E007F}]/gv;

/** The same, preceded by what this program writes itself: line breaks, tabs, and the colours of `palette`. */
const composed = new RegExp(String.raw`(\r?\n|\t)|(\u001B\[(?:[127]|2[27]|3[12369])m)|${controls.source}`, "gv");
