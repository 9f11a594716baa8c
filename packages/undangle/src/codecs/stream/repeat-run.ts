import { isAt, patternFor, viewOf } from "./byte-pattern.ts";
import type { BytePattern } from "./byte-pattern.ts";
import type { Continuation, Repeatable } from "./decoder.ts";
import { patternOf } from "./repeats.ts";
import type { EventScanner, ScannerFor, ScanPattern } from "./scan-events.ts";
import { quoteBehind, readWritten } from "./written-text.ts";

/** Events, one behind the other, that are the same but for one text in each. */
export interface Run {
  readonly count: number;
  /** The texts of all of them, joined, where they are heard. */
  readonly text: string;
  /** Where each of them ends, in bytes. */
  readonly ends: Int32Array;
}

/** Follows events that repeat a given one. */
export interface RunReader {
  /**
   * Reads the events from an index on that repeat the one that was learned; gives the index behind them, -1 where there is
   * none. Where they are heard, what they say is kept until somebody asks.
   */
  readonly read: (bytes: Uint8Array, from: number, isHeard: boolean) => number;
  /** All events that were read since it was last asked, also those of several pieces, as one; the decoder is told then. */
  readonly told: () => Run | undefined;
  /** Learns from an event as it was sent, with its data and a way to ask the decoder what it says. */
  readonly learn: (raw: string, data: string, describe: () => Repeatable | undefined) => void;
  /** A call has begun: its pieces are known by those of the call before. */
  readonly expect: (next: Continuation) => void;
  /** Something else was read. */
  readonly forget: () => void;
}

/** How many events in a row may be learned from in vain before only one in 64 is. */
const patience = 16;

/** Patterns differ by a few bytes: for those that are a little longer there is room too. */
const spare = 1024;

export function createRunReader(scannerFor: ScannerFor): RunReader {
  const encoder = new TextEncoder();
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let room = new Uint8Array(); // where patterns are made
  let pattern: EventPattern | undefined;
  let written: ScanPattern = [room, 0, 0]; // the same, as bytes
  let again: Repeatable["again"] = () => undefined;
  let piece: WrittenPiece | undefined; // the last event with a piece of a call
  let useless = 0;
  let isHeld = false; // what was read is heard
  let heldBytes = new Uint8Array(0); // what the events say
  let held = viewOf(heldBytes); // the same
  let ends = new Int32Array(0); // where each text ends in it
  const marks = new Int32Array(3); // how long that is, how many they are, and where the bytes end that are read

  /** From here on events are compared with this one. */
  const follow = ({ before, behind, again: hear }: WrittenEvent): void => {
    const most = 3 * (behind.length + before.length); // a character has up to three bytes
    if (room.length < most) room = new Uint8Array(most + spare);
    const middle = encoder.encodeInto(behind, room).written;
    const end = middle + encoder.encodeInto(before, room.subarray(middle)).written;
    const view = viewOf(room);
    const [head, between] = [patternFor(view, middle, end), patternFor(view, 0, end)];
    pattern = head && between && [head, end - middle, [...room.subarray(0, middle)], between];
    written = [room, end, middle];
    again = hear;
  };

  /** Makes room for what so many bytes may say. */
  const reserve = (bytes: number, [, headLength]: EventPattern): void => {
    const length = marks[0] ?? 0;
    const count = marks[1] ?? 0;
    if (heldBytes.length < length + bytes) {
      const more = new Uint8Array(2 * length + bytes);
      more.set(heldBytes.subarray(0, length));
      heldBytes = more;
      held = viewOf(more);
    }
    const events = count + Math.ceil(bytes / headLength);
    if (ends.length >= events) return;
    const more = new Int32Array(2 * events);
    more.set(ends.subarray(0, count));
    ends = more;
  };

  /** Reads what can be read sixteen bytes at a time; gives the index behind it. */
  const scanFast = (scanner: EventScanner, bytes: Uint8Array, view: DataView, from: number): number => {
    const [head = [], headLength = 0] = pattern ?? [];
    let at = from;
    while (bytes.length - at > headLength && isAt(head, headLength, view, at)) {
      const length = marks[0] ?? 0;
      const events = marks[1] ?? 0;
      const end = scanner.scan(bytes, at + headLength, written, length);
      if (end < 0) break;
      at = end;
      marks[1] = events + scanner.count();
      if (!isHeld) continue;
      const said = scanner.text();
      heldBytes.set(said, length);
      ends.set(scanner.ends(), events);
      marks[0] = length + said.length;
    }
    return at;
  };

  return {
    read(bytes, from, isHeard) {
      if (pattern === undefined) return -1;
      if (isHeard) reserve(bytes.length - from, pattern);
      isHeld = isHeard;
      const view = viewOf(bytes);
      const scanner = scannerFor(bytes.length - from);
      const start = scanner === undefined ? from : scanFast(scanner, bytes, view, from);
      const end = isHeard ? scan(pattern, view, start, [marks, held, ends]) : skim(pattern, view, start, marks);
      if (end === from) return -1;
      useless = 0;
      return end;
    },
    told() {
      const length = marks[0] ?? 0;
      const count = marks[1] ?? 0;
      if (count === 0) return undefined;
      marks.fill(0);
      if (!isHeld) return { count, text: "", ends: ends.slice(0, 0) };
      const text = decoder.decode(heldBytes.subarray(0, length));
      again(text);
      return { count, text, ends: ends.slice(0, count) };
    },
    learn(raw, sent, describe) {
      pattern = undefined;
      if (useless++ >= patience && useless % 64 !== 0) return;
      const repeatable = describe();
      const found = repeatable && patternOf(sent, undefined, repeatable);
      if (repeatable === undefined || found === undefined) return;
      const at = raw.indexOf(sent);
      // Only an event in one line, with a blank one behind it and no other sign for a line's end.
      if (at < 0 || raw.slice(at + sent.length) !== "\n\n" || raw.includes("\r")) return;
      const event = { before: raw.slice(0, at) + found.head, behind: `${found.tail}\n\n`, again: found.again };
      follow(event);
      const { index, key } = repeatable;
      if (index !== undefined) piece = { ...event, index, key };
    },
    expect(next) {
      const before = piece?.key === next.key ? withIndex(piece, next.index) : undefined;
      if (piece === undefined || before === undefined) return;
      piece = { ...next, before, behind: piece.behind };
      follow(piece);
    },
    forget() {
      pattern = undefined;
    },
  };
}

