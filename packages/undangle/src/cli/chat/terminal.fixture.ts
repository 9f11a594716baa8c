import { setTimeout as pause } from "node:timers/promises";

import type { Terminal, TerminalListener } from "../io.ts";
import { textWidth } from "../terminal/text-width.ts";

/** A terminal in memory: what a person would see on it, and what they type. */
export interface TestTerminal extends Terminal {
  /** What is on the screen, without blanks at the ends of lines and below. */
  screen(): string;
  /** Everything that was ever printed. */
  all(): string;
  /** Everything that was written, to the letter. */
  written(): string;
  type(text: string): void;
  /** Waits until a text is on the screen. */
  until(text: string | RegExp): Promise<void>;
  /** `isTold: false`: the program does not hear of it yet, as it is in tmux while a window is dragged. */
  resize(columns: number, rows: number, options?: { readonly isTold?: boolean }): void;
  isTaken(): boolean;
}

export interface TestTerminalOptions {
  readonly columns?: number;
  readonly rows?: number;
  /** Whether lines are broken anew when it becomes narrower, or cut off. */
  readonly reflows?: boolean;
  /** The person's editor. */
  readonly editor?: (text: string, line: number) => string;
}

/** A command to the terminal, or a character. */
const written = new RegExp(String.raw`\x1b\[(?<how>[?\d;]*)(?<name>[A-Za-z])|(?<character>[^])`, "gu");

/** A row, and whether it goes on in the next one because the terminal has broken it. */
interface Row {
  cells: string[];
  isBroken: boolean;
}

export function createTerminal({
  columns = 80,
  rows = 24,
  reflows = true,
  editor,
}: TestTerminalOptions = {}): TestTerminal {
  let lines: Row[] = [{ cells: [], isBroken: false }];
  let [size, at, column, taken] = [{ columns, rows }, 0, 0, ""];
  let told = size; // what the program knows of it
  let listener: TerminalListener | undefined;
  let scrolled = 0; // rows that have left the screen: they do not come back
  const top = (): number => (scrolled = Math.max(scrolled, lines.length - size.rows));
  const row = (): Row => (lines[at] ??= { cells: [], isBroken: false });
  /** What is erased behind the beginning of a row stays in it as blanks, which tmux breaks as it breaks letters. */
  const erase = (): void => {
    if (column === 0) row().cells = [];
    else row().cells.fill(" ", column);
  };

  const put = (character: string): void => {
    const width = textWidth(character);
    if (column + width > size.columns) {
      row().isBroken = true;
      [at, column] = [at + 1, 0];
    }
    const { cells } = row();
    if (width === 0) cells[column - 1] += character;
    else {
      while (cells.length < column) cells.push(" ");
      cells.splice(column, width, character, ...Array.from({ length: width - 1 }, () => ""));
    }
    column += width;
  };
  const commands: Readonly<Record<string, (count: number) => void>> = {
    A: (count) => void (at = Math.max(top(), at - count)),
    C: (count) => void (column = Math.min(size.columns - 1, column + count)),
    K: erase,
    J(count) {
      if (count === 2) lines.splice(top());
      else {
        erase();
        if (column === 0) row().isBroken = false; // else it is remembered, as it is by tmux
        lines.splice(at + 1);
      }
    },
    H: () => void ([at, column] = [top(), 0]),
  };
  const write = (text: string): void => {
    taken += text;
    for (const piece of text.matchAll(written)) {
      const { how = "", name = "", character = "" } = piece.groups ?? {};
      if (character === "\r") column = 0;
      else if (character === "\n") at += 1;
      else if (character !== "") put(character);
      else if (!how.startsWith("?")) commands[name]?.(how === "" ? (name === "J" ? 0 : 1) : Number(how));
      row();
    }
  };
  const textOf = (from: number): string =>
    lines
      .slice(from)
      .map(({ cells }) => cells.join("").trimEnd())
      .join("\n")
      .trimEnd();

  return {
    get columns() {
      return told.columns;
    },
    get rows() {
      return told.rows;
    },
    reflows,
    write,
    take(given) {
      listener = given;
    },
    release() {
      listener = undefined;
    },
    edit: (text, { line }) => Promise.resolve(editor?.(text, line)),
    screen: () => textOf(top()),
    all: () => textOf(0),
    written: () => taken,
    type: (text) => listener?.typed(text),
    async until(text) {
      for (let tries = 0; tries < 1000; tries++) {
        if (typeof text === "string" ? textOf(top()).includes(text) : text.test(textOf(top()))) return;
        await pause(10);
      }
      throw new Error(`${String(text)} did not come. On the screen:\n${textOf(top())}`);
    },
    resize(wide, high, { isTold = true } = {}) {
      while (lines.length < size.rows) lines.push({ cells: [], isBroken: false }); // the empty rows below count too
      const joined = joinBroken(lines, { at, column });
      if (isTold) told = { columns: wide, rows: high };
      size = { columns: wide, rows: high };
      if (reflows) ({ lines, at, column } = joined.broken(wide));
      else for (const each of lines) each.cells.splice(wide);
      scrolled = 0;
      if (isTold) listener?.resized();
    },
    isTaken: () => listener !== undefined,
  };
}

/** The rows as they were before the terminal broke them, ready to be broken again: what terminals do when they are resized. */
function joinBroken(lines: readonly Row[], cursor: { readonly at: number; readonly column: number }) {
  const whole: { cells: string[]; cursor: number | undefined }[] = [];
  let isOpen = false;
  lines.forEach(({ cells, isBroken }, index) => {
    const last = isOpen ? whole.at(-1) : undefined;
    const line = last ?? { cells: [], cursor: undefined };
    if (last === undefined) whole.push(line);
    if (index === cursor.at) line.cursor = line.cells.length + cursor.column;
    line.cells.push(...cells);
    isOpen = isBroken;
  });
  return {
    broken(columns: number) {
      const rows: Row[] = [];
      let place = { at: 0, column: 0 };
      for (const { cells, cursor: own } of whole) {
        if (own !== undefined) place = { at: rows.length + Math.floor(own / columns), column: own % columns };
        const count = Math.max(1, Math.ceil(cells.length / columns));
        for (let each = 0; each < count; each++) {
          const piece = cells.slice(each * columns, (each + 1) * columns);
          rows.push({ cells: piece, isBroken: each < count - 1 });
        }
      }
      return { lines: rows, ...place };
    },
  };
}
