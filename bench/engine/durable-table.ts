import { textTable, threeDigits } from "../measure/text-table.ts";
import type { MeasuredDurable } from "./durable.ts";
import { markdownTable } from "./measured.ts";

type Row = readonly [name: string, cell: (measured: MeasuredDurable) => string];

const rows: readonly Row[] = [
  ["commits", ({ commits }) => commits.toFixed(2)],
  ["kB in the log for each", ({ bytes }) => threeDigits(bytes / 1000)],
  ["ms of CPU time", ({ cpu }) => threeDigits(cpu)],
  ["ms on the clock", ({ wall }) => threeDigits(wall)],
  ["the same writes by hand, ms on the clock", ({ wallByHand }) => threeDigits(wallByHand)],
  ["on the clock, × by hand", ({ wall, wallByHand }) => `×${threeDigits(wall / wallByHand)}`],
  ["before: reading the thread, ms of CPU time", ({ opening }) => threeDigits(opening)],
];

/** What a durable step costs, workload by workload. */
export const durableTable = (measured: readonly MeasuredDurable[]): string => textTable(...cells(measured));

export const durableMarkdown = (measured: readonly MeasuredDurable[]): string => markdownTable(...cells(measured));

function cells(measured: readonly MeasuredDurable[]): [head: readonly string[], rows: readonly (readonly string[])[]] {
  return [
    ["a durable step", ...measured.map(({ workload }) => workload.name)],
    rows.map(([name, cell]) => [name, ...measured.map(cell)]),
  ];
}
