import { createObjectEnds, endOfObject } from "./json-array-framing.ts";

/** How a body is split into events: at blank lines, at line ends, or at the objects of a JSON array. */
export type Framing = "events" | "lines" | "list";

/** The index after the event that starts at an index; -1 if its end has not arrived. */
export type EndOfEvent = (bytes: Uint8Array, from: number) => number;

export const endOfEventIn: Readonly<Record<Framing, EndOfEvent>> = {
  events: endOfSseEvent,
  lines: (bytes, from) => bytes.indexOf(feed, from) + 1 || -1,
  list: endOfObject,
};

const feed = 0x0a;
const back = 0x0d;

/** The index after the first blank line, with any kind of line end. */
function endOfSseEvent(bytes: Uint8Array, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    const code = bytes[at] ?? 0;
    if (code > back) continue;
    if (code === back) return endWithReturns(bytes, Math.max(0, from - 1));
    if (code === feed && bytes[at + 1] === feed) return at + 2;
  }
  return -1;
}

/** The same for lines that end with carriage returns. */
function endWithReturns(bytes: Uint8Array, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    const length = blankLineAt(bytes, at);
    if (length > 0) return bytes[at] === feed && at + 2 === bytes.length && bytes[at + 1] === back ? -1 : at + length; // a line feed may follow
  }
  return -1;
}

/** The number of bytes of a line end and the blank line after it; 0 if there is no blank line at the index. */
function blankLineAt(bytes: Uint8Array, at: number): number {
  const [first, second, third] = [bytes[at], bytes[at + 1], bytes[at + 2]];
  if (first === feed) return second === feed ? 2 : second === back ? (third === feed ? 3 : 2) : 0;
  if (first !== back) return 0;
  if (second === back) return third === feed ? 0 : 2;
  if (second !== feed) return 0;
  return third === feed ? 3 : third === back && bytes[at + 3] === feed ? 4 : 0;
}

/** Collects chunks until they contain complete events. */
export interface EventSplitter {
  /** Passes complete events to a function, which returns the bytes that it did not take. */
  readonly split: (bytes: Uint8Array, take: TakeEvents) => void;
  /** Copies the remainder if it shares memory with chunks that are given away: the consumer may transfer (detach) their buffers. */
  readonly detach: (given: readonly Uint8Array[]) => void;
  /** The number of bytes of the incomplete event. */
  readonly size: () => number;
  /** The bytes of the incomplete event. */
  readonly rest: () => Uint8Array;
}

/** Takes bytes that end with an event; returns what it did not take. */
export type TakeEvents = (bytes: Uint8Array) => Uint8Array | undefined;

export function createEventSplitter(framing: Framing): EventSplitter {
  const isByLine = framing === "lines";
  const objects = framing === "list" ? createObjectEnds() : undefined;
  let left: Uint8Array[] = [];
  let size = 0;

  const isEnd = (bytes: Uint8Array, at: number): boolean => {
    if (bytes[at] !== feed) return false;
    if (isByLine) return true;
    const before = byteAt(bytes, at - 1);
    return before === feed || (before === back && byteAt(bytes, at - 2) === feed);
  };

  /** A negative index is one in the remainder. */
  const byteAt = (bytes: Uint8Array, at: number): number | undefined => {
    let place = at;
    for (let i = left.length - 1; place < 0 && i >= 0; i--) {
      const chunk = left[i];
      if (chunk === undefined) return undefined;
      if (place + chunk.length >= 0) return chunk[place + chunk.length];
      place += chunk.length;
    }
    return bytes[place];
  };

  const endOfLast = (bytes: Uint8Array): number => {
    if (objects !== undefined) return objects.last(bytes);
    let at = bytes.lastIndexOf(feed);
    while (at > 0 && !isEnd(bytes, at)) at = bytes.lastIndexOf(feed, at - 1);
    if (at > 0 || (at === 0 && isEnd(bytes, 0))) return at + 1;
    return !isByLine && hasBlankByReturn(bytes) ? bytes.length : 0;
  };

  /** True if a blank line may end with a carriage return alone. Then the whole remainder is examined. */
  const hasBlankByReturn = (bytes: Uint8Array): boolean => {
    if (byteAt(bytes, -1) === back && byteAt(bytes, -2) === feed) return true; // and no line feed followed
    for (let at = bytes.indexOf(back); at >= 0; at = bytes.indexOf(back, at + 1)) {
      const before = byteAt(bytes, at - 1);
      if (before === feed || before === back) return true;
    }
    return false;
  };

  const endOfFirst = (bytes: Uint8Array, last: number): number => {
    if (objects !== undefined) return objects.first();
    let at = bytes.indexOf(feed);
    while (at >= 0 && !isEnd(bytes, at)) at = bytes.indexOf(feed, at + 1);
    return at < 0 ? last : at + 1;
  };

  const keep = (rest: Uint8Array | undefined): void => {
    left = rest === undefined ? [] : [rest];
    size = rest?.length ?? 0;
  };

  return {
    split(bytes, take) {
      const end = endOfLast(bytes);
      let at = 0;
      if (end > 0 && size > 0) {
        // Only the first event is joined with the remainder. Joining everything would copy the whole chunk.
        at = endOfFirst(bytes, end);
        keep(take(concat([...left, bytes.subarray(0, at)])));
      }
      if (at < end) {
        const whole = end - at === bytes.length ? bytes : bytes.subarray(at, end);
        keep(take(size > 0 ? concat([...left, whole]) : whole));
      }
      if (end === bytes.length) return;
      left.push(end === 0 ? bytes : bytes.subarray(end));
      size += bytes.length - end;
    },
    detach(given) {
      detachAll(left, 0, given);
    },
    size: () => size,
    rest: () => concat(left),
  };
}

/** Copies the chunks from an index on that share memory with chunks that are given away. */
export function detachAll(chunks: Uint8Array[], start: number, given: readonly Uint8Array[]): void {
  const buffers = new Set(given.map(({ buffer }) => buffer));
  for (let i = start; i < chunks.length; i++) {
    const chunk = chunks[i];
    if (chunk !== undefined && buffers.has(chunk.buffer)) chunks[i] = new Uint8Array(chunk);
  }
}

/** Several chunks as one. A single chunk is not copied. */
export function concat(chunks: readonly Uint8Array[]): Uint8Array {
  const [first] = chunks;
  if (first !== undefined && chunks.length === 1) return first;
  const all = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

/** Joins small chunks, because passing on each of them costs more than copying. Large chunks are not copied. */
export function coalesce(chunks: readonly Uint8Array[]): readonly Uint8Array[] {
  if (chunks.length < 2) return chunks;
  const out: Uint8Array[] = [];
  let small: Uint8Array[] = [];
  let length = 0;
  const flush = (): void => {
    if (small.length > 0) out.push(concat(small));
    small = [];
    length = 0;
  };
  for (const chunk of chunks) {
    if (length + chunk.length > largestCopied) flush();
    if (chunk.length > largestCopied) out.push(chunk);
    else {
      small.push(chunk);
      length += chunk.length;
    }
  }
  flush();
  return out;
}

const largestCopied = 4096;
