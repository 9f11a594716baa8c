import type { Output } from "../io.ts";
import { wrap } from "./text-width.ts";
import { printable } from "./printable.ts";

/** An error for stderr. On a terminal, lines wrap at words; indented lines are commands to copy. */
export function complaint(text: string, { isTTY, columns }: Pick<Output, "isTTY" | "columns">): string {
  const lines = `undangle: ${text}`.split("\n").map(printable);
  if (!isTTY) return `${lines.join("\n")}\n`;
  const fitting = lines.flatMap((line) => (line.startsWith("  ") ? [line] : wrap(line, columns - 1)));
  return `${fitting.join("\n")}\n`;
}
