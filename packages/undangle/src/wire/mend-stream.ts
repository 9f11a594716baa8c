import type { Cleaner, StreamCleaner } from "#codecs";

import { askedIn } from "./asked-in.ts";
import type { Exchange } from "./mend-response.ts";
import { createMender } from "./mender.ts";
import type { Mender } from "./mender.ts";
import { createPassage } from "./passage.ts";
import { createCutter, gathered, joined } from "./cut-events.ts";
import type { TakeEvents } from "./cut-events.ts";
import { createListPassage } from "./list-passage.ts";
import { endOfEvent, endOfLine } from "./split-events.ts";
import type { EndOfEvent, Framing } from "./split-events.ts";
import { commasIn, endOfObject, endOfOpening, partsOfRest, startOfObject } from "./split-list.ts";

/**
 * Passes a stream of events on. What a model says passes at once; what it calls is held until the stream is over, and then
 * passes as it came, or is written anew where a client would trip over it. A turn that was cut off ends in an error.
 */
export function mendStream(
  source: ReadableStream<Uint8Array>,
  cleaner: Cleaner,
  exchange: Exchange,
  framing: Framing = framingOf(exchange),
): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  let line: Line | undefined = createLine(cleaner, exchange, framing); // until it is over: a stream that was read to its end may be kept for long

  /** Reads until something can be passed on. */
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    line?.ask();
    for (;;) {
      const { done, value } = await reader.read();
      if (line === undefined) return; // nobody cut it off but its reader
      line.take(value);
      const isOver = done || line.isOver();
      const error = isOver ? line.end() : undefined;
      const passed = line.flush();
      // An error takes away all that was not read yet: what passes before it is one piece.
      for (const piece of error === undefined ? gathered(passed) : [joined(passed)]) {
        if (piece.length > 0) controller.enqueue(piece);
      }
      if (isOver) {
        line = undefined;
        if (error === undefined) controller.close();
        else controller.error(error);
        if (!done) await quietly(() => reader.cancel());
        return;
      }
      if (passed.length > 0) return;
    }
  };

  return new ReadableStream<Uint8Array>(
    {
      pull,
      cancel(reason) {
        line = undefined;
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

/** Passes a stream on as it is, at once, and tells what is wrong with it. */
export function watchStream(
  source: ReadableStream<Uint8Array>,
  cleaner: Cleaner,
  exchange: Exchange,
  framing: Framing = framingOf(exchange),
): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  const { reporter, request } = exchange;
  let line: Line | undefined = createLine(cleaner, exchange, framing);
  let isCancelled = false;
  const look = (bytes: Uint8Array | undefined): void => {
    try {
      line?.take(bytes);
      if (bytes === undefined || line?.isOver() === true) {
        line?.end();
        line = undefined;
      }
      line?.flush();
    } catch (error) {
      line = undefined;
      reporter.fail("response", request.url, error);
    }
  };
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    const { done, value } = await reader.read();
    if (isCancelled) return;
    if (done) controller.close();
    look(done ? undefined : new Uint8Array(value)); // whoever gets the bytes may make away with them
    if (!done) controller.enqueue(value);
  };
  const cancel = (reason: unknown): Promise<void> => {
    isCancelled = true;
    return reader.cancel(reason);
  };
  return new ReadableStream({ pull, cancel }, { highWaterMark: 0 });
}

/** A stream on its way to a mender, and what comes of it. */
interface Line extends Pick<Mender, "isOver" | "end"> {
  /** Somebody waits for what comes next. */
  readonly ask: () => void;
  /** Takes bytes; undefined when nothing more comes. */
  readonly take: (bytes: Uint8Array | undefined) => void;
  readonly flush: () => readonly Uint8Array[];
}

const framingOf = ({ endpoint }: Exchange): Framing => (endpoint.format === "ollama" ? "lines" : "events");

const ends: Readonly<Record<Framing, EndOfEvent>> = { events: endOfEvent, lines: endOfLine, list: endOfObject };

/** After so many milliseconds without a byte a client may soon give up. */
const patience = 5000;

function createLine(cleaner: Cleaner, exchange: Exchange, framing: Framing): Line {
  const { now } = exchange;
  let askedAt = now();
  const isAwaited = (): boolean => now() - askedAt > patience;
  const isList = framing === "list";
  const endOf = ends[framing];
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const whole = createPassage();
  const passage = isList ? createListPassage(whole) : whole;
  const stream = cleaner.stream(askedIn(exchange));
  const mender = createMender({ cleaner: isList ? inList(stream) : stream, exchange, passage, framing, isAwaited });
  const cutter = createCutter(framing);
  let isOpened = !isList;
  let count = 0; // of the objects of a list

  const takeObject = (bytes: Uint8Array, start: number, end: number): void => {
    const object = startOfObject(bytes, start);
    const isAsShould = commasIn(bytes, start, object) === Math.min(count++, 1);
    const text = decoder.decode(bytes.subarray(object, end));
    mender.take(text, isAsShould ? text : decoder.decode(bytes.subarray(start, end)));
  };

  /** Takes bytes that end where an event does; gives those that are left because it does not. */
  const takeWhole: TakeEvents = (bytes, isLent) => {
    passage.open(bytes, isLent);
    let start = 0;
    while (start < bytes.length && !mender.isBroken()) {
      const run = mender.repeat(bytes, start);
      if (run >= 0) start = run;
      const end = endOf(bytes, start);
      if (end < 0) break;
      passage.at(start, end);
      if (isList) takeObject(bytes, start, end);
      else mender.take(decoder.decode(bytes.subarray(start, end)));
      start = end;
    }
    return passage.close(start);
  };

  /** Passes the bracket that opens a list, with blanks before it; gives the bytes behind it. */
  const takeOpening = (bytes: Uint8Array): Uint8Array => {
    const end = endOfOpening(bytes);
    isOpened = end > 0;
    const opening = isOpened ? bytes.subarray(0, end) : bytes;
    whole.open(opening, false);
    whole.at(0, opening.length);
    whole.pass();
    whole.close(opening.length);
    return bytes.subarray(opening.length);
  };

  /** Takes what is left when nothing more comes; to forget the end of the last event is forgiven. */
  const takeLast = (): void => {
    const last = decoder.decode(cutter.rest());
    const isEvent = /^[ \t]*[^:\s]/mu.test(last);
    const text = isEvent ? `${last}\n\n` : last;
    passage.give(text, last);
    mender.take(text, last);
  };

  /** The same for a list, of which the bracket that closes it may be forgotten. */
  const takeEndOfList = (): void => {
    const [junk, end] = partsOfRest(decoder.decode(cutter.rest()));
    if (junk !== "") {
      passage.give(junk, junk);
      mender.take(junk);
    }
    const isForgotten = !end.includes("]");
    passage.give(isForgotten ? `${end}]` : end, end);
    mender.close(isForgotten);
  };

  return {
    ask() {
      askedAt = now();
    },
    take(bytes) {
      if (bytes === undefined) (isList ? takeEndOfList : takeLast)();
      else cutter.cut(isOpened ? bytes : takeOpening(bytes), takeWhole);
    },
    isOver: mender.isOver,
    end: mender.end,
    flush() {
      const passed = passage.flush();
      if (passed.length > 0) cutter.part(passed);
      return passed;
    },
  };
}

/** Writes frames as the objects of a list. */
const inList = (cleaner: StreamCleaner): StreamCleaner => ({
  ...cleaner,
  textOf: ({ value }) => JSON.stringify(value),
  terminator: "]",
});

async function quietly(close: () => Promise<unknown>): Promise<void> {
  try {
    await close();
  } catch {
    return; // it is over either way
  }
}
