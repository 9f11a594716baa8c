/** What ends a line. */
export type LineEnd = "LF" | "CRLF" | "CR";

/** How the lines of a text end, so that it can be rebuilt from its lines. */
export interface LineEnds {
  /** The end of all lines. Undefined if there is none. */
  readonly kind: LineEnd | "mixed" | undefined;
  /** True if the last line has no end. */
  readonly isOpen: boolean;
}

export function lineEndsOf(text: string): LineEnds {
  const isOpen = text !== "" && !/[\r\n]$/u.test(text);
  if (!text.includes("\r")) return { kind: text.includes("\n") ? "LF" : undefined, isOpen };
  const kinds = new Set<LineEnd>();
  for (const [end] of text.matchAll(/\r\n?|\n/gu)) {
    kinds.add(kindOf(end));
    if (kinds.size > 1) return { kind: "mixed", isOpen };
  }
  const [kind] = kinds;
  return { kind, isOpen };
}

const kindOf = (end: string): LineEnd => (end === "\n" ? "LF" : end === "\r" ? "CR" : "CRLF");

/** The ends of lines of a page. */
export interface PageEnds {
  /** Numbers of lines by their end, such as `1-3, 5`. All others end with LF. */
  readonly ends: Readonly<Record<"CRLF" | "CR", string>>;
  /** How many lines they are about: fewer than requested if the list would be too long. */
  readonly lines: number;
}

/** The longest list of line numbers. */
const listLength = 200;

/** The ends of lines from an offset, if those of the text differ. */
export function endsOfPage(
  text: string,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): PageEnds | undefined {
  if (lineEndsOf(text).kind !== "mixed") return undefined;
  const ranges: Readonly<Record<"CRLF" | "CR", [first: number, last: number][]>> = { CRLF: [], CR: [] };
  const shown = (kind: "CRLF" | "CR"): string =>
    ranges[kind].map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(", ");
  const list = (): PageEnds["ends"] => ({ CRLF: shown("CRLF"), CR: shown("CR") });
  let ends = list();
  let number = 0;
  for (const [end] of text.matchAll(/\r\n?|\n/gu)) {
    number++;
    if (number <= offset) continue;
    if (number > offset + limit) break;
    const kind = kindOf(end);
    if (kind === "LF") continue;
    const last = ranges[kind].at(-1);
    if (last?.[1] === number - 1) last[1] = number;
    else ranges[kind].push([number, number]);
    const next = list();
    if (next.CRLF.length + next.CR.length > listLength) return { ends, lines: number - 1 - offset };
    ends = next;
  }
  return { ends, lines: limit };
}
