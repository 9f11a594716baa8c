import { createFrameReader } from "#codecs";
import type { ReadFrame, StreamCleaner, StreamFormat } from "#codecs";
import { hashHex, isRecord } from "#core";

import { endStream, giveUp } from "./end-stream.ts";
import { isReadable } from "./is-readable.ts";
import { createLiveCalls } from "./live-calls.ts";
import type { Exchange } from "./mend-response.ts";
import { beginning, mustBreak, sentOf, settleReason, tellHeld, write } from "./mending.ts";
import type { Mending } from "./mending.ts";
import type { Entrance, Passage } from "./passage.ts";
import { createProviderError } from "./provider-error.ts";
import { isSingle, toolsIn } from "./request-body.ts";
import { isSignOfLife } from "./sign-of-life.ts";
import type { Framing } from "./split-events.ts";
import { createStrangePieces } from "./strange-pieces.ts";
import { takeFrame } from "./take-frame.ts";
import { tellingOf } from "./tell-turns.ts";

/** Decides, event by event, what passes. */
export interface Mender {
  /** Takes an event, which is the piece that the passage looks at, and what it came as, where something was forgotten. */
  readonly take: (raw: string, came?: string) => void;
  /** Takes the end of a list, which is the piece that the passage looks at; it may have been forgotten. */
  readonly close: (isForgotten: boolean) => void;
  /** The provider has reported an error behind calls that the client has: nothing more may pass. */
  readonly isBroken: () => boolean;
  /** Nothing more is waited for: the provider has reported an error. */
  readonly isOver: () => boolean;
  /** The mark of the end has come, in formats in which clients stop reading there, and some without a word. */
  readonly isMarked: () => boolean;
  /** The answer is over, whatever comes behind it: a connection may stay open for long. */
  readonly isDecided: () => boolean;
  /** Something of the format has come. */
  readonly isKnown: () => boolean;
  /** The client has got only what came, as it came, and no call waits. */
  readonly isUntouched: () => boolean;
  /** How many bytes are kept of what has come. */
  readonly size: () => number;
  /** More of it is kept than may be; gives the error in which the body has to end. */
  readonly giveUp: () => Error | undefined;
  /** Nothing more comes, or nobody reads it; gives the error in which the body has to end. */
  readonly end: (how?: { readonly isLeft: boolean }) => Error | undefined;
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
  const { request, toolCalls } = exchange;
  const { format } = exchange.endpoint;
  const isList = framing === "list";
  const isLive = toolCalls === "stream";
  const telling = tellingOf(exchange);
  const tools = toolsIn(request.body);
  const seed = request.text ?? String(exchange.now()); // of ids: those of two turns must not be the same
  const frames = createFrameReader({ format, tools, isSingle: isSingle(request), isBare: isList });
  const strange = createStrangePieces({ format, framing, passage });

  const anew: Passage = {
    ...passage,
    write(text: string) {
      mending.isRewritten = true;
      passage.write(text);
    },
  };
  const before = (): void => {
    tellHeld(mending);
    if (mending.isHolding) write(mending, cleaner.sayRest?.(frames.saidSoFar()) ?? []);
    strange.spill();
  };
  const failure = createProviderError({ format, passage: anew, textOf: cleaner.textOf, before });
  const live =
    isLive && cleaner.live !== undefined
      ? createLiveCalls({
          writer: cleaner.live,
          send: (written) => write(mending, written),
          mint: (number) => `call_${hashHex(`${seed}\n${number}`)}`,
          nameOf: frames.nameOf,
          isKnownName: frames.isKnownName,
        })
      : undefined;
  const parts = { format, isList, isLive, cleaner, frames, passage, strange, live, failure };
  const mending: Mending = { ...beginning, ...parts, waiting: [], untold: [] };

  const isFrame = ({ value }: ReadFrame): boolean => isRecord(value) || (format === "gemini" && Array.isArray(value));
  /** Frames of others as clients read over them; undefined in formats in which they do so as it is. */
  const harmless = (read: readonly ReadFrame[]): string | undefined => {
    const written = cleaner.harmless && read.filter(isFrame).map(sentOf).map(cleaner.harmless);
    return written?.map(cleaner.textOf).join("");
  };

