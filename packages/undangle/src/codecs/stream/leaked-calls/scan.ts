/** How far a text was read. */
export interface Scan {
  readonly text: string;
  at: number;
}

/** The match of a sticky pattern at the place that a scan has got to, which moves behind it. */
export function take(scan: Scan, pattern: RegExp): RegExpExecArray | undefined {
  pattern.lastIndex = scan.at;
  const found = pattern.exec(scan.text);
  if (found === null) return undefined;
  scan.at += found[0].length;
  return found;
}

/** True where a text comes next, behind which the scan moves. */
export function takeText(scan: Scan, text: string): boolean {
  const isNext = scan.text.startsWith(text, scan.at);
  if (isNext) scan.at += text.length;
  return isNext;
}

/** The text up to one that closes it, behind which the scan moves; undefined where that does not come. */
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

/** What a function reads, one after the other, to the end of the text; undefined where anything else comes, or nothing does. */
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
