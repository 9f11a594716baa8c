/** The outcome of an edit: the changed text with the number of replacements, or why nothing was changed. */
export type Edited =
  | { readonly text: string; readonly count: number; readonly problem?: undefined }
  | { readonly problem: EditProblem };

export type EditProblem =
  | { readonly type: "same" }
  | { readonly type: "empty" }
  | { readonly type: "missing"; readonly hint: "space" | "numbers" | undefined }
  | { readonly type: "several"; readonly count: number };

export interface TextEdit {
  readonly old: string;
  readonly new: string;
  readonly isAll: boolean;
}

/**
 * Replaces a text. Line ends are compared as one kind, because models see and write `\n`; inserted lines get the line
 * ends of those they replace. An empty old text is allowed only for an empty file.
 */
export function editText(text: string, edit: TextEdit): Edited {
  if (edit.old === edit.new) return { problem: { type: "same" } };
  if (edit.old === "") return text === "" ? { text: edit.new, count: 1 } : { problem: { type: "empty" } };
  const isConversion = unixEnds(edit.old) === unixEnds(edit.new); // of line ends, and of nothing else
  const old = isConversion ? edit.old : unixEnds(edit.old);
  const replacement = isConversion ? edit.new : unixEnds(edit.new);
  const plain = isConversion ? text : unixEnds(text);
  const places: number[] = [];
  for (let at = plain.indexOf(old); at !== -1; at = plain.indexOf(old, at + old.length)) places.push(at);
  if (places.length === 0) return { problem: { type: "missing", hint: hintFor(plain, old) } };
  if (places.length > 1 && !edit.isAll) return { problem: { type: "several", count: places.length } };
  const ends = plain === text ? undefined : lineEndsOf(text);
  const indexOf = (at: number): number => (ends === undefined ? at : originalIndex(ends, at));
  const parts: string[] = []; // joined, because `replace` would expand `$&`
  let done = 0;
  for (const at of places) {
    const inserted = ends === undefined ? replacement : withEnds(replacement, ends, { at, length: old.length });
    parts.push(text.slice(indexOf(done), indexOf(at)), inserted);
    done = at + old.length;
  }
  return { text: parts.join("") + text.slice(indexOf(done)), count: places.length };
}

/** Why a text may not have been found: white space differs, or it has the line numbers of `read_file`. */
function hintFor(plain: string, old: string): "space" | "numbers" | undefined {
  const numbered = /^ *\d+(?:\.\d+)? {2}/u;
  const lines = old.split("\n");
  if (lines.every((line) => numbered.test(line) || line === "")) {
    const bare = lines.map((line) => line.replace(numbered, "")).join("\n");
    if (bare.trim() !== "" && plain.includes(bare)) return "numbers";
  }
  const squeezed = squeeze(old);
  return squeezed !== "" && squeeze(plain).includes(squeezed) ? "space" : undefined;
}

const squeeze = (text: string): string => text.replaceAll(/\s+/gu, " ").trim();

const unixEnds = (text: string): string => (text.includes("\r") ? text.replaceAll(/\r\n?/gu, "\n") : text);

/** The line ends of a text, in order. */
interface LineEnds {
  /** Their positions in the text with `\n` only. */
  readonly at: readonly number[];
  /** Where the lines after them begin in the text itself. */
  readonly after: readonly number[];
  readonly text: readonly string[];
}

function lineEndsOf(text: string): LineEnds {
  const at: number[] = [];
  const after: number[] = [];
  const ends: string[] = [];
  let shorter = 0;
  for (const { 0: end, index } of text.matchAll(/\r\n?|\n/gu)) {
    at.push(index - shorter);
    after.push(index + end.length);
    ends.push(end);
    shorter += end.length - 1;
  }
  return { at, after, text: ends };
}

/** The position in a text of a position in the same text with `\n` only. */
function originalIndex(ends: LineEnds, position: number): number {
  const before = firstEndFrom(ends, position) - 1;
  const [at, after] = [ends.at[before], ends.after[before]];
  return at === undefined || after === undefined ? position : after + position - at - 1;
}

/** The number of line ends before a position. */
function firstEndFrom({ at }: LineEnds, position: number): number {
  let [low, high] = [0, at.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((at[middle] ?? 0) < position) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A text with the line ends of what it replaces. Further lines get the last of these, or the end of the line before. */
function withEnds(
  text: string,
  ends: LineEnds,
  { at, length }: { readonly at: number; readonly length: number },
): string {
  const first = firstEndFrom(ends, at);
  const own = ends.text.slice(first, firstEndFrom(ends, at + length));
  const other = own.at(-1) ?? ends.text[first - 1] ?? ends.text[first] ?? "\n";
  return text
    .split("\n")
    .map((line, i, lines) => (i === lines.length - 1 ? line : line + (own[i] ?? other)))
    .join("");
}

/**
 * The text of a file; undefined if its bytes are not UTF-8. A byte order mark is kept, because an edit writes the text
 * back.
 */
export function decodeText(data: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(data);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
