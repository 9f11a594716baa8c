/**
 * The width of a text without colours: two columns for East Asian wide characters and emoji, none for combining marks.
 */
export function textWidth(text: string): number {
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

/** Cuts a text to a width, with an ellipsis if it was cut. */
export function truncate(text: string, columns: number): string {
  let [kept, width] = ["", 0];
  for (const character of text) {
    width += characterWidth(character);
    if (width > columns) return `${takeColumns(kept, columns - 1)}…`;
    kept += character;
  }
  return text;
}

/**
 * Wraps a text at spaces, between wide characters, and inside a word only if the word is too long. `hanging` indents
 * every line but the first.
 */
export function wrap(
  text: string,
  columns: number,
  { hanging = 0 }: { readonly hanging?: number } = {},
): readonly string[] {
  const limit = Math.max(columns - hanging, 8);
  const lines: string[] = [];
  let [line, width, room] = ["", 0, Math.max(columns, 8)];
  const flush = (text: string): void => {
    lines.push(lines.length === 0 ? text : " ".repeat(hanging) + text);
    room = limit;
  };
  const add = (added: string): void => {
    line += added;
    width += textWidth(added);
  };
  for (const piece of text.match(pieces) ?? []) {
    const word = piece.trimEnd();
    if (width + textWidth(word) <= room) {
      add(piece);
      continue;
    }
    if (line.trim() !== "") flush(line.trimEnd());
    [line, width] = ["", 0];
    for (const character of word) {
      if (line !== "" && width + characterWidth(character) > room) {
        flush(line);
        [line, width] = ["", 0];
      }
      add(character);
    }
    add(piece.slice(word.length));
  }
  if (line.trim() !== "" || lines.length === 0) flush(line.trimEnd());
  return lines;
}

/** Pads a text with spaces. */
export const pad = (text: string, columns: number): string => text + " ".repeat(Math.max(0, columns - textWidth(text)));

/** A wide character with the marks that may not begin a line, or a word with its spaces. */
const pieces =
  /[\u2E80-\u9FFF\uAC00-\uD7AF\uF900-\uFAFF\uFF00-\uFF60][、。，．：；！？）」』】》…—]* *|[^\s\u2E80-\u9FFF\uAC00-\uD7AF\uF900-\uFAFF\uFF00-\uFF60]* *|\s/gv;

const wideRanges =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\u33FF\u3400-\u4DBF\u4E00-\u9FFF\uA000-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{1F300}-\u{1F64F}\u{1F680}-\u{1F6FF}\u{1F900}-\u{1FAFF}\u{20000}-\u{3FFFD}[\p{Emoji_Presentation}--[\u{1F1E6}-\u{1F1FF}]]]/v;

function characterWidth(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  if (code >= 0x20 && code < 0x300) return code >= 0x7f && code < 0xa0 ? 0 : 1;
  if (/[\p{M}\p{Cf}\p{Cc}]/v.test(character)) return 0;
  return wideRanges.test(character) ? 2 : 1;
}

/** The start of a text, up to a width; at least one character. */
export function takeColumns(text: string, columns: number): string {
  let [kept, width] = ["", 0];
  for (const character of text) {
    width += characterWidth(character);
    if (width > columns && kept !== "") return kept;
    kept += character;
  }
  return kept;
}
