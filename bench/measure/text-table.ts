/** A table for a terminal: the first column to the left, the others to the right. */
export function textTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) => Math.max(...[head, ...rows].map((row) => (row[column] ?? title).length)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  ")
      .trimEnd();
  return [line(head), widths.map((width) => "-".repeat(width)).join("  "), ...rows.map(line)].join("\n");
}

/** A number with three digits that count: 0.0123, 1.23, 12.3, 1234. */
export function threeDigits(value: number): string {
  if (value === 0) return "0";
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3).replace(/e.*$/u, "");
}
