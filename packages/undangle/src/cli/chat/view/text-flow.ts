import { printable } from "../../terminal/printable.ts";
import { wrap } from "../../terminal/text-width.ts";

/** What a text that is still being written gives: lines that will not change, and the rest that may. */
export interface Flow {
  readonly lines: readonly string[];
  readonly rest: string;
}

/** Breaks a text into lines as it comes. */
export function flow(text: string, columns: number): Flow {
  const whole = text.split("\n");
  const open = whole.pop() ?? "";
  const rows = setLine(open, columns);
  const last = rows.at(-1) ?? "";
  const kept = rows.length < 2 ? open : last + open.slice(open.trimEnd().length); // blanks at its end part two words
  return { lines: [...whole.flatMap((line) => setLine(line, columns)), ...rows.slice(0, -1)], rest: kept };
}

/** A whole text in lines for a terminal: nothing in it can steer that. */
export const setText = (text: string, columns: number): readonly string[] =>
  text.split("\n").flatMap((line) => setLine(line, columns));

function setLine(line: string, columns: number): readonly string[] {
  const bare = line.endsWith("\r") ? line.slice(0, -1) : line;
  const shown = printable(bare.replaceAll("\t", "    "));
  return wrap(shown, columns, { hanging: Math.min(indentOf(shown), Math.floor(columns / 3)) });
}

/** How far the text of a line stands in, behind the mark of a list too: what is broken goes on there. */
const indentOf = (line: string): number => /^\s*(?:(?:[\-*•]|\d{1,3}[.\)])\s+)?/v.exec(line)?.[0].length ?? 0;
