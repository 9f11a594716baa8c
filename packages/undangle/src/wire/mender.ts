import { createFrameReader, saysTheSame } from "#codecs";
import type { PlainTurn, ReadFrame, Said, SentFrame, StreamCleaner, Wire } from "#codecs";
import { hashHex, isRecord } from "#core";
import type { Slot } from "#core";

import { createLiveCalls } from "./live-calls.ts";
import type { LiveCalls } from "./live-calls.ts";
import { isReadable } from "./is-readable.ts";
import type { Exchange } from "./mend-response.ts";
import type { Entrance } from "./passage.ts";
import { isSingle, toolsIn } from "./request-body.ts";
import { createProviderError } from "./provider-error.ts";
import { createStrangePieces } from "./strange-pieces.ts";
import { tellTurns } from "./tell-turns.ts";
import { areStillSo, withoutCalls, withoutReleased } from "./unsent-calls.ts";
import { goneOn, tooEarly, tooLate, whyCutOff } from "./why-cut-off.ts";

/** Decides, event by event, what passes. */
export interface Mender {
  /** Takes an event, which is the piece that the passage looks at. */
  readonly take: (raw: string) => void;
  /** Takes the events from an index on that repeat the last one; gives the index behind them, -1 for none. */
  readonly repeat: (bytes: Uint8Array, from: number) => number;
  /** The provider has reported an error behind calls that the client has: nothing more may pass. */
  readonly isBroken: () => boolean;
  /** Nothing more is waited for: the provider has reported an error. */
  readonly isOver: () => boolean;
  /** Nothing more comes; gives the error in which the body has to end. */
  readonly end: () => Error | undefined;
}