/** An event as it is written around its text. */
interface WrittenEvent extends Pick<Repeatable, "again"> {
  /** Up to the quote that opens the text. */
  readonly before: string;
  /** From the quote that closes it on. */
  readonly behind: string;
}

type WrittenPiece = WrittenEvent & Continuation;

/** What stands before the text when the index is another one; undefined where its place is not certain. */
function withIndex({ before, behind, index }: WrittenPiece, other: number): string | undefined {
  const key = '"index"';
  const at = before.indexOf(key);
  const written = `${key}:${index},`;
  const isAlone = before.lastIndexOf(key) === at && !behind.includes(key);
  if (!isAlone || !before.startsWith(written, at)) return undefined;
  return `${before.slice(0, at)}${key}:${other},${before.slice(at + written.length)}`;
}

// What every event goes through has arrays and numbers, and no objects: code that was made fast for the shape of an object is
// thrown away by a collection while there is none of them, which is between any two streams.

/** An event with a hole in it. */
type EventPattern = readonly [
  /** Up to the quote that opens the text. */
  head: BytePattern,
  headLength: number,
  /** From the quote that closes it on. */
  tail: readonly number[],
  /** From the quote that closes the text of one event to the one that opens that of the next. */
  between: BytePattern,
];

/** How long what was heard is, how many events there were and where the bytes end; what they said and where each text ends. */
type Heard = readonly [marks: Int32Array, held: DataView, ends: Int32Array];

/** Reads the events from an index on; gives the index behind them. */
function scan([head, headLength, tail, between]: EventPattern, view: DataView, from: number, heard: Heard): number {
  const [marks, held, ends] = heard;
  const step = tail.length + headLength;
  const size = view.byteLength; // asked for once: it is a call, even in fast code
  marks[2] = size;
  const last = size - step; // the last place at which there is room for it
  let count = marks[1] ?? 0;
  let end = from;
  let start = from + headLength > size || !isAt(head, headLength, view, from) ? -1 : from + headLength;
  while (start >= 0) {
    const length = marks[0] ?? 0;
    const quote = readWritten(view, start, held, marks);
    if (quote < 0) break;
    const hasNext = quote <= last && isAt(between, step, view, quote);
    if (!hasNext && !hasBytes(view, tail, quote)) {
      marks[0] = length;
      break;
    }
    ends[count++] = marks[0] ?? 0;
    end = quote + tail.length;
    start = hasNext ? quote + step : -1;
  }
  marks[1] = count;
  return end;
}

/** The same for events that nobody hears: apart, because what does both is too large to be compiled into one piece. */
function skim(
  [head, headLength, tail, between]: EventPattern,
  view: DataView,
  from: number,
  marks: Int32Array,
): number {
  const step = tail.length + headLength;
  const size = view.byteLength;
  const last = size - step;
  let count = marks[1] ?? 0;
  let end = from;
  let start = from + headLength > size || !isAt(head, headLength, view, from) ? -1 : from + headLength;
  while (start >= 0) {
    const quote = quoteBehind(view, start, size);
    const hasNext = quote >= 0 && quote <= last && isAt(between, step, view, quote);
    if (!hasNext && (quote < 0 || !hasBytes(view, tail, quote))) break;
    count++;
    end = quote + tail.length;
    start = hasNext ? quote + step : -1;
  }
  marks[1] = count;
  return end;
}

/** True when bytes stand at a place. */
function hasBytes(view: DataView, wanted: readonly number[], at: number): boolean {
  if (at + wanted.length > view.byteLength) return false;
  for (let i = 0; i < wanted.length; i++) if (view.getUint8(at + i) !== wanted[i]) return false;
  return true;
}

/** A text in the pieces that end at these places of its bytes; in one piece where bytes were none of any text. */
export function parted(text: string, ends: Int32Array): readonly string[] {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length !== ends.at(-1)) return [text];
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return Array.from(ends, (end, i) => decoder.decode(bytes.subarray(ends[i - 1] ?? 0, end)));
}
