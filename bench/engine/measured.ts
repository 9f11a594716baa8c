import type { Costs } from "../measure/cpu-rounds.ts";
import { textTable, threeDigits } from "../measure/text-table.ts";
import { baseline } from "./contenders.ts";
import type { Workload } from "./workload.ts";

/** What a step was found to cost. */
export interface MeasuredLoop {
  /** The contenders, in the order of the table. */
  readonly rows: readonly string[];
  readonly workloads: readonly MeasuredWorkload[];
}

export interface MeasuredWorkload {
  readonly workload: Workload;
  readonly costs: Costs;
}

/** How many times the loop by hand with JSON and validation a row costs. */
export function ratioAt({ costs }: MeasuredWorkload, row: string): number {
  return (costs.get(row) ?? NaN) / (costs.get(baseline) ?? NaN);
}

const title = "a step of";

/** CPU microseconds of a step, and how many times the baseline that is. */
export function loopTable({ rows, workloads }: MeasuredLoop): string {
  const cell = (measured: MeasuredWorkload, row: string): string =>
    `${threeDigits(1000 * (measured.costs.get(row) ?? NaN))} ×${threeDigits(ratioAt(measured, row))}`;
  return textTable(
    [title, ...workloads.map(({ workload }) => workload.name)],
    rows.map((row) => [row, ...workloads.map((measured) => cell(measured, row))]),
  );
}

/** The ratios alone, for a document. */
export function loopMarkdown({ rows, workloads }: MeasuredLoop): string {
  return markdownTable(
    [title, ...workloads.map(({ workload }) => workload.name)],
    rows.map((row) => [row, ...workloads.map((measured) => `×${threeDigits(ratioAt(measured, row))}`)]),
  );
}

export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const rule = head.map((_, column) => (column === 0 ? "---" : "---:"));
  return [head, rule, ...rows].map(line).join("\n");
}
