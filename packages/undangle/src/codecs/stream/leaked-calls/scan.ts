/** A text and the current position in it. */
export interface Scan {
  readonly text: string;
  at: number;
}

/** Matches a sticky pattern at the current position, and moves past the match. */
export function take(scan: Scan, pattern: RegExp): RegExpExecArray | undefined {
  pattern.lastIndex = scan.at;
  const found = pattern.exec(scan.text);
  if (found === null) return undefined;
  scan.at += found[0].length;
  return found;
}

/** Moves past a text if it comes next. */
export function takeText(scan: Scan, text: string): boolean {
  const isNext = scan.text.startsWith(text, scan.at);
  if (isNext) scan.at += text.length;
  return isNext;
}

/** Returns the text before a closing text, and moves past both. Undefined if the closing text is missing. */
export function takeUntil(scan: Scan, closer: string): string | undefined {
  const end = scan.text.indexOf(closer, scan.at);
  if (end < 0) return undefined;
  const inner = scan.text.slice(scan.at, end);
  scan.at = end + closer.length;
  return inner;
}

export function skipBlanks(scan: Scan): void {
  take(scan, /\s*/uy);
}

/** Reads items up to the end of the text. Undefined if there are none, or anything else appears. */
export function readWhole<One>(
  text: string,
  read: (scan: Scan) => readonly One[] | undefined,
  between: RegExp,
): readonly One[] | undefined {
  const scan: Scan = { text, at: 0 };
  const all: One[] = [];
  for (;;) {
    while (take(scan, between) !== undefined);
    if (scan.at === text.length) return all.length > 0 ? all : undefined;
    const some = read(scan);
    if (some === undefined) return undefined;
    all.push(...some);
  }
}
