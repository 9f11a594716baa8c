import { isAt, patternFor, viewOf } from "./byte-pattern.ts";
import type { BytePattern } from "./byte-pattern.ts";
import type { Repeatable } from "./decoder.ts";
import { patternOf } from "./repeats.ts";
import { quoteBehind, readWritten } from "./written-text.ts";

/** Events, one behind the other, that are the same but for one text in each. */
export interface Run {
  /** The index behind the last of them. */
  readonly end: number;
  readonly count: number;
  /** The texts of all of them, joined, where they are heard. */
  readonly text: string;
  /** The same, one by one. */
  readonly texts: () => readonly string[];
}

/** Follows events that repeat a given one. */
export interface RunReader {
  /**
   * Reads the events from an index on that repeat the one that was learned; undefined when there is none. What they say is
   * told as one text, where it is heard.
   */
  readonly read: (bytes: Uint8Array, from: number, isHeard: boolean) => Run | undefined;
  /** Learns from an event as it was sent, with its data and a way to ask the decoder what it says. */
  readonly learn: (raw: string, data: string, describe: () => Repeatable | undefined) => void;
  /** Something else was read. */
  readonly forget: () => void;
}

/** How many events in a row may be learned from in vain before only one in 64 is. */
const patience = 16;

export function createRunReader(): RunReader {
  const encoder = new TextEncoder();
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let pattern: EventPattern | undefined;
  let again: Repeatable["again"] = () => undefined;
  let useless = 0;
  let held: Uint8Array = new Uint8Array(); // what the events say, where it is heard

  return {
    read(bytes, from, isHeard) {
      if (pattern === undefined) return undefined;
      if (isHeard && held.length < bytes.length) held = new Uint8Array(bytes.length);
      const ends: number[] = [];
      const end = scan(pattern, bytes, from, [ends, isHeard ? held : undefined]);
      if (end === from) return undefined;
      useless = 0;
      const last = ends[ends.length - 1] ?? 0;
      if (!isHeard) return { end, count: last, text: "", texts: () => [] };
      const text = decoder.decode(held.subarray(0, last));
      again(text);
      return { end, count: ends.length, text, texts: () => parted(text, ends) };
    },
    learn(raw, sent, describe) {
      pattern = undefined;
      if (useless++ >= patience && useless % 64 !== 0) return;
      const repeatable = describe();
      const found = repeatable && patternOf(sent, undefined, repeatable);
      const at = found === undefined ? -1 : raw.indexOf(sent);
      // Only an event in one line, with a blank one behind it and no other sign for a line's end.
      if (found === undefined || at < 0 || raw.slice(at + sent.length) !== "\n\n" || raw.includes("\r")) return;
      const before = raw.slice(0, at) + found.head;
      const behind = `${found.tail}\n\n`;
      const opening = encoder.encode(before);
      const [head, between] = [patternFor(opening), patternFor(encoder.encode(behind + before))];
      if (head === undefined || between === undefined) return;
      pattern = [head, opening.length, encoder.encode(behind), between];
      again = found.again;
    },
    forget() {
      pattern = undefined;
    },
  };
}

// What every event goes through has arrays and numbers, and no objects: code that was made fast for the shape of an object is
// thrown away by a collection while there is none of them, which is between any two streams.

/** An event with a hole in it. */
type EventPattern = readonly [
  /** Up to the quote that opens the text. */
  head: BytePattern,
  headLength: number,
  /** From the quote that closes it on. */
  tail: Uint8Array,
  /** From the quote that closes the text of one event to the one that opens that of the next. */
  between: BytePattern,
];

/** Where each text ends in the bytes that hold all of them; where they are not heard, only how many they are. */
type Heard = readonly [ends: number[], held: Uint8Array | undefined];

/** Reads the events from an index on; gives the index behind them. */
function scan(pattern: EventPattern, bytes: Uint8Array, from: number, heard: Heard): number {
  const [head, headLength, tail, between] = pattern;
  const [ends, held] = heard;
  const step = tail.length + headLength;
  const last = bytes.length - step; // the last place at which there is room for it
  const first = from + headLength;
  const view = viewOf(bytes);
  let count = 0;
  let end = from;
  let start = first > bytes.length || !isAt(head, headLength, view, from) ? -1 : first;
  while (start >= 0) {
    const quote = held === undefined ? quoteBehind(bytes, start) : readWritten(bytes, start, held, ends);
    if (quote < 0) break;
    const hasNext = quote <= last && isAt(between, step, view, quote);
    if (!hasNext && !hasBytes(bytes, tail, quote)) {
      if (held !== undefined) ends.pop();
      break;
    }
    count++;
    end = quote + tail.length;
    start = hasNext ? quote + step : -1;
  }
  if (held === undefined) ends.push(count);
  return end;
}

/** True when bytes stand at a place. */
function hasBytes(bytes: Uint8Array, wanted: Uint8Array, at: number): boolean {
  for (let i = 0; i < wanted.length; i++) if (bytes[at + i] !== wanted[i]) return false;
  return true;
}

/** A text in the pieces that end at these places of its bytes; in one piece where bytes were none of any text. */
function parted(text: string, ends: readonly number[]): readonly string[] {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length !== ends.at(-1)) return [text];
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return ends.map((end, i) => decoder.decode(bytes.subarray(ends[i - 1] ?? 0, end)));
}
