import type { ReadFrame } from "#codecs";
import type { Slot } from "#core";

import type { LiveCalls, Outlook } from "./live-calls.ts";
import { isSound, letPass, release, sentOf, tellHeld, write } from "./mending.ts";
import type { Mending } from "./mending.ts";

/** Passes a frame with calls while they come, or what it says of them; false where it has to wait for the end. */
export function passLive(mending: Mending, frame: ReadFrame, isWhole: boolean, calls: LiveCalls): boolean {
  const { cleaner, frames, passage } = mending;
  settle(mending, calls, frame);
  const sent = sentOf(frame);
  const isNamed = frame.slots.every(({ name }) => name === "" || frames.isPlainName(name));
  const fitness = calls.fitness(frame.slots);
  const isOpen = mending.isHolding && !mending.isEndHeld && outlook(calls, frame) === "open";
  const isFree = !mending.isRewriting && (!mending.isHolding || isOpen);
  const canSay = fitness === "fit" && !isOpen && !frame.hasEnd && !cleaner.isNumbered; // it need not wait: what is said does not
  const isFit = frame.said.length === 0 ? fitness !== "unfit" : canSay;
  const isPlain = isFree && isWhole && isNamed && isFit;
  if (isPlain && frame.hasEnd) return false; // nothing passes as finished before all is known
  mending.like = sent.value;
  if (isPlain) cleaner.waits(sent);
  if (!isPlain || cleaner.hasTripped()) {
    mending.waiting.push(sent);
    writeLive(mending, frame, calls);
  } else if (isOpen || fitness === "doubtful" || cleaner.endsCall(sent)) {
    passage.wait();
    mending.waiting.push(sent);
    mending.isHolding = true;
    calls.waits(frame.slots);
    if (cleaner.endsCall(sent)) endCall(mending, frame, calls);
  } else {
    cleaner.released();
    passage.pass();
    calls.passed(frame.slots);
  }
  return true;
}

/** Frames with calls that were doubtful pass, where what has come now shows that they are as they should be. */
export function settle(mending: Mending, calls: LiveCalls, came: Pick<ReadFrame, "slots" | "said">): void {
  const { cleaner, isEndHeld, isHealthy } = mending;
  if (isEndHeld || !isHealthy || cleaner.hasTripped() || outlook(calls, came) !== "clear") return;
  if (calls.isAtEnd()) mending.released = cleaner.read() ?? mending.released;
  letPass(mending);
}

/** From here on calls are written, and none passes as it came. */
export function writeLive(mending: Mending, frame: ReadFrame, calls: LiveCalls): void {
  const { cleaner } = mending;
  tellHeld(mending);
  mending.isRewriting = true;
  mending.isHealthy = false;
  mending.isHolding = true;
  if (frame.said.length > 0 && !cleaner.isNumbered) write(mending, cleaner.say(frame.said, mending.like));
  calls.write(frame.slots, mending.like);
}

/** True for a frame that speaks of a call, and for one that ends it without a word. */
export const isOfCall = (mending: Mending, frame: ReadFrame, calls: LiveCalls): boolean =>
  frame.hasCall || (calls.hasBegun() && mending.cleaner.endsCall(sentOf(frame)) && !isSound(mending, frame));

/** True for words that come while calls are doubtful: they wait with those, so that all passes in its order. */
export const isBetween = (mending: Mending, frame: ReadFrame, isWhole: boolean): boolean =>
  mending.live !== undefined &&
  !mending.frames.isTorn() &&
  !mending.isEndHeld &&
  outlook(mending.live, frame) === "open" &&
  isWhole &&
  isSound(mending, frame);

/** Passes pieces of a call that is not over, in formats in which they say so; nothing of them can be mended any more. */
export function passPieces(mending: Mending, { slots }: ReadFrame): void {
  const { frames, strange } = mending;
  if (!mending.isHealthy || !slots.every(({ name }) => name === "" || frames.isPlainName(name))) return;
  mending.isBegun = true;
  strange.release();
  mending.waiting = [];
  mending.untold = [];
}

/** The end of a call has come. It passes where that is whole; one without arguments may still get some. */
function endCall(mending: Mending, frame: ReadFrame, calls: LiveCalls): void {
  mending.isTried = false;
  release(mending);
  const open = calls.open();
  if (!mending.isHolding) calls.ended();
  else if (open === undefined) endBesideOthers(mending, frame, calls);
  else if (textOf(open).trim() === "") calls.waitsAtEnd();
  else {
    calls.close(open);
    if (outlook(calls, frame) === "unfit") writeLive(mending, frame, calls);
  }
}

/** Where several calls come side by side, the end of one passes before the others are over, unless one of them is doubtful. */
function endBesideOthers(mending: Mending, frame: ReadFrame, calls: LiveCalls): void {
  const isWhole = (slot: Slot): boolean => slot.isFreeText || mending.frames.isObjectText(textOf(slot));
  const isOver = mending.isHealthy && frame.slots.length > 0 && frame.slots.every(isWhole);
  const isDoubtful = outlook(calls, frame) === "open";
  if (isOver && !isDoubtful) letPass(mending);
  else if (isDoubtful && !isOver) writeLive(mending, frame, calls);
}

const outlook = (calls: LiveCalls, { slots, said }: Pick<ReadFrame, "slots" | "said">): Outlook =>
  calls.outlook({ slots, isSaid: said.length > 0 });

const textOf = ({ fragments }: Slot): string => fragments.join("");
