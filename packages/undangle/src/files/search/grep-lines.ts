import type { GrepLine } from "../file-backend.ts";
import { readText, splitLines } from "./text-lines.ts";

/** What to look for in files. */
export interface LineSearch {
  /** False if the bytes contain no match for certain; it is cheaper than reading the text. */
  readonly mayMatch: (data: Uint8Array) => boolean;
  readonly isMatch: (line: string) => boolean;
}

/** The most lines of a result, with those around matches. A search is cut when it has found more. */
export const maxLines = 200_000;

/** Longer lines are cut: a minified file would fill the memory with each match. */
export const maxLineLength = 2000;

/** Throws a SyntaxError for an invalid regular expression. */
export function createLineSearch({
  pattern,
  isRegex,
}: {
  readonly pattern: string;
  readonly isRegex: boolean;
}): LineSearch {
  if (isRegex) {
    const expression = readExpression(pattern);
    return { mayMatch: () => true, isMatch: (line) => expression.test(line) };
  }
  const bytes = Buffer.from(pattern);
  return {
    mayMatch: (data) => Buffer.from(data.buffer, data.byteOffset, data.byteLength).includes(bytes),
    isMatch: (line) => line.includes(pattern),
  };
}

/** With the flag `u` where the pattern allows it: without it, `.` matches half of a surrogate pair. */
export function readExpression(pattern: string): RegExp {
  try {
    return new RegExp(pattern, "u");
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return new RegExp(pattern);
  }
}

export interface FoundLines {
  readonly lines: readonly GrepLine[];
  /** The number of matches in `lines`. */
  readonly count: number;
  /** There are more matches than `limit`. */
  readonly isCut: boolean;
}

/** The matching lines of a file with the lines around them; undefined if the file may match and is not text. */
export function grepLines(
  data: Uint8Array,
  search: LineSearch,
  { context, limit }: { readonly context: number; readonly limit: number },
): FoundLines | undefined {
  if (!search.mayMatch(data)) return { lines: [], count: 0, isCut: false };
  const text = readText(data);
  if (text === undefined) return undefined;
  const all = splitLines(text);
  const lines: GrepLine[] = [];
  let count = 0;
  let shown = 0; // lines before this index are in the result, or too far from a match
  const show = (to: number, matching?: number): void => {
    for (; shown < Math.min(to, all.length); shown++)
      lines.push({ number: shown + 1, text: cut(all[shown] ?? ""), isMatch: shown === matching });
  };
  let contextEnd = 0;
  for (const [index, line] of all.entries()) {
    if (!search.isMatch(line)) continue;
    if (count === limit) {
      show(Math.min(contextEnd, index));
      return { lines, count, isCut: true };
    }
    show(Math.min(contextEnd, index));
    shown = Math.max(shown, index - context);
    show(index);
    show(index + 1, index);
    contextEnd = index + 1 + context;
    count++;
  }
  show(contextEnd);
  return { lines, count, isCut: false };
}

/** Never cuts a surrogate pair. */
function cut(line: string): string {
  if (line.length <= maxLineLength) return line;
  const start = line.slice(0, maxLineLength);
  return start.isWellFormed() ? start : start.slice(0, -1);
}
