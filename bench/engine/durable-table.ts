import { textTable, threeDigits } from "../measure/text-table.ts";
import type { Cost, MeasuredDurable } from "./durable.ts";
import { markdownTable } from "./measured.ts";

type Row = readonly [name: string, cell: (measured: MeasuredDurable) => string];

const rows: readonly Row[] = [
  ["commits", ({ commits }) => commits.toFixed(2)],
  ["kB in the log for each", ({ bytes }) => threeDigits(bytes / 1000)],
  ["ms of CPU time", ({ step }) => threeDigits(step.cpu)],
  ["the same text on SQLite by hand", ({ sqliteByHand }) => threeDigits(sqliteByHand.cpu)],
  ["as many syncs of a log", ({ writtenOver }) => threeDigits(writtenOver.cpu)],
  ["ms on the clock", ({ step }) => threeDigits(step.wall)],
  ["the same text on SQLite by hand", ({ sqliteByHand, step }) => withRatio(sqliteByHand, step)],
  ["as many syncs of a log that is written over", ({ writtenOver, step }) => withRatio(writtenOver, step)],
  ["as many syncs of a log that grows", ({ appended, step }) => withRatio(appended, step)],
  ["before: reading the thread, ms of CPU time", ({ opening }) => threeDigits(opening)],
];

/** Milliseconds on the clock, and how many times those a step takes. */
const withRatio = (floor: Cost, step: Cost): string =>
  `${threeDigits(floor.wall)} (×${threeDigits(step.wall / floor.wall)})`;

/** What a durable step costs, workload by workload. */
export const durableTable = (measured: readonly MeasuredDurable[]): string => textTable(...cells(measured));

export const durableMarkdown = (measured: readonly MeasuredDurable[]): string => markdownTable(...cells(measured));

function cells(measured: readonly MeasuredDurable[]): [head: readonly string[], rows: readonly (readonly string[])[]] {
  return [
    ["a durable step", ...measured.map(({ workload }) => workload.name)],
    rows.map(([name, cell]) => [name, ...measured.map(cell)]),
  ];
}
