import { stripVTControlCharacters } from "node:util";

import { harmless } from "../terminal/printable.ts";
import { pad, takeColumns, textWidth, truncate } from "../terminal/text-width.ts";
import type { Shown } from "./input/composer-lines.ts";
import { charactersOf } from "./input/line.ts";

/** A terminal whose last lines change while the lines above stay as printed. */
export interface Screen {
  /** Prints lines permanently, and draws the changing lines below. Lines must be narrower than the terminal. */
  draw(printed: readonly string[], live: Shown): void;
  /** Removes the changing lines after the terminal was resized. */
  resized(): void;
  /** Clears the screen. Printed lines stay in the scrollback. */
  wipe(live: Shown): void;
  /** Removes the changing lines, so that another program may write. */
  clear(): void;
}

/** The output of a screen and its current size. */
export interface Canvas {
  readonly columns: number;
  readonly rows: number;
  /** True if the terminal rewraps lines when it becomes narrower; others cut them off. */
  readonly reflows: boolean;
  write(text: string): void;
}

const nothing: Shown = { lines: [""], cursor: { row: 0, column: 0 } };

export function createScreen(canvas: Canvas): Screen {
  let shown = nothing;
  /** The number of terminal rows from the first live line to the cursor. */
  let above = 0;
  let last = "";

  const draw = (printed: readonly string[], live: Shown): void => {
    const fitting = fitted({ ...live, lines: live.lines.map(oneLine) }, canvas);
    const frame = frameOf(printed.map(oneLine), fitting);
    if (printed.length === 0 && frame === last) return; // nothing has changed
    canvas.write(hidden(`${up(above)}\r${frame}`));
    [shown, above, last] = [fitting, fitting.cursor.row, frame];
  };
  return {
    draw,
    resized() {
      const rows = canvas.reflows ? rowsAbove(shown, canvas.columns) : above;
      // Erased first: a terminal remembers that it wrapped a row, even after other text is written there, and would join
      // the rows at the next resize.
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

/** A line may contain colours, but no other control sequences. */
const oneLine = (line: string): string => harmless(line.replaceAll("\n", " "));

const eraseLine = "\u001B[K";
const eraseBelow = "\u001B[J";
const up = (rows: number): string => (rows > 0 ? `\u001B[${rows}A` : "");
const right = (columns: number): string => (columns > 0 ? `\u001B[${columns}C` : "");
/** Hides the cursor while the frame is drawn. */
const hidden = (text: string): string => `\u001B[?25l${text}\u001B[?25h`;

/**
 * Redraws row by row instead of clearing the screen, to avoid flicker. Each row is erased from its start, because tmux
 * keeps erased cells after a text as blanks and wraps them when the window becomes narrower.
 */
function frameOf(printed: readonly string[], { lines, cursor }: Shown): string {
  const written = printed.map((line) => `${eraseLine}${line}\r\n`).join("");
  const live = lines.map((line) => `${eraseLine}${line}`).join("\r\n");
  return `${written}${live}${eraseBelow}${up(lines.length - 1 - cursor.row)}\r${right(cursor.column)}`;
}

/** The last lines if there are more than fit; the cursor is among them. A line that is too wide would take two rows. */
function fitted({ lines, cursor }: Shown, { rows, columns }: Pick<Canvas, "rows" | "columns">): Shown {
  const first = Math.max(0, lines.length - Math.max(1, rows - 1));
  const narrow = (line: string): string =>
    visibleWidth(line) < columns ? line : truncate(stripVTControlCharacters(line), columns - 1);
  return {
    lines: lines.slice(first).map(narrow),
    cursor: { row: Math.max(0, cursor.row - first), column: Math.min(cursor.column, columns - 1) },
  };
}

/** The number of rows from the first line to the cursor, in a terminal that has wrapped lines that are too wide. */
function rowsAbove({ lines, cursor }: Shown, columns: number): number {
  const before = lines.slice(0, cursor.row).reduce((rows, line) => rows + rowsOf(line, columns), 0);
  const written = takeColumns(stripVTControlCharacters(lines[cursor.row] ?? ""), cursor.column);
  return before + rowsOf(`${pad(written, cursor.column)} `, columns) - 1;
}

/**
 * The number of rows of a line. A wide character that does not fit at the end of a row goes to the next. Terminals
 * disagree about joined emoji; the smallest width is used, because leftover characters are better than erased output.
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

/** True for joined emoji, whose parts some terminals draw one after another. */
const isJoined = (character: string): boolean => /\u200D|\p{Emoji_Modifier}/v.test(character);

/** The width of a line without its colours. */
export const visibleWidth = (line: string): number => textWidth(stripVTControlCharacters(line));
