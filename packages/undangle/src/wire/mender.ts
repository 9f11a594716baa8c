import { createFrameReader, saysTheSame } from "#codecs";
import type { PlainTurn, ReadFrame, Said, SentFrame, StreamCleaner, StreamFormat, Wire } from "#codecs";
import { hashHex, isRecord } from "#core";
import type { Slot } from "#core";

import { createLiveCalls } from "./live-calls.ts";
import type { LiveCalls, Outlook } from "./live-calls.ts";
import { isReadable } from "./is-readable.ts";
import type { Exchange } from "./mend-response.ts";
import type { Entrance, Passage } from "./passage.ts";
import { isSingle, toolsIn } from "./request-body.ts";
import { createProviderError } from "./provider-error.ts";
import { isSignOfLife } from "./sign-of-life.ts";
import type { Framing } from "./split-events.ts";
import { createStrangePieces } from "./strange-pieces.ts";
import { isLeftOpen, isSoundSoFar } from "./left-open.ts";
import { tellingOf, tellLeft, tellTurns } from "./tell-turns.ts";
import { areStillSo, withoutCalls, withoutReleased } from "./unsent-calls.ts";
import { goneOn, tooEarly, tooLate, whileStreamed, whyCutOff, whyUnread } from "./why-cut-off.ts";

/** Decides, event by event, what passes. */
export interface Mender {
  /** Takes an event, which is the piece that the passage looks at, and what it came as, where something was forgotten. */
  readonly take: (raw: string, came?: string) => void;
  /** Takes the end of a list, which is the piece that the passage looks at; it may have been forgotten. */
  readonly close: (isForgotten: boolean) => void;
  /** Takes the events from an index on that repeat the last one; gives the index behind them, -1 for none. */
  readonly repeat: (bytes: Uint8Array, from: number) => number;
  /** The provider has reported an error behind calls that the client has: nothing more may pass. */
  readonly isBroken: () => boolean;
  /** Nothing more is waited for: the provider has reported an error. */
  readonly isOver: () => boolean;
  /** The mark of the end has come, in formats in which clients stop reading there, and some without a word. */
  readonly isMarked: () => boolean;
  /** Nothing more comes, or nobody reads it; gives the error in which the body has to end. */
  readonly end: (how?: { readonly isLeft: boolean }) => Error | undefined;
  /** Forgets all of a stream that is over and was as it should be; false for any other, and where that is not possible. */
  readonly letGo: () => boolean;
}

/** What a stream is mended with. */
interface Tools {
  readonly cleaner: StreamCleaner;
  readonly exchange: Exchange;
  readonly passage: Entrance;
  readonly framing: Framing;
  /** The client has waited for long, and got nothing. */
  readonly isAwaited: () => boolean;
}

