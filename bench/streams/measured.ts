import type { Costs } from "../measure/cpu-rounds.ts";
import { textTable, threeDigits } from "../measure/text-table.ts";
import { baseline } from "./contenders.ts";
import { grown } from "./subjects.ts";
import type { Subject } from "./subjects.ts";

/** What was measured of one subject. */
export interface Measured {
  readonly subject: Subject;
  /** The contenders, in the order of the table. */
  readonly rows: readonly string[];
  readonly sizes: readonly MeasuredSize[];
}

export interface MeasuredSize {
  readonly name: string;
  readonly events: number;
  readonly bytes: number;
  readonly costs: Costs;
}

/** How many times the loop by hand a row costs at a size; undefined where it did not take part. */
export function ratioAt({ costs }: MeasuredSize, row: string): number | undefined {
  const cost = costs.get(row);
  const base = costs.get(baseline);
  return cost === undefined || base === undefined ? undefined : cost / base;
}

/** How many times more ten times the arguments cost. */
export function growthOf({ sizes }: Measured, row: string): number | undefined {
  const at = (size: string): number | undefined => sizes.find(({ name }) => name === size)?.costs.get(row);
  const [small, large] = [at(grown.from), at(grown.to)];
  return small === undefined || large === undefined ? undefined : large / small;
}

/** The table of one subject: CPU milliseconds, and how many times the loop by hand that is. */
export function tableOf(measured: Measured): string {
  const { subject, rows, sizes } = measured;
  const hasGrowth = growthOf(measured, baseline) !== undefined;
  const head = [subject.name, ...sizes.map(({ name }) => name), ...(hasGrowth ? [`${grown.from}→${grown.to}`] : [])];
  const cells = rows.map((row) => {
    const costs = sizes.map((size) => {
      const cost = size.costs.get(row);
      return cost === undefined ? "–" : `${threeDigits(cost)} ×${threeDigits(ratioAt(size, row) ?? NaN)}`;
    });
    return [row, ...costs, ...(hasGrowth ? [written(growthOf(measured, row))] : [])];
  });
  return textTable(head, [
    ["events", ...sizes.map(({ events }) => events.toLocaleString("en"))],
    ["megabytes on the wire", ...sizes.map(({ bytes }) => (bytes / 1e6).toFixed(1))],
    ...cells,
  ]);
}

/** The ratios alone, for a document. */
export function markdownOf({ subject, rows, sizes }: Measured): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const head = [subject.name, ...sizes.map(({ name }) => name)];
  const cells = rows.map((row) => [row, ...sizes.map((size) => written(ratioAt(size, row)))]);
  return [line(head), line(head.map((_, column) => (column === 0 ? "---" : "---:"))), ...cells.map(line)].join("\n");
}

const written = (ratio: number | undefined): string => (ratio === undefined ? "–" : `×${threeDigits(ratio)}`);
