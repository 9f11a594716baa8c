import type { ResponseWriter, StreamWriter } from "#codecs";
import { anomalies, emptyTurn } from "#core";

import { requestFacts, reportTurns } from "../reporter.ts";
import type { Exchange } from "../reporter.ts";
import { largestKeepAlive, trailerOf } from "./unrelated-events.ts";
import type { Trailer } from "./unrelated-events.ts";
import { failureOf, isTooLarge } from "./failure-reasons.ts";
import { createEventSplitter, endOfEventIn } from "./framing.ts";
import type { Framing, TakeEvents } from "./framing.ts";
import { createListOutput, takeList } from "./json-array-framing.ts";
import { createOutputBuffer } from "./output-buffer.ts";
import type { OutputBuffer } from "./output-buffer.ts";
import { createRepairer } from "./repairer.ts";
import type { Repairer } from "./repairer.ts";

/**
 * The pipeline of a stream: bytes are split into events, which the repairer passes, holds or rewrites.
 *
 *     repairing ──the turn ended──▶ ended
 *         └──nothing of the format──▶ bypassed
 */
export interface Pipeline extends Pick<Repairer, "isOver" | "isDecided" | "isClientDone" | "end"> {
  /** The client waits for the next chunk. */
  readonly startWaiting: () => void;
  /** Takes a chunk; undefined at the end of the body. */
  readonly take: (bytes: Uint8Array | undefined) => void;
  /** The turn has ended. Of the remaining bytes and of later chunks, only events without content pass. */
  readonly continueAfterEnd: () => void;
  readonly flush: () => readonly Uint8Array[];
}

/** Gives events to the repairer. */
export interface EventTaker {
  /** Takes what precedes the first event of a chunk; returns the rest. */
  readonly begin: (bytes: Uint8Array) => Uint8Array;
  /** Takes the event in a range of bytes, which is selected in the output buffer. */
  readonly take: (bytes: Uint8Array, range: { readonly start: number; readonly end: number }) => void;
  /** Takes the remainder at the end of the body. */
  readonly last: (rest: Uint8Array) => void;
}

export interface TakerParts {
  readonly repairer: Repairer;
  readonly output: OutputBuffer;
}

/** Milliseconds without a byte after which a client may soon give up. */
const longestSilence = 5000;

