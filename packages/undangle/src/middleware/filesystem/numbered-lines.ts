/** A part of a file, as `read_file` shows it. */
export interface Page {
  /** The lines with their numbers. */
  readonly text: string;
  /** The number of the first and of the last line shown, from 1. */
  readonly first: number;
  readonly last: number;
  /** True if lines that were requested are not shown, because the text would be too long. */
  readonly isCut: boolean;
  /** The offset of the first line after those shown. Undefined after the last line of the file. */
  readonly nextOffset: number | undefined;
  /** Set if the only line shown is not complete: its characters from `from` up to, but not including, `to`. */
  readonly part: LinePart | undefined;
}

export interface LinePart {
  readonly from: number;
  readonly to: number;
  /** The number of characters in the line. */
  readonly of: number;
}

export interface PageRequest {
  /** How many lines to skip. */
  readonly offset: number;
  /** How many lines to show. */
  readonly limit: number;
  /** How many characters of the first line to skip. */
  readonly column: number;
  /** The most characters of the page. */
  readonly maxLength: number;
}

/** The longest row. A longer line continues in rows that are numbered 5, 5.1, 5.2. */
export const rowLength = 5_000;

/**
 * The page of a file that a request selects. Lines are shown completely or not at all, so that the next offset never
 * skips anything. Only if not even the first line fits, its beginning is shown, and `part` is where to resume. Characters
 * are code points. The request must begin inside the file.
 */
export function pageOf(lines: readonly string[], { offset, limit, column, maxLength }: PageRequest): Page {
  const wanted = Math.min(lines.length, offset + limit);
  const rows: Row[] = [];
  let length = 0;
  let gutter = 0;
  let end = offset;
  for (; end < wanted; end++) {
    const more = rowsOf(lines[end] ?? "", end + 1, end === offset ? column : 0);
    const wider = more.reduce((width, { label }) => Math.max(width, label.length), gutter);
    const ofRows = more.reduce((sum, { text }) => sum + text.length + wider + 3, 0); // two spaces and a line end
    const longer = length + (wider - gutter) * rows.length + ofRows;
    if (longer > maxLength) break;
    for (const row of more) rows.push(row);
    length = longer;
    gutter = wider;
  }
  if (end === offset) return beginningOf(lines, { offset, column, maxLength });
  return {
    text: shown(rows),
    first: offset + 1,
    last: end,
    isCut: end < wanted,
    nextOffset: end < lines.length ? end : undefined,
    part: undefined,
  };
}

/** The beginning of a line that does not fit. */
function beginningOf(
  lines: readonly string[],
  { offset, column, maxLength }: Pick<PageRequest, "offset" | "column" | "maxLength">,
): Page {
  const line = lines[offset] ?? "";
  const rows: Row[] = [];
  const all = rowsOf(line, offset + 1, column);
  const gutter = Math.max(...all.map(({ label }) => label.length));
  let left = maxLength;
  let to = column;
  for (const { label, text } of all) {
    const room = left - gutter - 3;
    if (room < 2 && rows.length > 0) break;
    const fitting = text.length <= room ? text : wholeCharacters(text, Math.max(2, room)); // always makes progress
    rows.push({ label, text: fitting });
    to += countCharacters(fitting);
    left -= gutter + 3 + fitting.length;
    if (fitting.length < text.length) break;
  }
  const of = countCharacters(line);
  return {
    text: shown(rows),
    first: offset + 1,
    last: offset + 1,
    isCut: true,
    nextOffset: offset + 1 < lines.length ? offset + 1 : undefined,
    part: { from: column, to, of },
  };
}

interface Row {
  readonly label: string;
  readonly text: string;
}

/** The rows of a line. The row `N.k` begins at character `k * rowLength` of the line, also if earlier ones are skipped. */
function rowsOf(line: string, number: number, column: number): readonly Row[] {
  if (line.length <= rowLength && column === 0) return [{ label: String(number), text: line }];
  const rows: Row[] = [];
  let at = indexOfCharacter(line, 0, column);
  let character = column;
  do {
    const row = Math.floor(character / rowLength);
    const count = (row + 1) * rowLength - character;
    const end = indexOfCharacter(line, at, count);
    rows.push({ label: row === 0 ? String(number) : `${number}.${row}`, text: line.slice(at, end) });
    at = end;
    character += count;
  } while (at < line.length);
  return rows;
}

/** The numbers are aligned at their right end. Two spaces separate them from the text. */
function shown(rows: readonly Row[]): string {
  const gutter = rows.reduce((width, { label }) => Math.max(width, label.length), 0);
  return rows.map(({ label, text }) => `${label.padStart(gutter)}  ${text}`).join("\n");
}

/** The index after so many code points from a start, or the end of the text. */
function indexOfCharacter(text: string, start: number, count: number): number {
  let at = start;
  for (let left = count; left > 0 && at < text.length; left--) at += isPairAt(text, at) ? 2 : 1;
  return Math.min(at, text.length);
}

export function countCharacters(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += isPairAt(text, at) ? 2 : 1) count += 1;
  return count;
}

/** The longest beginning with at most this many UTF-16 units that does not cut a surrogate pair. */
export function wholeCharacters(text: string, length: number): string {
  if (text.length <= length) return text;
  return text.slice(0, length > 0 && isPairAt(text, length - 1) ? length - 1 : length);
}

/** The longest end with at most this many UTF-16 units that does not cut a surrogate pair. */
export function lastCharacters(text: string, length: number): string {
  if (text.length <= length) return text;
  const start = text.length - length;
  return text.slice(isPairAt(text, start - 1) ? start + 1 : start);
}

const isPairAt = (text: string, at: number): boolean => (text.codePointAt(at) ?? 0) > 0xffff;
