import type { FrameReader, PlainTurn, ReadFrame, Said, SentFrame, StreamCleaner, StreamFormat, Wire } from "#codecs";
import { isRecord } from "#core";

import type { LiveCalls } from "./live-calls.ts";
import type { Entrance } from "./passage.ts";
import type { ProviderError } from "./provider-error.ts";
import type { StrangePieces } from "./strange-pieces.ts";

/** A stream while it is mended: how it stands, and what it is mended with. */
export interface Mending extends MendingTools {
  /** Frames that speak of calls or of the end, or come behind one that does. */
  waiting: SentFrame[];
  /** The last of them. */
  like: Wire;
  /** What is said in them. */
  untold: Said[];
  isHolding: boolean;
  /** What waits is sent as it should be. */
  isHealthy: boolean;
  /** Nothing has come since what waits was last looked at. */
  isTried: boolean;
  /** The end of the turn waits. */
  isEndHeld: boolean;
  /** The reason for it waits alone, for what comes next: a call must not come behind it. */
  reason: SentFrame | undefined;
  /** With the calls that have passed as they came. */
  released: readonly PlainTurn[];
  /** Pieces of others have passed. */
  isBegun: boolean;
  /** Calls are written as they come, and none passes any more. */
  isRewriting: boolean;
  /** Something that waits for nothing was written anew, or left out. */
  isRewritten: boolean;
  /** More was said or called than the client can take. */
  isPastEnd: boolean;
  /** It was told why the turn ends. */
  hasReason: boolean;
  /** It was told that it does. */
  hasEnd: boolean;
  /** How many bytes are kept of it: of all calls, also those that have passed, and of pieces of which it is not known what they are. */
  size: number;
}

interface MendingTools {
  readonly format: StreamFormat;
  /** Its frames are the objects of a list. */
  readonly isList: boolean;
  readonly cleaner: StreamCleaner;
  readonly frames: FrameReader;
  readonly passage: Entrance;
  readonly strange: StrangePieces;
  /** Calls pass while they come. */
  readonly isLive: boolean;
  /** What they pass with, in formats in which they can be written so. */
  readonly live: LiveCalls | undefined;
  readonly failure: ProviderError;
}

/** Before anything has come. */
export const beginning = {
  like: {},
  isHolding: false,
  isHealthy: true,
  isTried: true,
  isEndHeld: false,
  reason: undefined,
  released: [],
  isBegun: false,
  isRewriting: false,
  isRewritten: false,
  isPastEnd: false,
  hasReason: false,
  hasEnd: false,
  size: 0,
} as const satisfies Partial<Mending>;

/** The client gets frames that did not come so. */
export function write({ cleaner, passage }: Pick<Mending, "cleaner" | "passage">, frames: readonly SentFrame[]): void {
  for (const frame of frames) {
    cleaner.passed(frame);
    passage.write(cleaner.textOf(frame));
  }
}

/** Every client finds in a frame what was read in it, and nothing else. */
export const isSound = ({ cleaner }: Mending, { value, event, said, hasEnd }: ReadFrame): boolean =>
  isRecord(value) && cleaner.isSound({ value, event }, { said, hasEnd });

/** The client has seen a call. */
export const hasClientCalls = ({ released, isBegun, live }: Mending): boolean =>
  released.length > 0 || isBegun || live?.hasBegun() === true;

/** It must not take what it has for an answer. */
export const mustBreak = (mending: Mending): boolean => mending.failure.mustBreak() || hasClientCalls(mending);

/** All that waits passes as it came. */
export function letPass(mending: Mending): void {
  mending.cleaner.released();
  mending.strange.release();
  mending.live?.released();
  mending.waiting = [];
  mending.untold = [];
  mending.isHolding = false;
}

/** Something has come behind the reason that waits: that passes, unless it is a call. */
export function settleReason(mending: Mending, { hasCall }: { readonly hasCall: boolean }): void {
  const { reason, cleaner, strange } = mending;
  if (reason === undefined) return;
  mending.reason = undefined;
  if (hasCall) keepWaiting(mending, reason);
  else {
    cleaner.passed(reason);
    strange.release();
  }
}

/** The end of the turn waits with calls. */
function keepWaiting(mending: Mending, reason: SentFrame): void {
  mending.waiting.push(reason);
  mending.cleaner.waits(reason);
  mending.isHolding = true;
  mending.isEndHeld = true;
  mending.isTried = false;
}

/** Lets go of calls that are whole and sent as they should be. */
export function release(mending: Mending): void {
  const { cleaner, frames, released, isHealthy, isTried } = mending;
  if (isTried) return;
  mending.isTried = true;
  const plain = isHealthy ? cleaner.read() : undefined;
  const calls = plain?.flatMap(({ calls: all }, t) => all.slice(released[t]?.calls.length ?? 0)) ?? []; // the new ones
  if (calls.length === 0 || !calls.every((call) => frames.isObjectText(call.arguments))) return;
  if (!calls.every(({ name }) => frames.isPlainName(name))) return;
  mending.released = plain ?? [];
  mending.isBegun = false;
  mending.isEndHeld = false;
  letPass(mending);
}

/** Says what stands in frames that wait and does not wait for calls: those frames cannot pass any more. */
export function tellHeld(mending: Mending): void {
  const { cleaner, untold, like } = mending;
  if (untold.length === 0) return;
  write(mending, cleaner.say(untold, like));
  mending.untold = [];
  mending.isHealthy = false;
}

export const sentOf = ({ value, event }: ReadFrame): SentFrame => ({ value: isRecord(value) ? value : {}, event });
