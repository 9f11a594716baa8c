import { compareText } from "#files";
import type { FileInfo, GrepResult } from "#files";

import type { FileTexts } from "./file-texts.ts";
import { wholeCharacters } from "./numbered-lines.ts";

/** How matches are shown. */
export type OutputMode = "files_with_matches" | "content" | "count";

/** The longest line of a match. */
const matchLength = 1_000;

/** A list of lines within a length, with a note about those that are left out. */
export function cutLines(lines: readonly string[], maxLength: number, note: (left: number) => string): string {
  let length = 0;
  let count = 0;
  const room = maxLength - note(lines.length).length - 1;
  const whole = lines.reduce((sum, line) => sum + line.length + 1, -1);
  if (whole <= maxLength) return lines.join("\n");
  for (const line of lines) {
    length += line.length + 1;
    if (length > room) break;
    count++;
  }
  return [...lines.slice(0, count), note(lines.length - count)].join("\n");
}

/** The entries of a directory: directories first, then by name. */
export function listingText(entries: readonly FileInfo[], maxLength: number, texts: FileTexts): string {
  const named = entries.map((entry) => ({ entry, name: entry.path.slice(entry.path.lastIndexOf("/") + 1) }));
  const rank = ({ entry }: { readonly entry: FileInfo }): number => (entry.type === "directory" ? 0 : 1);
  const lines = named
    .toSorted((one, other) => rank(one) - rank(other) || compareText(one.name, other.name))
    .map(({ entry, name }) => {
      if (entry.type === "directory") return `${name}/`;
      return entry.type === "link"
        ? `${name} (link)`
        : `${name}${entry.size === undefined ? "" : ` (${entry.size} bytes)`}`;
    });
  return cutLines(lines, maxLength, texts.moreEntries);
}

/** The paths of files that match a pattern. */
export const globText = (paths: readonly string[], maxLength: number, texts: FileTexts): string =>
  cutLines(paths, maxLength, texts.moreFiles);

/** The matches of a search. The notes about what is missing are always shown. */
export function grepText(
  { files, isCut, skipped, failures }: GrepResult,
  { mode, maxLength, hint }: GrepFormat,
  texts: FileTexts,
): string {
  const notes = [
    ...(hint === undefined ? [] : [hint]),
    ...(isCut ? [texts.moreMatches(files.reduce((sum, { count }) => sum + count, 0))] : []),
    ...(skipped > 0 ? [texts.skipped(skipped)] : []),
    ...(failures.length > 0 ? [cutLines([texts.failures(failures)], 4_000, () => "[…]")] : []),
  ];
  const room = maxLength - notes.reduce((sum, note) => sum + note.length + 1, 0);
  const lines = files.flatMap((file) => {
    if (mode === "files_with_matches") return [file.path];
    if (mode === "count") return [`${file.path}: ${file.count}`];
    return [
      `${file.path}:`,
      ...file.lines.map(({ number, text, isMatch }) => `  ${number}${isMatch ? ":" : "-"} ${shortened(text, texts)}`),
    ];
  });
  return [cutLines(lines, room, texts.moreText), ...notes].filter((text) => text !== "").join("\n");
}

export interface GrepFormat {
  readonly mode: OutputMode;
  readonly maxLength: number;
  /** A note about the pattern, if nothing was found. */
  readonly hint: string | undefined;
}

function shortened(text: string, texts: FileTexts): string {
  if (text.length <= matchLength) return text;
  const shown = wholeCharacters(text, matchLength);
  return `${shown}${texts.moreCharacters(text.length - shown.length)}`;
}

/** True for literal text that was probably meant as a regular expression. */
export const looksLikeRegex = (pattern: string): boolean =>
  /\.[*+?]|\\[bdswBDSW.]|\[[^[\]]+\]|\(\?|\w\|\w|^\^|\$$|\w\.\w|[)\]}]\+/u.test(pattern);
