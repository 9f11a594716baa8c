import { printable } from "../../terminal/printable.ts";
import { wrap } from "../../terminal/text-width.ts";

/** The stable lines of a text that is still arriving, and the rest. */
export interface Flow {
  readonly lines: readonly string[];
  readonly rest: string;
}

/** Splits an arriving text into lines. */
export function flow(text: string, columns: number): Flow {
  const whole = text.split("\n");
  const open = whole.pop() ?? "";
  const rows = setLine(open, columns);
  const last = rows.at(-1) ?? "";
  const kept = rows.length < 2 ? open : last + open.slice(open.trimEnd().length); // blanks at the end separate words
  return { lines: [...whole.flatMap((line) => setLine(line, columns)), ...rows.slice(0, -1)], rest: kept };
}

/** A complete text as terminal lines, without control sequences. */
export const setText = (text: string, columns: number): readonly string[] =>
  text.split("\n").flatMap((line) => setLine(line, columns));

function setLine(line: string, columns: number): readonly string[] {
  const bare = line.endsWith("\r") ? line.slice(0, -1) : line;
  const shown = printable(bare.replaceAll("\t", "    "));
  return wrap(shown, columns, { hanging: Math.min(indentOf(shown), Math.floor(columns / 3)) });
}

/** The indentation of a line, including a list marker. Wrapped lines continue there. */
const indentOf = (line: string): number => /^\s*(?:(?:[\-*•]|\d{1,3}[.\)])\s+)?/v.exec(line)?.[0].length ?? 0;
