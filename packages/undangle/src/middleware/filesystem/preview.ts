import { splitLines } from "#files";

import type { FileTexts } from "./file-texts.ts";
import { countCharacters, lastCharacters, wholeCharacters } from "./numbered-lines.ts";

/** How much of a stored text is shown. */
export interface PreviewSize {
  /** Lines at the beginning. */
  readonly head: number;
  /** Lines at the end. */
  readonly tail: number;
  /** Characters of each line. */
  readonly width: number;
}

/**
 * The beginning and the end of a text, with the line numbers of `read_file`. A line that is cut says how much is missing.
 * If there are few lines, the beginning and the end of each long line are shown.
 */
export function previewOf(text: string, { head, tail, width }: PreviewSize, texts: FileTexts): string {
  const lines = splitLines(text);
  const isShort = lines.length <= head + tail;
  const first = isShort ? lines : lines.slice(0, head);
  const last = isShort ? [] : lines.slice(lines.length - tail);
  const gutter = String(lines.length).length;
  const row = (line: string, number: number): string =>
    `${String(number).padStart(gutter)}  ${isShort ? bothEnds(line, width, texts) : beginning(line, width, texts)}`;
  return [
    ...first.map((line, i) => row(line, i + 1)),
    ...(isShort ? [] : [texts.between(lines.length - head - tail)]),
    ...last.map((line, i) => row(line, lines.length - tail + i + 1)),
  ].join("\n");
}

function beginning(line: string, width: number, texts: FileTexts): string {
  if (line.length <= width) return line;
  const shown = wholeCharacters(line, width);
  return `${shown}${texts.moreCharacters(countCharacters(line) - countCharacters(shown))}`;
}

function bothEnds(line: string, width: number, texts: FileTexts): string {
  if (line.length <= 2 * width) return line;
  const [first, last] = [wholeCharacters(line, width), lastCharacters(line, width)];
  const missing = countCharacters(line) - countCharacters(first) - countCharacters(last);
  return `${first}${texts.moreCharacters(missing)} … ${last}`;
}