export function createPipeline(writer: ResponseWriter, exchange: Exchange, framing: Framing): Pipeline {
  const { now, maxBytes } = exchange;
  let waitingSince = now();
  const isClientWaiting = (): boolean => now() - waitingSince > longestSilence;
  const isList = framing === "list";
  const endOfEvent = endOfEventIn[framing];
  const plain = createOutputBuffer();
  const output = isList ? createListOutput(plain) : plain;
  const stream = writer.stream(requestFacts(exchange));
  const { rejectsUnknown } = stream;
  let phase: Phase = repairing(
    createRepairer({ writer: isList ? inList(stream) : stream, exchange, output, framing, isClientWaiting }),
    { output, plain, isList },
  );
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let splitter = createEventSplitter(framing);
  let isFull = false;
  let fault: Error | undefined; // an event could not be handled after the output was changed: the body ends in this error

  /** Handles an event. If that fails, the rest passes as it is, provided that the client has everything else unchanged. */
  const isHandled = (work: () => void, { isUntouched = false } = {}): boolean => {
    try {
      work();
      return true;
    } catch (error) {
      exchange.reporter.fail("response", exchange.request.url, error);
      if (isUntouched) {
        phase = { name: "bypassed" };
        output.passAll();
      } else fault = failureOf(error);
      return false;
    }
  };

  /** Takes bytes that end with an event; gives those that were not taken. */
  const takeWhole: TakeEvents = (bytes) => {
    if (phase.name === "ended") return takeTrailers(bytes);
    if (phase.name === "bypassed") return bytes;
    const { repairer, taker } = phase;
    output.open(bytes);
    let start = 0;
    // Events after the end are not read here, whether they arrive in the same chunk or later.
    while (
      start < bytes.length &&
      !repairer.isOver() &&
      !repairer.isDecided() &&
      !isTooLarge({ kept: repairer.size(), incomplete: 0 }, maxBytes)
    ) {
      const unread = repairer.passText(bytes, start);
      if (unread > start) {
        start = unread;
        continue;
      }
      const end = endOfEvent(bytes, start);
      if (end < 0) break;
      output.select(start, end);
      const event = { start, end };
      if (!isHandled(() => taker.take(bytes, event), { isUntouched: repairer.isUntouched() }))
        return output.close(fault === undefined ? end : start);
      start = end;
    }
    return output.close(start);
  };

  const takeTrailers: TakeEvents = (bytes) => {
    let start = 0;
    for (let end = endOfEvent(bytes, start); end >= 0; end = endOfEvent(bytes, start)) {
      takeTrailer(bytes.subarray(start, end));
      start = end;
    }
    return start === bytes.length ? undefined : bytes.subarray(start);
  };

  const takeTrailer = (bytes: Uint8Array): void => {
    if (phase.name !== "ended") return;
    const { passed, isRemoved } = phase.isStartDropped ? removed : trailerOf(decoder.decode(bytes), { rejectsUnknown });
    phase.isStartDropped = false;
    plain.write(passed);
    if (isRemoved) reportTrailer(exchange);
  };

  /** Keeps only the bytes of a large event that may be the start of its end. */
  const dropStart = (ended: Ended): void => {
    const end = splitter.rest().slice(-3);
    splitter = createEventSplitter(framing);
    splitter.split(end, (left) => left);
    ended.isStartDropped = true;
    reportTrailer(exchange);
  };

  const passUnchanged = (bytes: Uint8Array): void => {
    plain.open(bytes);
    plain.select(0, bytes.length);
    plain.pass();
    plain.close(bytes.length);
  };

  /** Takes a chunk before the end of the turn. */
  const repairChunk = (bytes: Uint8Array | undefined, { repairer, taker }: Repairing): void => {
    if (bytes === undefined) isHandled(() => taker.last(splitter.rest()), { isUntouched: repairer.isUntouched() });
    else splitter.split(taker.begin(bytes), takeWhole);
    if (phase.name === "repairing") {
      isFull = isTooLarge({ kept: repairer.size(), incomplete: splitter.size() }, maxBytes);
      if (!isFull || bytes === undefined || repairer.isKnown()) return;
      repairer.end();
      phase = { name: "bypassed" };
    }
    if (bytes !== undefined) passUnchanged(splitter.rest());
  };

  const repairer = (): Repairer | undefined => (phase.name === "repairing" ? phase.repairer : undefined);
  const hasGivenUp = (): boolean => isFull && repairer()?.isKnown() === true;

  return {
    startWaiting() {
      waitingSince = now();
    },
    take(bytes) {
      if (phase.name === "repairing") repairChunk(bytes, phase);
      else if (phase.name === "bypassed") passUnchanged(bytes ?? new Uint8Array());
      else if (bytes === undefined) takeTrailer(splitter.rest());
      else {
        splitter.split(bytes, takeWhole);
        if (splitter.size() > largestKeepAlive) dropStart(phase);
      }
    },
    isOver: () => phase.name === "repairing" && (fault !== undefined || phase.repairer.isOver() || hasGivenUp()),
    isClientDone: () => repairer()?.isClientDone() === true,
    end(how) {
      const open = repairer();
      if (open === undefined) return undefined;
      const isGivenUp = how?.isCancelled !== true && !open.isOver() && hasGivenUp();
      let error: Error | undefined;
      if (fault === undefined) isHandled(() => (error = isGivenUp ? open.giveUp() : open.end(how)));
      return fault ?? error;
    },
    continueAfterEnd() {
      const rest = splitter.rest();
      splitter = createEventSplitter(framing);
      phase = { name: "ended", isStartDropped: false };
      splitter.split(rest, takeWhole);
    },
    isDecided: () => repairer()?.isDecided() === true,
    flush() {
      const passed = output.flush();
      if (passed.length > 0) splitter.detach(passed);
      return passed;
    },
  };
}

/** `bypassed`: everything passes, because nothing of the format is in it. */
type Phase = Repairing | { readonly name: "bypassed" } | Ended;

interface Repairing {
  readonly name: "repairing";
  readonly repairer: Repairer;
  readonly taker: EventTaker;
}

/** The repairer is released, because the program may keep the response. */
interface Ended {
  readonly name: "ended";
  /** The start of the incomplete event was dropped. */
  isStartDropped: boolean;
}

const removed: Trailer = { passed: "", isRemoved: true };

const repairing = (
  repairer: Repairer,
  { output, plain, isList }: { readonly output: OutputBuffer; readonly plain: OutputBuffer; readonly isList: boolean },
): Repairing => ({
  name: "repairing",
  repairer,
  taker: isList ? takeList({ repairer, output }, plain) : takeEvents({ repairer, output }),
});

/** An event with content followed the end of the turn. */
const reportTrailer = (exchange: Exchange): void =>
  reportTurns([{ ...emptyTurn, anomalies: [{ kind: "after-finish", message: anomalies["after-finish"] }] }], exchange);

function takeEvents({ repairer, output }: TakerParts): EventTaker {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return {
    begin: (bytes) => bytes,
    take: (bytes, { start, end }) =>
      repairer.take({ raw: decoder.decode(bytes.subarray(start, end)), size: end - start }),
    /** Some servers omit the end of the last event. */
    last(rest) {
      const arrived = decoder.decode(rest);
      const isEvent = /^[ \t]*[^:\s]/mu.test(arrived);
      const raw = isEvent ? `${arrived}\n\n` : arrived;
      output.replace(raw, arrived);
      repairer.take({ raw, arrived, size: rest.length });
    },
  };
}

/** Writes frames as the objects of an array. */
const inList = (writer: StreamWriter): StreamWriter => ({
  ...writer,
  serialize: ({ value }) => JSON.stringify(value),
  endMarker: "]",
});
