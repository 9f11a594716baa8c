import { diffLines } from "diff";

export interface DiffLine {
  readonly kind: "added" | "removed" | "same";
  readonly text: string;
}

/** Comparing takes quadratic time for long texts that differ everywhere. Then the texts are shown one after the other. */
const longestComparison = 50; // milliseconds

/** Two texts as one list of lines. Where all lines end as on Windows, their ends are left out; else a "\r" is a difference. */
export function linesOf(before: string, after: string): readonly DiffLine[] {
  const isWindows = ![before, after].some((text) => /(?<!\r)\n/u.test(text));
  const [old, next] = isWindows ? [before.replaceAll("\r\n", "\n"), after.replaceAll("\r\n", "\n")] : [before, after];
  const changes = diffLines(old, next, { timeout: longestComparison }) ?? [
    { value: old, added: false, removed: true },
    { value: next, added: true, removed: false },
  ];
  return changes.flatMap(({ value, added, removed }) => {
    const kind = added ? "added" : removed ? "removed" : "same";
    return value
      .replace(/\n$/u, "")
      .split("\n")
      .map((text) => ({ kind, text }) as const);
  });
}
