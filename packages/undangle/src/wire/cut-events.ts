import type { Framing } from "./split-events.ts";
import { createListEnds } from "./split-list.ts";

/** Cuts bytes as they come into pieces that end where an event does. */
export interface Cutter {
  /** Gives whole events of what has come to a function, which gives back what it could not take. */
  readonly cut: (bytes: Uint8Array, take: TakeEvents) => void;
  /** Pieces are given away, and whoever gets them may make away with their bytes: what is left is kept from that. */
  readonly part: (from: readonly Uint8Array[]) => void;
  /** How many bytes are left, of an event that has not ended. */
  readonly size: () => number;
  /** What is left. */
  readonly rest: () => Uint8Array;
}

/** Takes bytes that end where an event does; those that were joined from several pieces are only lent. */
export type TakeEvents = (bytes: Uint8Array, isLent: boolean) => Uint8Array | undefined;

export function createCutter(framing: Framing): Cutter {
  const isByLine = framing === "lines";
  const list = framing === "list" ? createListEnds() : undefined;
  let left: Uint8Array[] = []; // of an event that is not whole
  let size = 0; // of that
  let room = new Uint8Array(); // where pieces are joined, one event behind the other

  const isEnd = (bytes: Uint8Array, at: number): boolean => {
    if (bytes[at] !== feed) return false;
    if (isByLine) return true;
    const before = byteAt(bytes, at - 1);
    return before === feed || (before === back && byteAt(bytes, at - 2) === feed);
  };

  /** Also of what came before. */
  const byteAt = (bytes: Uint8Array, at: number): number | undefined => {
    let place = at;
    for (let i = left.length - 1; place < 0 && i >= 0; i--) {
      const piece = left[i];
      if (piece === undefined) return undefined;
      if (place + piece.length >= 0) return piece[place + piece.length];
      place += piece.length;
    }
    return bytes[place];
  };

  const endOfLast = (bytes: Uint8Array): number => {
    if (list !== undefined) return list.last(bytes);
    let at = bytes.lastIndexOf(feed);
    while (at > 0 && !isEnd(bytes, at)) at = bytes.lastIndexOf(feed, at - 1);
    if (at > 0 || (at === 0 && isEnd(bytes, 0))) return at + 1;
    return bytes.includes(back) ? bytes.length : 0; // lines may end with it alone
  };

  const endOfFirst = (bytes: Uint8Array, last: number): number => {
    if (list !== undefined) return list.first();
    let at = bytes.indexOf(feed);
    while (at >= 0 && !isEnd(bytes, at)) at = bytes.indexOf(feed, at + 1);
    return at < 0 ? last : at + 1;
  };

  const takeJoined = (parts: readonly Uint8Array[], take: TakeEvents): void => {
    const length = lengthOf(parts);
    if (room.length < length) room = new Uint8Array(length + spare);
    const rest = take(put(parts, room), true);
    left = rest === undefined ? [] : [new Uint8Array(rest)];
    size = rest?.length ?? 0;
  };

  return {
    cut(bytes, take) {
      const end = endOfLast(bytes);
      let at = 0;
      if (end > 0 && left.length > 0) {
        // The event that has begun is joined, and not all that came with its end: that would be a copy of everything.
        at = endOfFirst(bytes, end);
        takeJoined([...left, bytes.subarray(0, at)], take);
      }
      if (at < end) {
        const whole = end - at === bytes.length ? bytes : bytes.subarray(at, end);
        if (left.length > 0) takeJoined([...left, whole], take);
        else {
          const rest = take(whole, false);
          if (rest !== undefined) left = [rest];
          size = rest?.length ?? 0;
        }
      }
      if (end < bytes.length) left.push(end === 0 ? bytes : bytes.subarray(end));
      size += bytes.length - end;
    },
    part(from) {
      if (left.length > 0) left = left.map((each) => partedFrom(from, each));
    },
    size: () => size,
    rest: () => joined(left),
  };
}

const feed = 0x0a;
const back = 0x0d;

/** Events differ by a few bytes: for those that are a little longer there is room too. */
const spare = 1024;

/** Bytes that others do not share. */
export const partedFrom = (others: readonly Uint8Array[], bytes: Uint8Array): Uint8Array =>
  others.some(({ buffer }) => buffer === bytes.buffer) ? new Uint8Array(bytes) : bytes;

/** Several pieces as one. */
export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [first] = parts;
  if (first !== undefined && parts.length === 1) return first;
  return put(parts, new Uint8Array(lengthOf(parts)));
}

const lengthOf = (parts: readonly Uint8Array[]): number => parts.reduce((sum, part) => sum + part.length, 0);

/** Pieces one behind the other, in the room that is given for them. */
function put(parts: readonly Uint8Array[], room: Uint8Array): Uint8Array {
  let at = 0;
  for (const part of parts) {
    room.set(part, at);
    at += part.length;
  }
  return at === room.length ? room : room.subarray(0, at);
}

/** The same in fewer pieces: small ones are joined, which costs less than to pass each of them on. Large ones are not copied. */
export function gathered(pieces: readonly Uint8Array[]): readonly Uint8Array[] {
  if (pieces.length < 2) return pieces;
  const out: Uint8Array[] = [];
  let small: Uint8Array[] = [];
  let length = 0;
  const flush = (): void => {
    if (small.length > 0) out.push(joined(small));
    small = [];
    length = 0;
  };
  for (const piece of pieces) {
    if (length + piece.length > most) flush();
    if (piece.length > most) out.push(piece);
    else {
      small.push(piece);
      length += piece.length;
    }
  }
  flush();
  return out;
}

const most = 4096;
