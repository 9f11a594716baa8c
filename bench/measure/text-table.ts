/** A Markdown table that is also readable in a terminal: the first column to the left, the others to the right. */
export function textTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(3, title.length, ...rows.map((row) => (row[column] ?? "").length)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${widths.map((width, column) => (column === 0 ? (cells[0] ?? "").padEnd(width) : (cells[column] ?? "").padStart(width))).join(" | ")} |`;
  const rule = widths.map((width, column) => (column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`));
  return [line(head), line(rule), ...rows.map(line)].join("\n");
}

/** A number with three digits that count: 0.0123, 1.23, 12.3, 1234. */
export function threeDigits(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return "–";
  if (value === 0) return "0";
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3).replace(/e.*$/u, "");
}

export const times = (ratio: number | undefined): string =>
  ratio === undefined || Number.isNaN(ratio) ? "–" : `×${threeDigits(ratio)}`;

/** The middle of some numbers. */
export const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? NaN;
