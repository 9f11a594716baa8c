import type { ResponseWriter, StreamWriter } from "#codecs";

import { requestFacts } from "../exchange.ts";
import type { Exchange } from "../exchange.ts";
import { createEventSplitter, endOfEventIn } from "./framing.ts";
import type { Framing, TakeEvents } from "./framing.ts";
import { createListOutput, takeList } from "./json-array-framing.ts";
import { createOutputBuffer } from "./output-buffer.ts";
import type { OutputBuffer } from "./output-buffer.ts";
import { createRepairer } from "./repairer.ts";
import type { Repairer } from "./repairer.ts";

/** The way of a stream: bytes are split into events, which the repairer passes, holds or rewrites. */
export interface Pipeline extends Pick<Repairer, "isOver" | "isDecided" | "isClientDone" | "end"> {
  /** The client waits for the next chunk. */
  readonly startWaiting: () => void;
  /** Takes a chunk; undefined at the end of the body. */
  readonly take: (bytes: Uint8Array | undefined) => void;
  readonly flush: () => readonly Uint8Array[];
  /** The bytes of an incomplete event. */
  readonly rest: () => Uint8Array;
}

/** Gives events to the repairer. */
export interface EventTaker {
  /** Takes what precedes the first event of a chunk; returns the rest. */
  readonly begin: (bytes: Uint8Array) => Uint8Array;
  /** Takes the event between two indexes, which is selected in the output buffer. */
  readonly take: (bytes: Uint8Array, start: number, end: number) => void;
  /** Takes the remainder at the end of the body. */
  readonly last: (rest: Uint8Array) => void;
}

export interface TakerParts {
  readonly repairer: Repairer;
  readonly output: OutputBuffer;
}

/** Milliseconds without a byte after which a client may soon give up. */
const clientPatience = 5000;

/** More bytes without an end are not an event. Valid events may be larger than `maxBytes`. */
const largestEvent = 64 * 1024 * 1024;

export function createPipeline(writer: ResponseWriter, exchange: Exchange, framing: Framing): Pipeline {
  const { now, maxBytes } = exchange;
  let waitingSince = now();
  const isClientWaiting = (): boolean => now() - waitingSince > clientPatience;
  const isList = framing === "list";
  const endOfEvent = endOfEventIn[framing];
  const plain = createOutputBuffer();
  const output = isList ? createListOutput(plain) : plain;
  const stream = writer.stream(requestFacts(exchange));
  const options = { writer: isList ? inList(stream) : stream, exchange, output, framing, isClientWaiting };
  const repairer = createRepairer(options);
  const splitter = createEventSplitter(framing);
  const taker = isList ? takeList({ repairer, output }, plain) : takeEvents({ repairer, output });
  const mostLeft = Math.max(maxBytes, largestEvent);
  let isBypassed = false; // everything passes: nothing of the format is in it
  let isFull = false; // a call or an event that does not end must not fill the memory
  let fault: Error | undefined; // an event could not be handled after the output was changed: the body ends in this error

  /** Takes bytes that end with an event; gives those that were not taken. */
  const takeWhole: TakeEvents = (bytes) => {
    if (isBypassed) return bytes;
    output.open(bytes);
    let start = 0;
    // Events after the end are not read here, whether they arrive in the same chunk or later.
    while (start < bytes.length && !repairer.isBroken() && !repairer.isDecided() && repairer.size() <= maxBytes) {
      const unread = repairer.passText(bytes, start);
      if (unread > start) {
        start = unread;
        continue;
      }
      const end = endOfEvent(bytes, start);
      if (end < 0) break;
      output.select(start, end);
      const isUntouched = !isList && repairer.isUntouched();
      try {
        taker.take(bytes, start, end);
      } catch (error) {
        report(error);
        if (!isUntouched) {
          fault = unrepairable(error);
          break;
        }
        isBypassed = true;
        output.passAll();
        return output.close(end);
      }
      start = end;
    }
    return output.close(start);
  };

  const report = (error: unknown): void => exchange.reporter.fail("response", exchange.request.url, error);
  const attempt = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      report(error);
      fault = unrepairable(error);
    }
  };

  const passUnchanged = (bytes: Uint8Array): void => {
    plain.open(bytes);
    plain.select(0, bytes.length);
    plain.pass();
    plain.close(bytes.length);
  };

  return {
    startWaiting() {
      waitingSince = now();
    },
    take(bytes) {
      if (isBypassed) {
        if (bytes !== undefined) passUnchanged(bytes);
        return;
      }
      if (bytes === undefined) attempt(() => taker.last(splitter.rest()));
      else splitter.split(taker.begin(bytes), takeWhole);
      if (!isBypassed) {
        isFull = repairer.size() > maxBytes || splitter.size() > mostLeft;
        if (!isFull || bytes === undefined || repairer.isKnown()) return;
        repairer.end();
        isBypassed = true;
      }
      passUnchanged(splitter.rest());
    },
    isOver: () => !isBypassed && (fault !== undefined || repairer.isOver() || (isFull && repairer.isKnown())),
    isClientDone: () => !isBypassed && repairer.isClientDone(),
    end(how) {
      if (isBypassed) return undefined;
      const isGivenUp = how?.isCancelled !== true && !repairer.isOver() && isFull && repairer.isKnown();
      let error: Error | undefined;
      if (fault === undefined) attempt(() => (error = isGivenUp ? repairer.giveUp() : repairer.end(how)));
      return fault ?? error;
    },
    rest: splitter.rest,
    isDecided: () => !isBypassed && repairer.isDecided(),
    flush() {
      const passed = output.flush();
      if (passed.length > 0) splitter.detach(passed);
      return passed;
    },
  };
}

/** The client must not take what it has for the response. A deeply nested value, for example, cannot be written. */
const unrepairable = (error: unknown): Error =>
  new Error(
    error instanceof RangeError ? "Cannot repair the response: it is nested too deeply" : "Cannot repair the response",
    { cause: error },
  );

function takeEvents({ repairer, output }: TakerParts): EventTaker {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return {
    begin: (bytes) => bytes,
    take: (bytes, start, end) => repairer.take(decoder.decode(bytes.subarray(start, end))),
    /** Some servers omit the end of the last event. */
    last(rest) {
      const last = decoder.decode(rest);
      const isEvent = /^[ \t]*[^:\s]/mu.test(last);
      const text = isEvent ? `${last}\n\n` : last;
      output.replace(text, last);
      repairer.take(text, last);
    },
  };
}

/** Writes frames as the objects of an array. */
const inList = (writer: StreamWriter): StreamWriter => ({
  ...writer,
  serialize: ({ value }) => JSON.stringify(value),
  endMarker: "]",
});
