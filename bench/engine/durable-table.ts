import { textTable, threeDigits } from "../measure/text-table.ts";
import type { MeasuredDurable } from "./durable.ts";
import type { Cost } from "./durable-cost.ts";
import { markdownTable } from "./measured.ts";

type Row = readonly [name: string, cell: (measured: MeasuredDurable) => string];

const rows: readonly Row[] = [
  ["commits", ({ commits }) => commits.toFixed(2)],
  ["kB in the log for each", ({ bytes }) => threeDigits(bytes / 1000)],
  ["ms of CPU time", ({ step }) => threeDigits(step.cpu)],
  ["the same text on SQLite by hand", ({ sqliteByHand }) => threeDigits(sqliteByHand.cpu)],
  ["as many syncs of a log", ({ writtenOver }) => threeDigits(writtenOver.cpu)],
  ["the engine in memory, with syncs of a log", ({ engineWithLog }) => threeDigits(engineWithLog.cpu)],
  ["the engine in memory, with SQLite by hand", ({ engineWithSqlite }) => threeDigits(engineWithSqlite.cpu)],
  ["ms on the clock", ({ step }) => threeDigits(step.wall)],
  ["the same text on SQLite by hand", ({ sqliteByHand, step }) => withRatio(sqliteByHand.wall, step)],
  ["as many syncs of a log that is written over", ({ writtenOver, step }) => withRatio(writtenOver.wall, step)],
  ["as many syncs of a log that grows", ({ appended, step }) => withRatio(appended.wall, step)],
  ["the engine in memory, with syncs of a log", ({ engineWithLog, step }) => withRatio(engineWithLog.wall, step)],
  ["those syncs alone", ({ writesBetween, step }) => withRatio(writesBetween, step)],
  ["the engine in memory, with SQLite by hand", ({ engineWithSqlite, step }) => withRatio(engineWithSqlite.wall, step)],
  ["reckoned: where a sync takes 1 ms", (measured) => `×${threeDigits(ratioAtSlowDisk(measured))}`],
  ["before: reading the thread, ms of CPU time", ({ opening }) => threeDigits(opening)],
];

/** Milliseconds on the clock, and how many times those a step takes. */
const withRatio = (floor: number, step: Cost): string => `${threeDigits(floor)} (×${threeDigits(step.wall / floor)})`;

/** How many times its syncs a step would take whose syncs take a millisecond each: the rest stays as it is. Nobody has measured it. */
const ratioAtSlowDisk = ({ step, writesBetween, commits }: MeasuredDurable): number =>
  (step.wall - writesBetween + commits) / commits;

/** What a durable step costs, workload by workload. */
export const durableTable = (measured: readonly MeasuredDurable[]): string => textTable(...cells(measured));

export const durableMarkdown = (measured: readonly MeasuredDurable[]): string => markdownTable(...cells(measured));

function cells(measured: readonly MeasuredDurable[]): [head: readonly string[], rows: readonly (readonly string[])[]] {
  return [
    ["a durable step", ...measured.map(({ workload }) => workload.name)],
    rows.map(([name, cell]) => [name, ...measured.map(cell)]),
  ];
}
