import type { Cleaner } from "#codecs";

import { askedIn } from "./asked-in.ts";
import type { Exchange } from "./mend-response.ts";
import { createMender } from "./mender.ts";
import type { Mender } from "./mender.ts";
import { createPassage } from "./passage.ts";
import { createCutter, gathered, joined } from "./cut-events.ts";
import type { TakeEvents } from "./cut-events.ts";
import { endOfEvent, endOfLine } from "./split-events.ts";

/**
 * Passes a stream of events on. What a model says passes at once; what it calls is held until the stream is over, and then
 * passes as it came, or is written anew where a client would trip over it. A turn that was cut off ends in an error.
 */
export function mendStream(
  source: ReadableStream<Uint8Array>,
  cleaner: Cleaner,
  exchange: Exchange,
): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  let line: Line | undefined = createLine(cleaner, exchange); // until it is over: a stream that was read to its end may be kept for long

  /** Reads until something can be passed on. */
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
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
): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  const { reporter, request } = exchange;
  let line: Line | undefined = createLine(cleaner, exchange);
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
  /** Takes bytes; undefined when nothing more comes. */
  readonly take: (bytes: Uint8Array | undefined) => void;
  readonly flush: () => readonly Uint8Array[];
}

function createLine(cleaner: Cleaner, exchange: Exchange): Line {
  const isByLine = exchange.endpoint.format === "ollama";
  const endOf = isByLine ? endOfLine : endOfEvent;
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const passage = createPassage();
  const mender = createMender(cleaner.stream(askedIn(exchange)), exchange, passage);
  const cutter = createCutter(isByLine);

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
      mender.take(decoder.decode(bytes.subarray(start, end)));
      start = end;
    }
    return passage.close(start);
  };

  /** Takes what is left when nothing more comes; to forget the end of the last event is forgiven. */
  const takeLast = (): void => {
    const last = decoder.decode(cutter.rest());
    const isEvent = /^[ \t]*[^:\s]/mu.test(last);
    const text = isEvent ? `${last}\n\n` : last;
    passage.give(text, last);
    mender.take(text, last);
  };

  return {
    take(bytes) {
      if (bytes === undefined) takeLast();
      else cutter.cut(bytes, takeWhole);
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

async function quietly(close: () => Promise<unknown>): Promise<void> {
  try {
    await close();
  } catch {
    return; // it is over either way
  }
}
