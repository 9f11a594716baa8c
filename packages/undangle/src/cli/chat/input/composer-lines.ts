import { printable } from "../../terminal/printable.ts";
import { textWidth, truncate } from "../../terminal/text-width.ts";
import { charactersOf } from "./line.ts";
import type { Line } from "./line.ts";

/** Screen lines with a cursor. */
export interface Shown {
  readonly lines: readonly string[];
  readonly cursor: { readonly row: number; readonly column: number };
}

/** The lines of the input: a prompt mark, wrapped text, and for a long text the part around the cursor. */
export function lineShown(
  { text, cursor }: Line,
  { mark, columns, rows }: { readonly mark: string; readonly columns: number; readonly rows: number },
): Shown {
  const indent = textWidth(mark);
  const room = Math.max(columns - indent, 4);
  const lines = [""];
  let [width, at] = [0, 0];
  let place = { row: 0, column: 0 };
  const next = (): void => {
    lines.push("");
    width = 0;
  };
  for (const character of charactersOf(text)) {
    const shown = character === "\t" ? "    " : character === "\n" ? "" : printable(character);
    if (width + textWidth(shown) > room) next();
    if (at === cursor) place = { row: lines.length - 1, column: width };
    lines[lines.length - 1] += shown;
    width += textWidth(shown);
    if (character === "\n") next();
    at += character.length;
  }
  if (at === cursor) {
    if (width >= room) next();
    place = { row: lines.length - 1, column: width };
  }
  const first = Math.max(0, Math.min(place.row - rows + 1, lines.length - rows));
  return {
    lines: lines
      .slice(first, first + rows)
      .map((line, row) => (row + first === 0 ? mark : " ".repeat(indent)) + truncate(line, room)),
    cursor: { row: place.row - first, column: place.column + indent },
  };
}
