import type { KeyName } from "./keys.ts";

/** A text, possibly of several lines, with a cursor. */
export interface Line {
  readonly text: string;
  /** Between two grapheme clusters. */
  readonly cursor: number;
}

export const emptyLine: Line = { text: "", cursor: 0 };

export const lineOf = (text: string): Line => ({ text, cursor: text.length });

/** Inserts a text at the cursor. */
export const insert = ({ text, cursor }: Line, added: string): Line => ({
  text: text.slice(0, cursor) + added + text.slice(cursor),
  cursor: cursor + added.length,
});

/** The line after a key; undefined for a key without an effect, such as Up on the first line. */
export function pressIn(line: Line, key: KeyName): Line | undefined {
  return movements[key]?.(line);
}

type Movement = (line: Line) => Line | undefined;

const movements: { readonly [Name in KeyName]?: Movement } = {
  newline: (line) => insert(line, "\n"),
  left: (line) => ({ ...line, cursor: before(line) }),
  right: (line) => ({ ...line, cursor: after(line) }),
  home: (line) => ({ ...line, cursor: rowStart(line) }),
  end: (line) => ({ ...line, cursor: rowEnd(line) }),
  up: (line) => {
    const start = rowStart(line);
    return start === 0 ? undefined : inRow(line, rowStart({ ...line, cursor: start - 1 }));
  },
  down: (line) => {
    const end = rowEnd(line);
    return end === line.text.length ? undefined : inRow(line, end + 1);
  },
  "word-left": (line) => ({ ...line, cursor: wordStart(line) }),
  "word-right": (line) => ({ ...line, cursor: wordEnd(line) }),
  backspace: (line) => cut(line, before(line), line.cursor),
  delete: (line) => cut(line, line.cursor, after(line)),
  "kill-before": (line) => cut(line, rowStart(line), line.cursor),
  "kill-after": (line) => cut(line, line.cursor, rowEnd(line)),
  "kill-word": (line) => cut(line, wordStart(line), line.cursor),
};

/** The same column in another row, or the end of the row. */
function inRow(line: Line, start: number): Line {
  const column = line.cursor - rowStart(line);
  const end = rowEnd({ ...line, cursor: start });
  const wanted = Math.min(start + column, end);
  return { ...line, cursor: borders(line.text).findLast((border) => border <= wanted) ?? start };
}

const cut = ({ text }: Line, from: number, to: number): Line => ({
  text: text.slice(0, from) + text.slice(to),
  cursor: from,
});

const rowStart = ({ text, cursor }: Line): number => text.lastIndexOf("\n", cursor - 1) + 1;

function rowEnd({ text, cursor }: Line): number {
  const end = text.indexOf("\n", cursor);
  return end === -1 ? text.length : end;
}

const before = ({ text, cursor }: Line): number => borders(text).findLast((border) => border < cursor) ?? 0;
const after = ({ text, cursor }: Line): number => borders(text).find((border) => border > cursor) ?? text.length;

const wordStart = ({ text, cursor }: Line): number =>
  text
    .slice(0, cursor)
    .trimEnd()
    .search(/(?<!\S)\S*$/u);
const wordEnd = ({ text, cursor }: Line): number => cursor + (/^\s*\S*/u.exec(text.slice(cursor))?.[0].length ?? 0);

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** The grapheme clusters of a text. */
export const charactersOf = (text: string): readonly string[] =>
  Array.from(graphemes.segment(text), ({ segment }) => segment);

/** The boundaries of grapheme clusters. */
function borders(text: string): readonly number[] {
  const found = [0];
  for (const character of charactersOf(text)) found.push((found.at(-1) ?? 0) + character.length);
  return found;
}
