import type { EndOfEvent } from "./split-events.ts";

/** Where the objects of a list end, in bytes that come piece by piece. */
export interface ListEnds {
  /** The index behind the last one that ends in the bytes that come next; 0 for none. */
  readonly last: (bytes: Uint8Array) => number;
  /** That behind the first one in the same bytes. */
  readonly first: () => number;
}

export function createListEnds(): ListEnds {
  const next = createScan();
  let first = 0;
  return {
    last(bytes) {
      first = 0;
      let last = 0;
      for (let end = next(bytes, 0); end >= 0; end = next(bytes, end)) {
        if (first === 0) first = end;
        last = end;
      }
      return last;
    },
    first: () => first,
  };
}

/** Behind the object that comes next, with whatever stands before it. */
export const endOfObject: EndOfEvent = (bytes, from) => createScan()(bytes, from);

/** Follows the braces of a text; gives the index behind the one that closes an object, -1 where it has not come yet. */
function createScan(): EndOfEvent {
  let depth = 0;
  let inString = false;
  let isEscaped = false;
  return (bytes, from) => {
    for (let at = from; at < bytes.length; at++) {
      const code = bytes[at];
      if (isEscaped) isEscaped = false;
      else if (inString) {
        if (code === backslash) isEscaped = true;
        else if (code === quote) inString = false;
      } else if (code === quote) inString = depth > 0;
      else if (code === brace) depth++;
      else if (code === closing && depth > 0 && --depth === 0) return at + 1;
    }
    return -1;
  };
}

/** The index at which the object of a piece begins. */
export const startOfObject = (bytes: Uint8Array, from: number): number => bytes.indexOf(brace, from);

/** The index behind the bracket that opens a list; 0 where it has not come yet. */
export const endOfOpening = (bytes: Uint8Array): number => bytes.indexOf(bracket) + 1;

/** How many commas stand between two indexes; -1 where there is something else than those and blanks. */
export function commasIn(bytes: Uint8Array, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at++) {
    const code = bytes[at] ?? 0;
    if (code === comma) count++;
    else if (!blanks.includes(code)) return -1;
  }
  return count;
}

/** What stands behind the last object: pieces of another one, or what is no part of a list, and then the end of the list. */
export function partsOfRest(rest: string): readonly [junk: string, end: string] {
  const bare = rest.trimEnd();
  const isClosed = bare.endsWith("]") && !rest.includes("{");
  const junk = isClosed ? bare.slice(0, -1).trimEnd() : rest;
  const end = rest.slice(junk.length);
  return junk.trim() === "" ? ["", rest] : [junk, end];
}

const [quote, backslash, comma, bracket, brace, closing] = [0x22, 0x5c, 0x2c, 0x5b, 0x7b, 0x7d];
const blanks: readonly number[] = [0x20, 0x09, 0x0a, 0x0d];
