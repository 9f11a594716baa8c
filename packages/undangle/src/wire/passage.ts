import { partAll } from "./cut-events.ts";

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
  /** Bytes have come. */
  readonly open: (bytes: Uint8Array) => void;
  /** The piece between two indexes of the bytes is looked at. */
  readonly at: (start: number, end: number) => void;
  /** A piece is looked at that did not come like this, but as another text. */
  readonly give: (text: string, came: string) => void;
  /** Up to an index everything was looked at; gives the bytes that are left. */
  readonly close: (end: number) => Uint8Array | undefined;
  /** The piece that is looked at, and all that waits, pass as they came. */
  readonly letGo: () => void;
  /** How many bytes wait. */
  readonly size: () => number;
  /** What passes. */
  readonly flush: () => Uint8Array[];
}

/** A part of the bytes. */
interface Range {
  readonly start: number;
  end: number;
}

type Piece = Range | string | Uint8Array;

export function createPassage(): Entrance {
  const encoder = new TextEncoder();
  let bytes: Uint8Array = new Uint8Array();
  let piece: Range | string = "";
  let came: string | undefined; // what the piece was, where it is another one
  let out: Piece[] = [];
  let waiting: Uint8Array[] = []; // of bytes that came before
  let size = 0; // of those
  let safe = 0; // so many of them were so when others were given away
  let fresh: Piece[] = []; // what waits of these
  let passed: Uint8Array[] = [];
  let isPlaced = false; // the piece passes or waits

  const add = (list: Piece[]): void => {
    isPlaced = true;
    const last = list.at(-1);
    if (typeof piece === "string") list.push(piece);
    else if (isRange(last) && last.end === piece.start) last.end = piece.end;
    else list.push(piece);
  };

  const bytesOf = (each: Piece): Uint8Array => {
    if (typeof each === "string") return encoder.encode(each);
    if (!isRange(each)) return each;
    const { start, end } = each;
    return end - start === bytes.length ? bytes : bytes.subarray(start, end);
  };

  const release = (): void => {
    for (const each of waiting) out.push(each);
    for (const each of fresh) out.push(each);
    waiting = [];
    size = 0;
    safe = 0;
    fresh = [];
  };

  return {
    open(given) {
      bytes = given;
    },
    at(start, end) {
      piece = { start, end };
      came = undefined;
      isPlaced = false;
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
    release,
    letGo() {
      const isLeft = !isPlaced;
      release();
      if (isLeft) add(out);
    },
    write(written) {
      if (written !== "") out.push(written);
    },
    close(end) {
      // Pieces end where events do, also where one was cut in two: a client that gets half an event copies all to join it.
      for (const each of fresh) {
        const more = bytesOf(each);
        append(waiting, more);
        size += more.length;
      }
      for (const each of out) append(passed, bytesOf(each));
      fresh = [];
      out = [];
      return end === bytes.length ? undefined : bytes.subarray(end);
    },
    size: () => size,
    flush() {
      const all = passed;
      passed = [];
      for (const each of out) append(all, bytesOf(each));
      out = [];
      const last = waiting[waiting.length - 1];
      if (all.length === 0 || last === undefined) return all;
      // Whoever gets the bytes may make away with them, and with what waits: the smaller of the two is copied.
      for (let i = 0; i < all.length; i++) {
        const each = all[i] ?? last;
        if (each.buffer === last.buffer && each.length < last.length) all[i] = new Uint8Array(each);
      }
      partAll(waiting, Math.max(0, safe - 1), all);
      safe = waiting.length;
      return all;
    },
  };
}

/** Adds a piece, which is one with the piece before where it follows that in the same memory. */
function append(pieces: Uint8Array[], piece: Uint8Array): void {
  const last = pieces[pieces.length - 1];
  if (last === undefined || last.buffer !== piece.buffer || last.byteOffset + last.length !== piece.byteOffset)
    pieces.push(piece);
  else pieces[pieces.length - 1] = new Uint8Array(last.buffer, last.byteOffset, last.length + piece.length);
}

const isRange = (given: Piece | undefined): given is Range => typeof given === "object" && "start" in given;
