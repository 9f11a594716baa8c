import type { Cleaner, StreamCleaner } from "#codecs";

import { askedIn } from "./asked-in.ts";
import { createCutter } from "./cut-events.ts";
import type { TakeEvents } from "./cut-events.ts";
import { createListPassage } from "./list-passage.ts";
import type { Exchange } from "./mend-response.ts";
import { createMender } from "./mender.ts";
import type { Mender } from "./mender.ts";
import { createPassage } from "./passage.ts";
import type { Entrance } from "./passage.ts";
import { endOfEvent, endOfLine } from "./split-events.ts";
import type { EndOfEvent, Framing } from "./split-events.ts";
import { endOfObject } from "./split-list.ts";
import { takeList } from "./take-list.ts";

/** A stream on its way to a mender, and what comes of it. */
export interface Line extends Pick<Mender, "isOver" | "isDecided" | "isMarked" | "end"> {
  /** Somebody waits for what comes next. */
  readonly ask: () => void;
  /** Takes bytes; undefined when nothing more comes. */
  readonly take: (bytes: Uint8Array | undefined) => void;
  readonly flush: () => readonly Uint8Array[];
  /** What has come of an event that is not whole. */
  readonly rest: () => Uint8Array;
}

/** How what is cut comes to the mender. */
export interface Taker {
  /** Takes what stands before the first event of these bytes; gives the rest. */
  readonly begin: (bytes: Uint8Array) => Uint8Array;
  /** Takes the event between two indexes, which the passage looks at. */
  readonly take: (bytes: Uint8Array, start: number, end: number) => void;
  /** Takes what is left when nothing more comes. */
  readonly last: (rest: Uint8Array) => void;
}

/** What it is given to. */
export interface Takers {
  readonly mender: Mender;
  readonly passage: Entrance;
}

const ends: Readonly<Record<Framing, EndOfEvent>> = { events: endOfEvent, lines: endOfLine, list: endOfObject };

/** After so many milliseconds without a byte a client may soon give up. */
const patience = 5000;

/** So many bytes without an end are no event; many a healthy one is larger than a limit for calls. */
const mostOfEvent = 64 * 1024 * 1024;

export function createLine(cleaner: Cleaner, exchange: Exchange, framing: Framing): Line {
  const { now, maxBytes } = exchange;
  let askedAt = now();
  const isAwaited = (): boolean => now() - askedAt > patience;
  const isList = framing === "list";
  const endOf = ends[framing];
  const plain = createPassage();
  const passage = isList ? createListPassage(plain) : plain;
  const stream = cleaner.stream(askedIn(exchange));
  const mender = createMender({ cleaner: isList ? inList(stream) : stream, exchange, passage, framing, isAwaited });
  const cutter = createCutter(framing);
  const taker = isList ? takeList({ mender, passage }, plain) : takeEvents({ mender, passage });

  /** Takes bytes that end where an event does; gives those that are left because it does not. */
  const takeWhole: TakeEvents = (bytes) => {
    if (isLetGo) return bytes;
    passage.open(bytes);
    let start = 0;
    // What comes after the end is not read here, whether it has come with the end or later.
    while (start < bytes.length && !mender.isBroken() && !mender.isDecided() && mender.size() <= maxBytes) {
      const end = endOf(bytes, start);
      if (end < 0) break;
      passage.at(start, end);
      const isUntouched = !isList && mender.isUntouched();
      try {
        taker.take(bytes, start, end);
      } catch (error) {
        report(error);
        if (!isUntouched) {
          fault = unrepairable(error);
          break;
        }
        isLetGo = true;
        passage.letGo();
        return passage.close(end);
      }
      start = end;
    }
    return passage.close(start);
  };

  /** An event could not be handled, and what the client has got is not what came: the body ends in this error. */
  let fault: Error | undefined;
  const report = (error: unknown): void => exchange.reporter.fail("response", exchange.request.url, error);
  const attempt = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      report(error);
      fault = unrepairable(error);
    }
  };

  /** A call that never ends, or an event that does not, must not fill the memory. */
  let isFull = false;
  const mostLeft = Math.max(maxBytes, mostOfEvent);

  /** From here on all passes as it came: nothing of the format is in it. */
  const letGo = (): void => {
    mender.end();
    isLetGo = true;
    passAsCame(cutter.rest());
  };
  const passAsCame = (bytes: Uint8Array): void => {
    plain.open(bytes);
    plain.at(0, bytes.length);
    plain.pass();
    plain.close(bytes.length);
  };
  let isLetGo = false;

  return {
    ask() {
      askedAt = now();
    },
    take(bytes) {
      if (isLetGo) {
        if (bytes !== undefined) passAsCame(bytes);
        return;
      }
      if (bytes === undefined) attempt(() => taker.last(cutter.rest()));
      else cutter.cut(taker.begin(bytes), takeWhole);
      if (isLetGo) {
        passAsCame(cutter.rest());
        return;
      }
      isFull = mender.size() > maxBytes || cutter.size() > mostLeft;
      if (isFull && bytes !== undefined && !mender.isKnown()) letGo();
    },
    isOver: () => !isLetGo && (fault !== undefined || mender.isOver() || (isFull && mender.isKnown())),
    isMarked: () => !isLetGo && mender.isMarked(),
    end(how) {
      if (isLetGo) return undefined;
      const isGivenUp = how?.isLeft !== true && !mender.isOver() && isFull && mender.isKnown();
      let error: Error | undefined;
      if (fault === undefined) attempt(() => (error = isGivenUp ? mender.giveUp() : mender.end(how)));
      return fault ?? error;
    },
    rest: cutter.rest,
    isDecided: () => !isLetGo && mender.isDecided(),
    flush() {
      const passed = passage.flush();
      if (passed.length > 0) cutter.part(passed);
      return passed;
    },
  };
}

/** A deeply nested value cannot be written again; whatever else happens, the client must not take what it has for the response. */
const unrepairable = (error: unknown): Error =>
  new Error(
    error instanceof RangeError ? "Cannot repair the response: it is nested too deeply" : "Cannot repair the response",
    { cause: error },
  );

function takeEvents({ mender, passage }: Takers): Taker {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return {
    begin: (bytes) => bytes,
    take: (bytes, start, end) => mender.take(decoder.decode(bytes.subarray(start, end))),
    /** To forget the end of the last event is forgiven. */
    last(rest) {
      const last = decoder.decode(rest);
      const isEvent = /^[ \t]*[^:\s]/mu.test(last);
      const text = isEvent ? `${last}\n\n` : last;
      passage.give(text, last);
      mender.take(text, last);
    },
  };
}

/** Writes frames as the objects of a list. */
const inList = (cleaner: StreamCleaner): StreamCleaner => ({
  ...cleaner,
  textOf: ({ value }) => JSON.stringify(value),
  terminator: "]",
});
