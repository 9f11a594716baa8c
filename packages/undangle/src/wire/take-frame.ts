import type { ReadFrame } from "#codecs";

import { isSound, release, sentOf, tellHeld, write } from "./mending.ts";
import type { Mending } from "./mending.ts";
import { isBetween, isOfCall, passLive, passPieces, settle, writeLive } from "./pass-live.ts";

/** Decides what becomes of a frame, which is the piece that the passage looks at, or one of several in it. */
export function takeFrame(mending: Mending, frame: ReadFrame, isWhole: boolean): void {
  const { cleaner } = mending;
  const live = mending.frames.isTorn() ? undefined : mending.live; // a call that may lack a piece goes on for nobody
  mending.isPastEnd ||= cleaner.isClosed?.() === true && (frame.said.length > 0 || frame.hasCall);
  if (mending.isPastEnd) return;
  if (live !== undefined && isOfCall(mending, frame, live) && passLive(mending, frame, isWhole, live)) return;
  if (live?.isAtEnd() === true && cleaner.confirmsCall?.(sentOf(frame)) !== false) settle(mending, live, frame); // what comes is none of the call
  if (live?.open() !== undefined && !live.isAtEnd() && !frame.hasCall && !frame.hasEnd && !isSound(mending, frame)) {
    mending.waiting.push(sentOf(frame));
    writeLive(mending, frame, live);
    return;
  }
  const isSaid = frame.said.length > 0 && !frame.hasCall && !frame.hasEnd;
  if (mending.isHolding && isSaid) {
    if (live !== undefined) settle(mending, live, frame);
    // What comes behind an end may be more calls, and one end has to be the last; another answer says nothing of that.
    if (cleaner.isNumbered || !mending.isEndHeld || cleaner.isApart?.(frame.said) === true) release(mending);
  }
  mending.isHolding ||= frame.hasCall || endsTorn(mending, frame) || (frame.hasEnd && mayBeWithCalls(mending, frame));
  if (!mending.isHolding || (isSaid && !cleaner.isNumbered && !isBetween(mending, frame, isWhole))) {
    tellHeld(mending);
    pass(mending, frame, isWhole);
  } else hold(mending, frame, isWhole);
}

/** True for the end of a turn with calls, or of one whose calls may have been lost; and for one that has to be written anew. */
const mayBeWithCalls = (mending: Mending, frame: ReadFrame): boolean =>
  mending.live?.hasBegun() === true || mending.frames.isTorn() || !isSound(mending, frame);

/** True for a frame that would end a call which the client has seen begin and which may lack a piece. */
const endsTorn = (mending: Mending, frame: ReadFrame): boolean =>
  mending.frames.isTorn() && mending.live?.hasBegun() === true && !isSound(mending, frame);

/** Passes a frame that speaks of no call. */
function pass(mending: Mending, frame: ReadFrame, isWhole: boolean): void {
  const { cleaner, passage } = mending;
  const sent = sentOf(frame);
  mending.like = sent.value;
  if (!isSound(mending, frame)) {
    mending.isRewritten = true;
    write(mending, cleaner.mend?.(sent, frame.said) ?? cleaner.say(frame.said, sent.value));
  } else if (isWhole && frame.hasEnd && frame.said.length === 0 && cleaner.mayGoOn?.(sent) === true) {
    passage.wait();
    mending.reason = sent;
  } else if (isWhole) {
    cleaner.passed(sent);
    passage.pass();
  } else {
    mending.isRewritten = true;
    write(mending, [sent]);
  }
}

/** Keeps a frame until it is known what becomes of the calls. */
function hold(mending: Mending, frame: ReadFrame, isWhole: boolean): void {
  const { cleaner, passage, live } = mending;
  if (!cleaner.isNumbered) mending.untold.push(...frame.said);
  const sent = sentOf(frame);
  if (isWhole) passage.wait();
  else mending.isHealthy = false;
  mending.like = sent.value;
  mending.waiting.push(sent);
  cleaner.waits(sent);
  mending.isTried = false;
  mending.isEndHeld ||= frame.hasEnd;
  if (frame.hasCall) live?.waits(frame.slots);
  if (cleaner.endsCall(sent)) release(mending);
  else if (mending.isLive && cleaner.goesOn?.(sent) === true) passPieces(mending, frame);
}