  /** Takes an event that reports an error of the provider, or comes behind one. */
  const takeFailed = (raw: string, came: string, read: readonly ReadFrame[], isWhole: boolean): void => {
    mending.isRewritten ||= read.some(({ hasCall }) => hasCall); // which is left out
    const isSeen = strange.isKnown() || (isList ? read.some(saysMore) : isEvent(raw, format));
    if (isSeen && isList && read.length === 0) mending.isRewritten = true; // it is left out
    else if (isSeen) failure.take(read, isWhole);
    else strange.take(raw, { came, isOpen: false, hasFrames: true, isWaiting: false });
  };

  /** Takes an event in which nothing was read. */
  const takeStrange = (raw: string, came: string, read: readonly ReadFrame[]): void => {
    if (!strange.isKnown() || strange.isMarked() || frames.isOpen()) mending.size += raw.length; // it is kept
    const isWaiting = mending.isHolding && !mending.isRewriting;
    const isEarly = isWaiting && isSignOfLife(raw, read) && isAwaited();
    strange.take(raw, {
      came,
      isOpen: frames.isOpen(),
      hasFrames: read.some(isFrame),
      harmless: harmless(read),
      isWaiting: isWaiting && !isEarly,
    });
  };

  /** All that waits is as it should be, and nothing else was: it passes as it came. */
  const isPlain = (): boolean => {
    const { isHealthy, hasEnd, isRewritten, isPastEnd } = mending;
    if (!isHealthy || !hasEnd || isRewritten || isPastEnd || strange.isChanged()) return false;
    const plain = cleaner.read();
    return plain !== undefined && frames.areSaid(plain);
  };

  return {
    take(raw, came = raw) {
      if (raw === "") return;
      const read = frames.take(raw);
      const isWhole = !frames.isRescued() && (isList ? read.length === 1 : isReadable(raw, read.length, format));
      if (frames.isTorn()) mending.isHealthy = false;
      if (mending.reason !== undefined) settleReason(mending, { hasCall: read.some(({ hasCall }) => hasCall) });
      if (frames.isBroken()) {
        takeFailed(raw, came, read, isWhole);
        return;
      }
      if (read.every(({ isUnknown }) => isUnknown) && (read.length === 0 || isWhole || !strange.isKnown())) {
        takeStrange(raw, came, read);
        return;
      }
      if (!strange.isKnown()) mending.size = 0;
      strange.known();
      mending.isRewritten ||= came !== raw;
      if (read.some(({ hasCall }) => hasCall)) mending.size += raw.length;
      for (const frame of read) {
        if (frame.isUnknown) anew.write(harmless([frame]) ?? cleaner.textOf(sentOf(frame)));
        else {
          mending.hasReason ||= cleaner.tellsReason?.(sentOf(frame)) === true;
          mending.hasEnd ||= frame.hasEnd;
          takeFrame(mending, frame, isWhole);
        }
      }
    },
    close: strange.close,
    isBroken: () => frames.isBroken() && mustBreak(mending),
    isOver: () => frames.isBroken() && (mustBreak(mending) || !(failure.goesOn() || isList)), // a list has an end
    isDecided: () => !isList && !frames.isBroken() && mending.hasEnd && (endsItself.has(format) || strange.isMarked()),
    isMarked: () => (format === "ollama" ? mending.hasEnd : format === "openai-chat" && strange.isMarked()),
    isKnown: strange.isKnown,
    isUntouched: () =>
      !mending.isRewritten && !mending.isHolding && !strange.isChanged() && mending.live?.hasBegun() !== true,
    size: () => Math.max(mending.size, passage.size()),
    giveUp() {
      settleReason(mending, { hasCall: false });
      return giveUp(mending, telling);
    },
    end(how = { isLeft: false }) {
      settleReason(mending, { hasCall: false });
      if (!isPlain()) return endStream(mending, telling, how);
      strange.end();
      strange.finish();
      frames.letGo();
      cleaner.letGo?.();
      return undefined;
    },
  };
}

/** The formats in which the last event says that it is that; in chat a mark does, behind the reason. */
const endsItself: ReadonlySet<StreamFormat> = new Set(["anthropic", "openai-responses", "ollama"]);

/** True for a frame that is a piece of an answer. */
const saysMore = ({ said, hasCall, hasEnd }: ReadFrame): boolean => said.length > 0 || hasCall || hasEnd;

/** False for bare JSON where events are sent: no client reads that, also not as an error. */
const isEvent = (raw: string, format: StreamFormat): boolean =>
  format === "ollama" || /^(?:data|event|error)/mu.test(raw);
