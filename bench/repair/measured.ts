import type { Costs } from "../measure/cpu-rounds.ts";
import { textTable, threeDigits } from "../measure/text-table.ts";
import { baseline } from "./contenders.ts";
import type { Subject } from "./subjects.ts";

/** What was measured of one subject. */
export interface Measured {
  readonly subject: Subject;
  /** The contenders, in the order of the table. */
  readonly rows: readonly string[];
  readonly sizes: readonly { readonly messages: number; readonly bytes: number; readonly costs: Costs }[];
}

/** CPU milliseconds of a contender at one size; NaN where it did not take part. */
export function costAt({ sizes }: Measured, size: number, row: string): number {
  return sizes.find(({ messages }) => messages === size)?.costs.get(row) ?? NaN;
}

/** How many times more 100,000 messages cost than 10,000. */
export function growthOf(measured: Measured, row: string): number | undefined {
  const growth = costAt(measured, 100_000, row) / costAt(measured, 10_000, row);
  return Number.isNaN(growth) ? undefined : growth;
}

/** The table of one subject: CPU milliseconds, and how many times JSON.stringify of the same body that is. */
export function tableOf(measured: Measured): string {
  const { subject, rows, sizes } = measured;
  const head = ["messages", ...sizes.map(({ messages }) => messages.toLocaleString("en")), "10k→100k"];
  const bytes = ["megabytes of JSON", ...sizes.map((size) => (size.bytes / 1e6).toFixed(2)), ""];
  const cells = rows.map((row) => {
    const growth = growthOf(measured, row);
    const costs = sizes.map(({ messages }) =>
      cell(costAt(measured, messages, row), costAt(measured, messages, baseline)),
    );
    return [row, ...costs, growth === undefined ? "–" : `×${threeDigits(growth)}`];
  });
  return `${subject.name}\n${textTable(head, [bytes, ...cells])}`;
}

const cell = (cost: number, base: number): string =>
  Number.isNaN(cost) ? "–" : `${threeDigits(cost)} ×${threeDigits(cost / base)}`;

/** The ratios alone, for a document. */
export function markdownOf(measured: Measured): string {
  const { subject, rows, sizes } = measured;
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const head = [subject.name, ...sizes.map(({ messages }) => messages.toLocaleString("en"))];
  const cells = rows.map((row) => [
    row,
    ...sizes.map(({ messages }) => {
      const ratio = costAt(measured, messages, row) / costAt(measured, messages, baseline);
      return Number.isNaN(ratio) ? "–" : `×${threeDigits(ratio)}`;
    }),
  ]);
  return [line(head), line(head.map((_, column) => (column === 0 ? "---" : "---:"))), ...cells.map(line)].join("\n");
}
