/** The longest middle part that is compared line by line, in cells of the table. */
const mostCells = 1_000_000;

/** Lines of a unified diff to show. */
const mostLines = 400;

/** Unchanged lines around a change. */
const context = 3;

/**
 * A unified diff of two texts, without file names. Texts that differ in very many lines are shown as one block of removed
 * and one of added lines. Long diffs are cut, with a line that says how many lines are left out.
 */
export function lineDiff(before: string, after: string): string {
  const rows = changesOf(linesOf(before), linesOf(after));
  const lines = hunksOf(rows).flatMap((hunk) => [
    headOf(rows, hunk),
    ...rows.slice(...hunk).map(({ sign, line }) => sign + line),
  ]);
  if (lines.length <= mostLines) return lines.join("\n");
  return [...lines.slice(0, mostLines), `… ${lines.length - mostLines} more lines`].join("\n");
}

interface Row {
  readonly sign: " " | "-" | "+";
  readonly line: string;
}

function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r\n|\n|\r/u);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function changesOf(before: readonly string[], after: readonly string[]): readonly Row[] {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start++;
  let end = 0;
  while (end < shorter - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  const removed = before.slice(start, before.length - end);
  const added = after.slice(start, after.length - end);
  const same = (lines: readonly string[]): readonly Row[] => lines.map((line) => ({ sign: " ", line }));
  const middle =
    removed.length * added.length > mostCells
      ? [...removed.map((line): Row => ({ sign: "-", line })), ...added.map((line): Row => ({ sign: "+", line }))]
      : interleaved(removed, added);
  return [...same(before.slice(0, start)), ...middle, ...same(before.slice(before.length - end))];
}

/** The shortest changes, by the longest common subsequence. */
function interleaved(removed: readonly string[], added: readonly string[]): readonly Row[] {
  const width = added.length + 1;
  const common = new Uint32Array((removed.length + 1) * width); // of the lines from i and from j on
  const at = (i: number, j: number): number => common[i * width + j] ?? 0;
  for (let i = removed.length - 1; i >= 0; i--) {
    for (let j = added.length - 1; j >= 0; j--)
      common[i * width + j] = removed[i] === added[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  }
  const rows: Row[] = [];
  let [i, j] = [0, 0];
  while (i < removed.length || j < added.length) {
    const [old, made] = [removed[i], added[j]];
    if (old !== undefined && old === made) {
      rows.push({ sign: " ", line: old });
      i++;
      j++;
    } else if (old !== undefined && (made === undefined || at(i + 1, j) >= at(i, j + 1))) {
      rows.push({ sign: "-", line: old });
      i++;
    } else {
      rows.push({ sign: "+", line: made ?? "" });
      j++;
    }
  }
  return rows;
}

type Range = readonly [start: number, end: number];

/** The ranges of rows to show: the changes, with the lines around them. */
function hunksOf(rows: readonly Row[]): readonly Range[] {
  const hunks: [number, number][] = [];
  rows.forEach(({ sign }, i) => {
    if (sign === " ") return;
    const [start, end] = [Math.max(0, i - context), Math.min(rows.length, i + context + 1)];
    const last = hunks.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = end;
    else hunks.push([start, end]);
  });
  return hunks;
}

function headOf(rows: readonly Row[], [start, end]: Range): string {
  const count = (from: number, to: number, sign: "-" | "+"): number =>
    rows.slice(from, to).filter((row) => row.sign === " " || row.sign === sign).length;
  const side = (sign: "-" | "+"): string => {
    const lines = count(start, end, sign);
    return `${sign}${count(0, start, sign) + (lines === 0 ? 0 : 1)},${lines}`;
  };
  return `@@ ${side("-")} ${side("+")} @@`;
}