export function createMender({ cleaner, exchange, passage, framing, isAwaited }: Tools): Mender {
  const { request, toolCalls, scannerFor } = exchange; // which nothing below may hold: it has the whole conversation
  const telling = tellingOf(exchange);
  const { format } = exchange.endpoint;
  const isList = framing === "list";
  const tools = toolsIn(request.body);
  const frames = createFrameReader({ format, tools, isSingle: isSingle(request), isBare: isList, scannerFor });
  let waiting: SentFrame[] = []; // frames that speak of calls or of the end, or come behind one that does
  let like: Wire = {}; // the last of them
  let released: readonly PlainTurn[] = []; // with the calls that have passed as they came
  let isBegun = false; // pieces of others have passed
  let isPastEnd = false; // more was said or called than the client can take
  let isTried = true; // nothing has come since those that wait were last looked at
  let untold: Said[] = []; // what is said in frames that wait
  let isHolding = false;
  let isRewritten = false; // something that waits for nothing was written anew, or left out
  let isHealthy = true; // what waits is sent as it should be
  let hasReason = false; // it was told why the turn ends
  let hasEnd = false; // it was told that it does
  let isRewriting = false; // calls are written as they come, and none passes any more
  let isEndHeld = false; // the end of the turn waits
  let follows: "passed" | "waits" | undefined; // what became of the last event, where that was one whole frame
  let isSpent = false; // all is over, and was as it should be
  let seed = request.text; // of ids that are made up

  const strange = createStrangePieces({ format, framing, passage });
  const isFrame = ({ value }: ReadFrame): boolean => isRecord(value) || (format === "gemini" && Array.isArray(value));
  /** Frames of others as clients read over them; undefined in formats in which they do so as it is. */
  const harmless = (read: readonly ReadFrame[]): string | undefined => {
    const written = cleaner.harmless && read.filter(isFrame).map(sentOf).map(cleaner.harmless);
    return written?.map(cleaner.textOf).join("");
  };
  const isSound = ({ value, event, said, hasEnd }: ReadFrame): boolean =>
    isRecord(value) && cleaner.isSound({ value, event }, { said, hasEnd });

  const write = (written: readonly SentFrame[]): void => {
    for (const frame of written) {
      cleaner.passed(frame);
      passage.write(cleaner.textOf(frame));
    }
  };

  const writer = toolCalls === "stream" ? cleaner.live : undefined;
  const mint = (number: number): string => `call_${hashHex(`${seed}\n${number}`)}`;
  const { nameOf, areNamesKnown } = frames;
  const live = writer && createLiveCalls({ writer, send: write, mint, nameOf, areNamesKnown });

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
    } else {
      isRewritten = true;
      write([sent]);
    }
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
    isEndHeld = false;
    letPass();
  };

  /** All that waits passes as it came. */
  const letPass = (): void => {
    cleaner.released();
    strange.release();
    live?.released();
    waiting = [];
    untold = [];
    isHolding = false;
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

  /** Frames with calls that were doubtful pass, where what has come now shows that they are as they should be. */
  const settle = (calls: LiveCalls, came: Pick<ReadFrame, "slots" | "said">): void => {
    if (isEndHeld || !isHealthy || cleaner.hasTripped() || outlook(calls, came) !== "clear") return;
    if (calls.isAtEnd()) released = cleaner.read() ?? released;
    letPass();
  };

  const outlook = (calls: LiveCalls, { slots, said }: Pick<ReadFrame, "slots" | "said">): Outlook =>
    calls.outlook({ slots, isSaid: said.length > 0 });

  /** Passes a frame with calls while they come, or what it says of them; false where it has to wait for the end. */
  const passLive = (frame: ReadFrame, isWhole: boolean, calls: LiveCalls): boolean => {
    settle(calls, frame);
    const sent = sentOf(frame);
    const isNamed = frame.slots.every(({ name }) => name === "" || frames.isKnownName(name));
    const fitness = calls.fitness(frame.slots);
    const isOpen = isHolding && !isEndHeld && outlook(calls, frame) === "open";
    const isFree = !isRewriting && (!isHolding || isOpen);
    const canSay = fitness === "fit" && !isOpen && !frame.hasEnd && !cleaner.isNumbered; // it need not wait: what is said does not
    const isFit = frame.said.length === 0 ? fitness !== "unfit" : canSay;
    const isPlain = isFree && isWhole && isNamed && isFit;
    if (isPlain && frame.hasEnd) return false; // nothing passes as finished before all is known
    like = sent.value;
    if (isPlain) cleaner.waits(sent);
    if (!isPlain || cleaner.hasTripped()) {
      waiting.push(sent);
      writeLive(frame, calls);
    } else if (isOpen || fitness === "doubtful" || cleaner.endsCall(sent)) {
      passage.wait();
      waiting.push(sent);
      isHolding = true;
      calls.waits(frame.slots);
      if (cleaner.endsCall(sent)) endCall(frame, calls);
    } else {
      cleaner.released();
      passage.pass();
      calls.passed(frame.slots);
    }
    return true;
  };

  /** The end of a call has come. It passes where that is whole; one without arguments may still get some. */
  const endCall = (frame: ReadFrame, calls: LiveCalls): void => {
    isTried = false;
    release();
    const open = calls.open();
    if (!isHolding) calls.ended();
    else if (open === undefined) endBesideOthers(frame, calls);
    else if (textOf(open).trim() === "") calls.waitsAtEnd();
    else {
      calls.close(open);
      if (outlook(calls, frame) === "unfit") writeLive(frame, calls);
    }
  };

  /** Where several calls come side by side, the end of one passes before the others are over, unless one of them is doubtful. */
  const endBesideOthers = (frame: ReadFrame, calls: LiveCalls): void => {
    const isWhole = (slot: Slot): boolean => slot.isFreeText || frames.isObjectText(textOf(slot));
    const isOver = isHealthy && frame.slots.length > 0 && frame.slots.every(isWhole);
    const isDoubtful = outlook(calls, frame) === "open";
    if (isOver && !isDoubtful) letPass();
    else if (isDoubtful && !isOver) writeLive(frame, calls);
  };

  /** From here on calls are written, and none passes as it came. */
  const writeLive = (frame: ReadFrame, calls: LiveCalls): void => {
    tellHeld();
    isRewriting = true;
    isHealthy = false;
    isHolding = true;
    if (frame.said.length > 0 && !cleaner.isNumbered) write(cleaner.say(frame.said, like));
    calls.write(frame.slots, like);
  };

  /** True for a frame that speaks of a call, and for one that ends it without a word. */
  const isOfCall = (frame: ReadFrame, calls: LiveCalls): boolean =>
    frame.hasCall || (calls.hasBegun() && cleaner.endsCall(sentOf(frame)) && !isSound(frame));

  /** True for words that come while calls are doubtful: they wait with those, so that all passes in its order. */
  const isBetween = (frame: ReadFrame, isWhole: boolean): boolean =>
    live !== undefined && !isEndHeld && outlook(live, frame) === "open" && isWhole && isSound(frame);

  const takeFrame = (frame: ReadFrame, isWhole: boolean): void => {
    isPastEnd ||= cleaner.isClosed?.() === true && (frame.said.length > 0 || frame.hasCall);
    if (isPastEnd) return;
    if (live !== undefined && isOfCall(frame, live) && passLive(frame, isWhole, live)) return;
    if (live?.isAtEnd() === true && cleaner.confirmsCall?.(sentOf(frame)) !== false) settle(live, frame); // what comes is none of the call
    if (live?.open() !== undefined && !live.isAtEnd() && !frame.hasCall && !frame.hasEnd && !isSound(frame)) {
      waiting.push(sentOf(frame));
      writeLive(frame, live);
      return;
    }
    const isSaid = frame.said.length > 0 && !frame.hasCall && !frame.hasEnd;
    if (isHolding && isSaid) {
      if (live !== undefined) settle(live, frame);
      if (cleaner.isNumbered || !isEndHeld) release(); // what comes behind an end may be more calls, and one end has to be the last
    }
    isHolding ||= frame.hasCall || (frame.hasEnd && (live?.hasBegun() === true || !isSound(frame)));
    if (!isHolding || (isSaid && !cleaner.isNumbered && !isBetween(frame, isWhole))) {
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
    isEndHeld ||= frame.hasEnd;
    if (frame.hasCall) live?.waits(frame.slots);
    if (cleaner.endsCall(sent)) {
      release();
      follows = undefined;
    } else if (toolCalls === "stream" && cleaner.goesOn?.(sent) === true) passPieces(frame);
  };

  const before = (): void => (tellHeld(), strange.spill());
  const anew: Passage = {
    ...passage,
    write(text: string) {
      isRewritten = true;
      passage.write(text);
    },
  };
  const failure = createProviderError({ format, passage: anew, textOf: cleaner.textOf, before });

  /** The client has seen a call. */
  const hasClientCalls = (): boolean => released.length > 0 || isBegun || live?.hasBegun() === true;

  /** It must not take what it has for an answer. */
  const mustBreak = (): boolean => failure.mustBreak() || hasClientCalls();

  /** The client hears what repeated events have said, together, when something else comes. */
  const hearRun = (): void => {
    const text = frames.told();
    if (text !== undefined) cleaner.again(text);
  };

  /** All that waits is as it should be, and nothing else was: it passes as it came. */
  const isPlain = (): boolean => {
    if (!isHealthy || !hasEnd || isRewritten || isPastEnd || strange.isChanged()) return false;
    const plain = cleaner.read();
    return plain !== undefined && frames.areSaid(plain);
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
    take(raw, came = raw) {
      follows = undefined;
      if (raw === "") return;
      hearRun();
      const read = frames.take(raw);
      const isWhole = isList ? read.length === 1 : isReadable(raw, read.length, format);
      if (frames.isBroken()) {
        isRewritten ||= read.some(({ hasCall }) => hasCall); // which is left out
        const isSeen = strange.isKnown() || (isList ? read.some(saysMore) : isEvent(raw, format));
        if (isSeen && isList && read.length === 0) isRewritten = true; // it is left out
        else if (isSeen) failure.take(read, isWhole);
        else strange.take(raw, { came, isOpen: false, hasFrames: true, isWaiting: false });
        return;
      }
      if (read.every(({ isUnknown }) => isUnknown) && (read.length === 0 || isWhole || !strange.isKnown())) {
        const isWaiting = isHolding && !isRewriting;
        const isEarly = isWaiting && isSignOfLife(raw, read) && isAwaited();
        strange.take(raw, {
          came,
          isOpen: frames.isOpen(),
          hasFrames: read.some(isFrame),
          harmless: harmless(read),
          isWaiting: isWaiting && !isEarly,
        });
        return;
      }
      strange.known();
      isRewritten ||= came !== raw;
      for (const frame of read) {
        if (frame.isUnknown) anew.write(harmless([frame]) ?? cleaner.textOf(sentOf(frame)));
        else {
          hasReason ||= cleaner.tellsReason?.(sentOf(frame)) === true;
          hasEnd ||= frame.hasEnd;
          takeFrame(frame, isWhole);
        }
      }
    },
    close: strange.close,
    isBroken: () => frames.isBroken() && mustBreak(),
    isOver: () => frames.isBroken() && (mustBreak() || !(failure.goesOn() || isList)), // a list has an end
    isMarked: () => (format === "ollama" ? hasEnd : format === "openai-chat" && strange.isMarked()),
    end({ isLeft } = { isLeft: false }) {
      hearRun();
      if (isPlain()) {
        strange.end();
        strange.finish();
        isSpent = true;
        return undefined;
      }
      const { turns, calls, said, hasCall } = frames.end();
      if (isLeft && !strange.isMarked() && turns.some(isLeftOpen)) {
        const isMended = isRewritten || isRewriting || strange.isChanged();
        const isSound = !isMended && !cleaner.hasTripped() && isSoundSoFar(cleaner.read(), turns);
        if (!isSound) tellLeft(turns, telling, { isChanged: isMended });
        return undefined;
      }
      strange.end();
      const tell = (error?: string): void => tellTurns(turns, telling, error);
      const isChanged = isRewritten || strange.isChanged() || said.length > 0;
      const fault = turns.find(({ error }) => error?.from === "provider")?.error;
      if (fault !== undefined) {
        const reason = mustBreak() ? fault.message : undefined;
        if (!isHolding && reason === undefined) strange.finish(); // the calls that wait are none any more
        else if (!isHolding) strange.release(); // without the mark: whoever stops there would not see the error
        else if (isList && reason === undefined) passage.write(cleaner.terminator);
        if (reason !== undefined || isChanged || (isHolding && waiting.length > 0)) tell(reason);
        return reason === undefined ? undefined : new Error(reason);
      }
      if (isPastEnd) {
        tell(goneOn);
        return new Error(`The answer cannot be mended: ${goneOn}`);
      }
      const isCut = turns.some(({ complete, calls, finish }) => !complete && (calls.length > 0 || finish === null));
      const sayLate = (): void => {
        if (said.length > 0) write(cleaner.say(said, like));
      };
      if (!isHolding && !hasCall && (!hasClientCalls() || !isCut) && live?.hasBegun() !== true) {
        sayLate();
        const isUnended = !hasEnd && !isCut && cleaner.terminator !== "" && strange.isKnown();
        if (isUnended) write(cleaner.write(withoutCalls(turns), [], like)); // there was only the mark of the end, which no client is content with
        const isHalf = isCut && strange.isKnown();
        const reason = isHalf && !hasReason ? tooEarly : undefined;
        if (reason === undefined) strange.finish(); // else only a mark waits, of an end that is none
        if (isChanged || isUnended || isHalf) tell(reason);
        return reason === undefined ? undefined : new Error(`The answer was cut off: ${reason}`);
      }
      const unread = isCut || cleaner.isTolerant !== true ? undefined : whyUnread(turns);
      if (isCut || unread !== undefined) {
        const reason = unread ?? whyCutOff(turns);
        tell(reason);
        tellHeld();
        sayLate();
        write(cleaner.sayRest?.(turns) ?? []);
        strange.spill();
        return new Error(
          `The answer ${isCut ? "was cut off in the middle of a tool call" : "cannot be mended"}: ${reason}`,
        );
      }
      const plain = isHealthy ? cleaner.read() : undefined;
      if (plain !== undefined && saysTheSame(plain, turns)) {
        sayLate();
        strange.finish();
        if (isChanged) tell();
        return undefined;
      }
      strange.spill();
      if (live !== undefined) {
        tellHeld();
        sayLate();
        const isWhole = live.finish(calls, like);
        tell(isWhole ? undefined : whileStreamed);
        if (!isWhole) return new Error(`The answer cannot be mended: ${whileStreamed}`);
        write(cleaner.write(withoutCalls(turns), waiting, like));
        passage.write(cleaner.terminator);
        return undefined;
      }
      const isLost = isBegun || !areStillSo(released, turns); // what the client has is not what was meant
      tell(isLost ? tooLate : undefined);
      tellHeld();
      sayLate();
      if (isLost) return new Error(`The answer cannot be mended: ${tooLate}`);
      write(cleaner.write(withoutReleased(turns, released), waiting, like));
      passage.write(cleaner.terminator);
      return undefined;
    },
    letGo() {
      if (!isSpent) return false;
      frames.letGo();
      cleaner.letGo?.();
      waiting = [];
      released = [];
      untold = [];
      like = {};
      seed = "";
      return cleaner.letGo !== undefined;
    },
  };
}

/** True for a frame that is a piece of an answer. */
const saysMore = ({ said, hasCall, hasEnd }: ReadFrame): boolean => said.length > 0 || hasCall || hasEnd;

/** False for bare JSON where events are sent: no client reads that, also not as an error. */
const isEvent = (raw: string, format: StreamFormat): boolean =>
  format === "ollama" || /^(?:data|event|error)/mu.test(raw);

const textOf = ({ fragments }: Slot): string => fragments.join("");

const sentOf = ({ value, event }: ReadFrame): SentFrame => ({ value: isRecord(value) ? value : {}, event });