export function createMender(cleaner: StreamCleaner, exchange: Exchange, passage: Entrance): Mender {
  const { request, toolCalls } = exchange;
  const { format } = exchange.endpoint;
  const frames = createFrameReader({ format, tools: toolsIn(request.body), isSingle: isSingle(request) });
  let waiting: SentFrame[] = []; // frames that speak of calls or of the end, or come behind one that does
  let like: Wire = {}; // the last of them
  let released: readonly PlainTurn[] = []; // with the calls that have passed as they came
  let isBegun = false; // pieces of others have passed
  let isPastEnd = false; // more was said or called than the client can take
  let isTried = true; // nothing has come since those that wait were last looked at
  let untold: Said[] = []; // what is said in frames that wait
  let isHolding = false;
  let isRewritten = false; // something that is only said was written anew
  let isHealthy = true; // what waits is sent as it should be
  let hasReason = false; // it was told why the turn ends
  let hasEnd = false; // it was told that it does
  let isRewriting = false; // calls are written as they come, and none passes any more
  let doubtful: readonly Slot[] = []; // of a frame that waits: more arguments would show that these were none
  let doubted = ""; // what those have
  let follows: "passed" | "waits" | undefined; // what became of the last event, where that was one whole frame

  const strange = createStrangePieces(format, passage);
  const isSound = ({ value, event, said, hasEnd }: ReadFrame): boolean =>
    isRecord(value) && cleaner.isSound({ value, event }, { said, hasEnd });

  const write = (written: readonly SentFrame[]): void => {
    for (const frame of written) {
      cleaner.passed(frame);
      passage.write(cleaner.textOf(frame));
    }
  };

  const writer = toolCalls === "stream" ? cleaner.live : undefined;
  const mint = (number: number): string => `call_${hashHex(`${request.text}\n${number}`)}`;
  const live = writer && createLiveCalls({ writer, send: write, mint, nameOf: frames.nameOf });

  /** Passes a frame that speaks of no call. */
  const pass = (frame: ReadFrame, isWhole: boolean): void => {
    const sent = sentOf(frame);
    like = sent.value;
    if (!isSound(frame)) {
      isRewritten = true;
      write(cleaner.mend?.(sent, frame.said) ?? cleaner.say(frame.said, sent.value));
    } else if (isWhole) {
      cleaner.passed(sent);
      passage.pass();
      follows = "passed";
    } else write([sent]);
  };

  /** Lets go of calls that are whole and sent as they should be. */
  const release = (): void => {
    if (isTried) return;
    isTried = true;
    const plain = isHealthy ? cleaner.read() : undefined;
    const calls = plain?.flatMap(({ calls: all }, t) => all.slice(released[t]?.calls.length ?? 0)) ?? []; // the new ones
    if (calls.length === 0 || !calls.every((call) => frames.isObjectText(call.arguments))) return;
    if (!calls.every(({ name }) => frames.isPlainName(name))) return;
    released = plain ?? [];
    isBegun = false;
    cleaner.released();
    strange.release();
    waiting = [];
    untold = [];
    isHolding = false;
    live?.passed(doubtful);
    doubtful = [];
  };

  /** Passes pieces of a call that is not over; nothing of them can be mended any more. */
  const passPieces = ({ slots }: ReadFrame): void => {
    if (!isHealthy || !slots.every(({ name }) => name === "" || frames.isPlainName(name))) return;
    isBegun = true;
    strange.release();
    waiting = [];
    untold = [];
  };

  /** Says what stands in frames that wait and does not wait for calls: those frames cannot pass any more. */
  const tellHeld = (): void => {
    if (untold.length === 0) return;
    write(cleaner.say(untold, like));
    untold = [];
    isHealthy = false;
  };

  /** A frame that was doubtful passes, unless more of its calls has come. */
  const settle = (): void => {
    if (doubtful.length === 0 || textOf(doubtful) !== doubted) return;
    cleaner.released();
    strange.release();
    live?.passed(doubtful);
    doubtful = [];
    waiting = [];
    isHolding = false;
  };

  /** Passes a frame with calls while they come, or what it says of them; false where it has to wait for the end. */
  const passLive = (frame: ReadFrame, isWhole: boolean, calls: LiveCalls): boolean => {
    settle();
    const sent = sentOf(frame);
    const isNamed = frame.slots.every(({ name }) => name === "" || frames.isKnownName(name));
    const fitness = calls.fitness(frame.slots);
    const isPlain = !isRewriting && !isHolding && isWhole && isNamed && frame.said.length === 0 && fitness !== "unfit";
    if (isPlain && frame.hasEnd) return false; // nothing passes as finished before all is known
    like = sent.value;
    if (isPlain) cleaner.waits(sent);
    if (!isPlain || cleaner.hasTripped()) {
      writeLive(frame, calls);
      return true;
    }
    if (fitness === "doubtful" || cleaner.endsCall(sent)) {
      passage.wait();
      waiting.push(sent);
      isHolding = true;
      if (fitness === "doubtful") {
        doubtful = frame.slots;
        doubted = textOf(doubtful);
      } else {
        isTried = false;
        release();
        calls.passed(frame.slots);
      }
      return true;
    }
    cleaner.released();
    passage.pass();
    calls.passed(frame.slots);
    return true;
  };

  /** From here on calls are written, and none passes as it came. */
  const writeLive = (frame: ReadFrame, calls: LiveCalls): void => {
    isRewriting = true;
    isHealthy = false;
    isHolding = true;
    doubtful = [];
    waiting.push(sentOf(frame));
    if (frame.said.length > 0 && !cleaner.isNumbered) write(cleaner.say(frame.said, like));
    calls.write(frame.slots, like);
  };

  /** True for a frame that speaks of a call, and for one that ends it without a word. */
  const isOfCall = (frame: ReadFrame, calls: LiveCalls): boolean =>
    frame.hasCall || (calls.hasBegun() && cleaner.endsCall(sentOf(frame)) && !isSound(frame));

  const takeFrame = (frame: ReadFrame, isWhole: boolean): void => {
    isPastEnd ||= cleaner.isClosed?.() === true && (frame.said.length > 0 || frame.hasCall);
    if (isPastEnd) return;
    if (live !== undefined && isOfCall(frame, live) && passLive(frame, isWhole, live)) return;
    if (live?.isOpen() === true && !frame.hasCall && !frame.hasEnd && !isSound(frame)) {
      writeLive(frame, live);
      return;
    }
    const isSaid = frame.said.length > 0 && !frame.hasCall && !frame.hasEnd;
    if (isHolding && isSaid) {
      if (doubtful.every((slot) => frames.isObjectText(textOf([slot])))) settle(); // who goes on to speak has called
      release();
    }
    isHolding ||= frame.hasCall || (frame.hasEnd && (live?.hasBegun() === true || !isSound(frame)));
    if (!isHolding || (isSaid && !cleaner.isNumbered)) {
      tellHeld();
      pass(frame, isWhole);
      return;
    }
    if (!cleaner.isNumbered) untold.push(...frame.said);
    const sent = sentOf(frame);
    if (isWhole) passage.wait();
    else isHealthy = false;
    if (isWhole && untold.length === 0) follows = "waits";
    like = sent.value;
    waiting.push(sent);
    cleaner.waits(sent);
    isTried = false;
    if (cleaner.endsCall(sent)) {
      release();
      follows = undefined;
    } else if (toolCalls === "stream" && cleaner.goesOn?.(sent) === true) passPieces(frame);
  };

  const before = (): void => (tellHeld(), strange.spill());
  const failure = createProviderError({ format, passage, textOf: cleaner.textOf, before });

  /** The client has seen a call. */
  const hasClientCalls = (): boolean => released.length > 0 || isBegun || live?.hasBegun() === true;

  /** It must not take what it has for an answer. */
  const mustBreak = (): boolean => failure.mustBreak() || hasClientCalls();

  /** The client hears what repeated events have said, together, when something else comes. */
  const hearRun = (): void => {
    const text = frames.told();
    if (text !== undefined) cleaner.again(text);
  };

  return {
    repeat(bytes, from) {
      // What a client has heard is never said again: nothing is kept of it.
      const end = follows === undefined ? -1 : frames.repeat(bytes, from, follows === "waits");
      if (end < 0) return -1;
      passage.at(from, end);
      if (follows === "passed") passage.pass();
      else {
        passage.wait();
        isTried = false;
      }
      return end;
    },
    take(raw) {
      follows = undefined;
      if (raw === "") return;
      hearRun();
      const read = frames.take(raw);
      const isWhole = isReadable(raw, read.length, format);
      if (frames.isBroken()) {
        failure.take(read, isWhole);
        return;
      }
      if (read.every(({ isUnknown }) => isUnknown) && (read.length === 0 || isWhole || !strange.isKnown())) {
        const isWaiting = isHolding && !isRewriting;
        strange.take(raw, { isOpen: frames.isOpen(), hasFrames: read.length > 0, isWaiting });
        return;
      }
      strange.known();
      for (const frame of read) {
        if (frame.isUnknown) passage.write(cleaner.textOf(sentOf(frame)));
        else {
          hasReason ||= cleaner.tellsReason?.(sentOf(frame)) === true;
          hasEnd ||= frame.hasEnd;
          takeFrame(frame, isWhole);
        }
      }
    },
    isBroken: () => frames.isBroken() && mustBreak(),
    isOver: () => frames.isBroken() && (mustBreak() || !failure.goesOn()),
    end() {
      hearRun();
      const { turns, calls, said, hasCall } = frames.end();
      strange.end();
      const fault = turns.find(({ error }) => error?.from === "provider")?.error;
      if (fault !== undefined) {
        if (!isHolding) passage.release(); // the calls that wait are none any more
        return mustBreak() ? new Error(fault.message) : undefined;
      }
      if (isPastEnd) {
        tellTurns(turns, exchange, goneOn);
        return new Error(`The answer cannot be mended: ${goneOn}`);
      }
      const isCut = turns.some(({ complete, calls, finish }) => !complete && (calls.length > 0 || finish === null));
      const sayLate = (): void => {
        if (said.length > 0) write(cleaner.say(said, like));
      };
      if (isRewritten && !isCut) tellTurns(turns, exchange);
      if (!isHolding && !hasCall && (!hasClientCalls() || !isCut) && live?.hasBegun() !== true) {
        sayLate();
        if (!hasEnd && !isCut && cleaner.terminator !== "" && strange.isKnown()) {
          write(cleaner.write(withoutCalls(turns), [], like)); // there was only the mark of the end, which no client is content with
          if (!isRewritten) tellTurns(turns, exchange);
        }
        passage.release();
        if (!isCut || !turns.some(({ text, reasoning }) => text + reasoning !== "")) return undefined;
        tellTurns(turns, exchange, hasReason ? undefined : tooEarly);
        return hasReason ? undefined : new Error(`The answer was cut off: ${tooEarly}`);
      }
      if (isCut) {
        const reason = whyCutOff(turns);
        tellTurns(turns, exchange, reason);
        tellHeld();
        sayLate();
        strange.spill();
        return new Error(`The answer was cut off in the middle of a tool call: ${reason}`);
      }
      const plain = isHealthy ? cleaner.read() : undefined;
      if (plain !== undefined && saysTheSame(plain, turns)) {
        sayLate();
        passage.release();
        return undefined;
      }
      const isLost = live === undefined && (isBegun || !areStillSo(released, turns)); // what the client has is not what was meant
      if (!isRewritten || isLost) tellTurns(turns, exchange, isLost ? tooLate : undefined);
      strange.spill();
      if (isLost) {
        tellHeld();
        sayLate();
        return new Error(`The answer cannot be mended: ${tooLate}`);
      }
      if (live !== undefined) {
        sayLate();
        if (!live.finish(calls, like)) return new Error("The answer cannot be mended while it is streamed.");
        write(cleaner.write(withoutCalls(turns), waiting, like));
        passage.write(cleaner.terminator);
        return undefined;
      }
      tellHeld();
      sayLate();
      write(cleaner.write(withoutReleased(turns, released), waiting, like));
      passage.write(cleaner.terminator);
      return undefined;
    },
  };
}

const textOf = (slots: readonly Slot[]): string => slots.flatMap(({ fragments }) => fragments).join("");

const sentOf = ({ value, event }: ReadFrame): SentFrame => ({ value: isRecord(value) ? value : {}, event });
