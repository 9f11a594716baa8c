import { stripVTControlCharacters } from "node:util";

import { harmless } from "../terminal/printable.ts";
import { pad, takeColumns, textWidth, truncate } from "../terminal/text-width.ts";
import type { Shown } from "./input/composer-lines.ts";
import { charactersOf } from "./input/line.ts";

/** A terminal whose last lines change while those above them stay as they were printed. */
export interface Screen {
  /** Prints lines for good, and shows what changes below them. No line may be as wide as the terminal. */
  draw(printed: readonly string[], live: Shown): void;
  /** The size of the terminal is another one: what changes is taken away where it stands now. */
  resized(): void;
  /** Empties the terminal; what was printed is still above it. */
  wipe(live: Shown): void;
  /** Takes away what changes, so that another program may write. */
  clear(): void;
}

/** Where a screen writes, and how large it is at this moment. */
export interface Canvas {
  readonly columns: number;
  readonly rows: number;
  /** Whether it breaks lines anew when it becomes narrower; others cut them off. */
  readonly reflows: boolean;
  write(text: string): void;
}

const nothing: Shown = { lines: [""], cursor: { row: 0, column: 0 } };

export function createScreen(canvas: Canvas): Screen {
  let shown = nothing;
  /** In rows of the terminal, how far above the cursor the live lines begin. */
  let above = 0;
  let last = "";

  const draw = (printed: readonly string[], live: Shown): void => {
    const fitting = fitted({ ...live, lines: live.lines.map(oneLine) }, canvas);
    const frame = frameOf(printed.map(oneLine), fitting);
    if (printed.length === 0 && frame === last) return; // nothing is another
    canvas.write(hidden(`${up(above)}\r${frame}`));
    [shown, above, last] = [fitting, fitting.cursor.row, frame];
  };
  return {
    draw,
    resized() {
      const rows = canvas.reflows ? rowsAbove(shown, canvas.columns) : above;
      // Emptied first: a terminal remembers of rows that it has broken them, also when other text is written there, and would
      // join that the next time.
      canvas.write(`${up(Math.min(rows, canvas.rows - 1))}\r${eraseBelow}`);
      [shown, above, last] = [nothing, 0, ""];
    },
    wipe(live) {
      canvas.write("\u001B[H\u001B[2J");
      [shown, above, last] = [nothing, 0, ""];
      draw([], live);
    },
    clear() {
      canvas.write(`${up(above)}\r${eraseBelow}`);
      [shown, above, last] = [nothing, 0, ""];
    },
  };
}

/** A line may have colours, and nothing else that steers the terminal. */
const oneLine = (line: string): string => harmless(line.replaceAll("\n", " "));

const eraseLine = "\u001B[K";
const eraseBelow = "\u001B[J";
const up = (rows: number): string => (rows > 0 ? `\u001B[${rows}A` : "");
const right = (columns: number): string => (columns > 0 ? `\u001B[${columns}C` : "");
/** The cursor is not seen to run about. */
const hidden = (text: string): string => `\u001B[?25l${text}\u001B[?25h`;

/**
 * Row after row, and not into a screen that was emptied, so that nothing flickers. Each row is erased from its beginning: what is
 * erased behind a text stays in tmux as blanks, which it breaks like letters when the window becomes narrower.
 */
function frameOf(printed: readonly string[], { lines, cursor }: Shown): string {
  const written = printed.map((line) => `${eraseLine}${line}\r\n`).join("");
  const live = lines.map((line) => `${eraseLine}${line}`).join("\r\n");
  return `${written}${live}${eraseBelow}${up(lines.length - 1 - cursor.row)}\r${right(cursor.column)}`;
}

/** The last lines, when there are more than rows: the cursor is among them. A line that is too wide would be two. */
function fitted({ lines, cursor }: Shown, { rows, columns }: Pick<Canvas, "rows" | "columns">): Shown {
  const first = Math.max(0, lines.length - Math.max(1, rows - 1));
  const narrow = (line: string): string =>
    visibleWidth(line) < columns ? line : truncate(stripVTControlCharacters(line), columns - 1);
  return {
    lines: lines.slice(first).map(narrow),
    cursor: { row: Math.max(0, cursor.row - first), column: Math.min(cursor.column, columns - 1) },
  };
}

/** How far above the cursor lines begin in a terminal that has broken those which are too wide for it. */
function rowsAbove({ lines, cursor }: Shown, columns: number): number {
  const before = lines.slice(0, cursor.row).reduce((rows, line) => rows + rowsOf(line, columns), 0);
  const written = takeColumns(stripVTControlCharacters(lines[cursor.row] ?? ""), cursor.column);
  return before + rowsOf(`${pad(written, cursor.column)} `, columns) - 1;
}

/**
 * How many rows a line takes in a terminal: a wide character that does not fit at the end of one goes to the next. Terminals do
 * not agree on joined emoji, and the least that one of them gives them is taken: it is better that something is left behind than
 * that something is erased which was printed.
 */
function rowsOf(line: string, columns: number): number {
  let [rows, width] = [1, 0];
  for (const character of charactersOf(stripVTControlCharacters(line))) {
    const own = isJoined(character) ? Math.min(2, textWidth(character)) : textWidth(character);
    if (width + own > columns) [rows, width] = [rows + 1, 0];
    width += own;
  }
  return rows;
}

/** True for several people in one, and for a hand with a colour: some terminals draw its parts one after the other. */
const isJoined = (character: string): boolean => /\u200D|\p{Emoji_Modifier}/v.test(character);

/** The width of a line that may have colours. */
export const visibleWidth = (line: string): number => textWidth(stripVTControlCharacters(line));
