import { detachAll } from "./framing.ts";

/**
 * What becomes of a body, event by event. An event passes as the bytes in which it arrived, is held, or is replaced by written text.
 * Unchanged bytes are neither re-encoded nor copied.
 */
export interface OutputBuffer {
  /** Starts a chunk. */
  readonly open: (bytes: Uint8Array) => void;
  /** Selects the event between two indexes of the chunk. */
  readonly select: (start: number, end: number) => void;
  /** Selects a text, which arrived as another one. */
  readonly replace: (text: string, original: string) => void;
  /** Undoes `replace`. */
  readonly restore: () => void;
  /** Passes the selected event. */
  readonly pass: () => void;
  /** Holds the selected event. */
  readonly hold: () => void;
  /** Passes all held events. */
  readonly release: () => void;
  readonly write: (text: string) => void;
  /** Ends a chunk that was processed up to an index; returns the rest. */
  readonly close: (end: number) => Uint8Array | undefined;
  /** Passes all held events and the selected one as they arrived, unless it passed before. */
  readonly passAll: () => void;
  /** The number of held bytes. */
  readonly size: () => number;
  /** The output since the last flush. */
  readonly flush: () => Uint8Array[];
}

/** A part of the chunk. */
interface Range {
  readonly start: number;
  end: number;
}

type Segment = Range | string | Uint8Array;

export function createOutputBuffer(): OutputBuffer {
  const encoder = new TextEncoder();
  let bytes: Uint8Array = new Uint8Array();
  let selected: Range | string = "";
  let original: string | undefined; // of a selected event that is replaced
  let isPlaced = false; // the selected event passed or is held
  let out: Segment[] = [];
  let fresh: Segment[] = []; // held segments of this chunk
  let held: Uint8Array[] = []; // of earlier chunks
  let size = 0; // of `held`
  let detached = 0; // the first segments of `held` that share no memory with earlier output
  let passed: Uint8Array[] = [];

  const add = (list: Segment[]): void => {
    isPlaced = true;
    const last = list.at(-1);
    if (typeof selected === "string") list.push(selected);
    else if (isRange(last) && last.end === selected.start) last.end = selected.end;
    else list.push(selected);
  };

  const bytesOf = (segment: Segment): Uint8Array => {
    if (typeof segment === "string") return encoder.encode(segment);
    if (!isRange(segment)) return segment;
    const { start, end } = segment;
    return end - start === bytes.length ? bytes : bytes.subarray(start, end);
  };

  const release = (): void => {
    for (const segment of held) out.push(segment);
    for (const segment of fresh) out.push(segment);
    held = [];
    size = 0;
    detached = 0;
    fresh = [];
  };

  return {
    open(given) {
      bytes = given;
    },
    select(start, end) {
      selected = { start, end };
      original = undefined;
      isPlaced = false;
    },
    replace(text, given) {
      selected = text;
      original = given;
      isPlaced = false;
    },
    restore() {
      selected = original ?? selected;
    },
    pass: () => add(out),
    hold: () => add(fresh),
    release,
    passAll() {
      const isLeft = !isPlaced;
      release();
      selected = original ?? selected;
      if (isLeft) add(out);
    },
    write(text) {
      if (text !== "") out.push(text);
    },
    close(end) {
      // Output chunks end with events. A client that gets half an event has to copy everything to join it.
      for (const segment of fresh) {
        const more = bytesOf(segment);
        append(held, more);
        size += more.length;
      }
      for (const segment of out) append(passed, bytesOf(segment));
      fresh = [];
      out = [];
      return end === bytes.length ? undefined : bytes.subarray(end);
    },
    size: () => size,
    flush() {
      const all = passed;
      passed = [];
      for (const segment of out) append(all, bytesOf(segment));
      out = [];
      const last = held[held.length - 1];
      if (all.length === 0 || last === undefined) return all;
      // The consumer may transfer (detach) output buffers that held bytes share. The smaller of the two is copied.
      for (let i = 0; i < all.length; i++) {
        const chunk = all[i] ?? last;
        if (chunk.buffer === last.buffer && chunk.length < last.length) all[i] = new Uint8Array(chunk);
      }
      detachAll(held, Math.max(0, detached - 1), all);
      detached = held.length;
      return all;
    },
  };
}

/** Adds bytes, joined with the last ones if they follow them in the same memory. */
function append(chunks: Uint8Array[], chunk: Uint8Array): void {
  const last = chunks[chunks.length - 1];
  if (last === undefined || last.buffer !== chunk.buffer || last.byteOffset + last.length !== chunk.byteOffset)
    chunks.push(chunk);
  else chunks[chunks.length - 1] = new Uint8Array(last.buffer, last.byteOffset, last.length + chunk.length);
}

const isRange = (segment: Segment | undefined): segment is Range => typeof segment === "object" && "start" in segment;
