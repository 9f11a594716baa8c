/**
 * What becomes of a body, piece by piece: a piece passes as the bytes in which it came, or waits, or something is written.
 * Bytes are not made anew where they have not changed, nor are they copied.
 */
export interface Passage {
  /** The piece that is looked at passes. */
  readonly pass: () => void;
  /** It waits. */
  readonly wait: () => void;
  /** All that waits passes. */
  readonly release: () => void;
  readonly write: (text: string) => void;
  /** The piece that is looked at is what it came as, and not what was given in its place. */
  readonly undo: () => void;
}

/** The side of a passage on which a body comes. */
export interface Entrance extends Passage {
  /** Bytes have come, and are this text. */
  readonly open: (bytes: Uint8Array, text: string) => void;
  /** The piece between two indexes of the text is looked at. */
  readonly at: (start: number, end: number) => void;
  /** A piece is looked at that did not come like this, but as another text. */
  readonly give: (text: string, came: string) => void;
  /** Up to an index of the text everything was looked at; gives the bytes that are left. */
  readonly close: (end: number) => Uint8Array | undefined;
  /** What passes. */
  readonly flush: () => Uint8Array[];
}

/** A part of the text, which ends where an event does. */
interface Range {
  readonly start: number;
  end: number;
}

type Piece = Range | string | Uint8Array;

export function createPassage(): Entrance {
  const encoder = new TextEncoder();
  let bytes: Uint8Array = new Uint8Array();
  let text = "";
  let piece: Range | string = "";
  let came: string | undefined; // what the piece was, where it is another one
  let out: Piece[] = [];
  let waiting: Uint8Array[] = []; // of bytes that came before
  let fresh: Piece[] = []; // what waits of these
  let passed: Uint8Array[] = [];

  const add = (list: Piece[]): void => {
    const last = list.at(-1);
    if (typeof piece === "string") list.push(piece);
    else if (isRange(last) && last.end === piece.start) last.end = piece.end;
    else list.push(piece);
  };

  const bytesOf = (each: Piece): Uint8Array => {
    if (typeof each === "string") return encoder.encode(each);
    if (!isRange(each)) return each;
    if (each.start === 0 && each.end === text.length) return bytes;
    if (bytes.length === text.length) return bytes.subarray(each.start, each.end); // a byte for each sign
    return encoder.encode(text.slice(each.start, each.end));
  };

  return {
    open(given, written) {
      bytes = given;
      text = written;
    },
    at(start, end) {
      piece = { start, end };
      came = undefined;
    },
    give(given, original) {
      piece = given;
      came = original;
    },
    undo() {
      piece = came ?? piece;
    },
    pass: () => add(out),
    wait: () => add(fresh),
    release() {
      for (const each of waiting) out.push(each);
      for (const each of fresh) out.push(each);
      waiting = [];
      fresh = [];
    },
    write(written) {
      if (written !== "") out.push(written);
    },
    close(end) {
      // Whoever gets the bytes may make away with them, and with what waits or is left.
      const isShared = out.some(isRange);
      const left = end === text.length ? undefined : bytes.subarray(offsetOf(end, text, bytes));
      for (const each of fresh) waiting.push(isShared ? bytesOf(each).slice() : bytesOf(each));
      for (const each of out) passed.push(bytesOf(each));
      fresh = [];
      out = [];
      return isShared ? left?.slice() : left;
    },
    flush() {
      const all = passed;
      passed = [];
      for (const each of out) all.push(bytesOf(each));
      out = [];
      return all;
    },
  };
}

const isRange = (given: Piece | undefined): given is Range => typeof given === "object" && "start" in given;

/** The place in the bytes of an index of their text which is behind a line: found from the end, where little is left. */
function offsetOf(index: number, text: string, bytes: Uint8Array): number {
  if (bytes.length === text.length) return index;
  let lines = index === 0 ? Infinity : 1;
  for (let at = index; at < text.length; at++) if (isBreak(text.charCodeAt(at))) lines++;
  let offset = bytes.length;
  while (offset > 0) if (isBreak(bytes[--offset] ?? 0) && --lines === 0) return offset + 1;
  return 0;
}

const isBreak = (code: number): boolean => code === 0x0a || code === 0x0d;
