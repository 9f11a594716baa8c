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

/** Takes bytes that end where an event does; gives those that are left because it does not. */
export type TakeEvents = (bytes: Uint8Array) => Uint8Array | undefined;

export function createCutter(framing: Framing): Cutter {
  const isByLine = framing === "lines";
  const list = framing === "list" ? createListEnds() : undefined;
  let left: Uint8Array[] = []; // of an event that is not whole
  let size = 0; // of that

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
    return !isByLine && hasBlankByReturn(bytes) ? bytes.length : 0;
  };

  /** True where a blank line may end with a return alone; all that is left is looked at then, which no other line is worth. */
  const hasBlankByReturn = (bytes: Uint8Array): boolean => {
    if (byteAt(bytes, -1) === back && byteAt(bytes, -2) === feed) return true; // and no feed has followed
    for (let at = bytes.indexOf(back); at >= 0; at = bytes.indexOf(back, at + 1)) {
      const before = byteAt(bytes, at - 1);
      if (before === feed || before === back) return true;
    }
    return false;
  };

  const endOfFirst = (bytes: Uint8Array, last: number): number => {
    if (list !== undefined) return list.first();
    let at = bytes.indexOf(feed);
    while (at >= 0 && !isEnd(bytes, at)) at = bytes.indexOf(feed, at + 1);
    return at < 0 ? last : at + 1;
  };

  const keep = (rest: Uint8Array | undefined): void => {
    left = rest === undefined ? [] : [rest];
    size = rest?.length ?? 0;
  };

  return {
    cut(bytes, take) {
      const end = endOfLast(bytes);
      let at = 0;
      if (end > 0 && size > 0) {
        // The event that has begun is joined, and not all that came with its end: that would be a copy of everything.
        at = endOfFirst(bytes, end);
        keep(take(joined([...left, bytes.subarray(0, at)])));
      }
      if (at < end) {
        const whole = end - at === bytes.length ? bytes : bytes.subarray(at, end);
        keep(take(size > 0 ? joined([...left, whole]) : whole));
      }
      if (end === bytes.length) return;
      left.push(end === 0 ? bytes : bytes.subarray(end));
      size += bytes.length - end;
    },
    part(from) {
      partAll(left, 0, from);
    },
    size: () => size,
    rest: () => joined(left),
  };
}

const feed = 0x0a;
const back = 0x0d;

/** Bytes that others do not share. */
export function partedFrom(others: readonly Uint8Array[], bytes: Uint8Array): Uint8Array {
  const { buffer } = bytes;
  for (const other of others) if (other.buffer === buffer) return new Uint8Array(bytes);
  return bytes;
}

/** The same for pieces from an index on. */
export function partAll(pieces: Uint8Array[], start: number, others: readonly Uint8Array[]): void {
  const given = others.length > few ? new Set(others.map(({ buffer }) => buffer)) : undefined;
  for (let i = start; i < pieces.length; i++) {
    const piece = pieces[i];
    if (piece === undefined) continue;
    if (given === undefined) pieces[i] = partedFrom(others, piece);
    else if (given.has(piece.buffer)) pieces[i] = new Uint8Array(piece);
  }
}

/** So many are looked at one by one: where all is written anew there are thousands, and thousands wait. */
const few = 8;

/** Several pieces as one. */
export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [first] = parts;
  if (first !== undefined && parts.length === 1) return first;
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
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
