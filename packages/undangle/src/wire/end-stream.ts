import { saysTheSame } from "#codecs";
import type { ReadEnd } from "#codecs";
import type { AssembledTurn } from "#core";

import { isLeftOpen, isSoundSoFar } from "./left-open.ts";
import type { LiveCalls } from "./live-calls.ts";
import { hasClientCalls, mustBreak, tellHeld, write } from "./mending.ts";
import type { Mending } from "./mending.ts";
import { tellLeft, tellTurns, withoutLeaving } from "./tell-turns.ts";
import type { Telling } from "./tell-turns.ts";
import { areStillSo, withoutCalls, withoutReleased } from "./unsent-calls.ts";
import { goneOn, tooEarly, tooLate, tooMuch, tooMuchKept, whileStreamed, whyCutOff, whyUnread } from "./why-cut-off.ts";

/** Passes what is left of a stream, or writes it, or says in which error it has to end; and tells what was wrong with it. */
export function endStream(mending: Mending, telling: Telling, { isLeft }: { isLeft: boolean }): Error | undefined {
  const { frames, cleaner, strange, live } = mending;
  const read = frames.end();
  const { turns, said, hasCall } = read;
  if (isLeft && !strange.isMarked() && turns.some(isLeftOpen)) return leave(mending, turns, telling);
  strange.end();
  const ending: Ending = {
    ...read,
    isChanged: mending.isRewritten || strange.isChanged() || said.length > 0,
    isCut: turns.some(({ complete, calls, finish }) => !complete && (calls.length > 0 || finish === null)),
    tell: (error) => tellTurns(turns, telling, error),
  };
  const fault = turns.find(({ error }) => error?.from === "provider")?.error;
  if (fault !== undefined) return endInFault(mending, ending, fault.message);
  if (mending.isPastEnd) {
    ending.tell(goneOn);
    return beyondMending(goneOn);
  }
  const hasCalls = mending.isHolding || hasCall || live?.hasBegun() === true;
  if (!hasCalls && (!hasClientCalls(mending) || !ending.isCut)) return endOfText(mending, ending);
  const unread = ending.isCut ? undefined : whyUnread(turns, cleaner.misreads);
  if (ending.isCut || unread !== undefined) return breakOff(mending, ending, unread);
  const plain = mending.isHealthy ? cleaner.read() : undefined;
  if (plain !== undefined && saysTheSame(plain, turns)) {
    sayLate(mending, ending);
    strange.finish();
    if (ending.isChanged) ending.tell();
    return undefined;
  }
  strange.spill();
  return live === undefined ? writeHeld(mending, ending) : finishLive(mending, ending, live);
}

/** More of a stream is kept than may be: the client gets what was said, and an error. Who only watches it stops doing so. */
export function giveUp(mending: Mending, telling: Telling): Error | undefined {
  const read = mending.frames.end();
  if (!telling.isChanged) return leave(mending, read.turns, telling);
  const tell = (error?: string): void => tellTurns(withoutLeaving(read.turns), telling, error);
  const hasCalls = read.turns.some(({ calls }) => calls.length > 0);
  return breakOff(mending, { ...read, isChanged: true, isCut: false, tell }, hasCalls ? tooMuch : tooMuchKept);
}

/** What a stream has come to. */
interface Ending extends ReadEnd {
  /** What the client got is not what came, or was not all. */
  readonly isChanged: boolean;
  /** It was cut off. */
  readonly isCut: boolean;
  readonly tell: (error?: string) => void;
}

const beyondMending = (reason: string): Error => new Error(`Cannot repair the response: ${reason}`);

/** Nobody reads on: what was wrong until here is told, and nothing else is done. */
function leave(mending: Mending, turns: readonly AssembledTurn[], telling: Telling): undefined {
  const { cleaner, strange } = mending;
  const isMended = mending.isRewritten || mending.isRewriting || strange.isChanged();
  const hasTripped = cleaner.hasTripped() || mending.frames.isTorn();
  const isSound = !isMended && !hasTripped && isSoundSoFar(cleaner.read(), turns);
  if (!isSound) tellLeft(turns, telling, { isChanged: isMended });
}

/** The provider has reported an error, which the client has; calls that wait are none any more. */
function endInFault(mending: Mending, { isChanged, tell }: Ending, message: string): Error | undefined {
  const { strange, passage, cleaner, isHolding } = mending;
  const reason = mustBreak(mending) ? message : undefined;
  if (!isHolding && reason === undefined) strange.finish();
  else if (!isHolding) strange.release(); // without the mark: whoever stops there would not see the error
  else if (mending.isList && reason === undefined) passage.write(cleaner.terminator);
  if (reason !== undefined || isChanged || (isHolding && mending.waiting.length > 0)) tell(reason);
  return reason === undefined ? undefined : new Error(reason);
}

/** Nothing was called. */
function endOfText(mending: Mending, ending: Ending): Error | undefined {
  const { cleaner, strange } = mending;
  const { turns, isChanged, isCut, tell } = ending;
  sayLate(mending, ending);
  const isEnded = mending.hasEnd && (turns.length === 1 || !turns.some(hasNoReason));
  const isUnended = !isEnded && !isCut && cleaner.terminator !== "" && strange.isKnown();
  if (isUnended) write(mending, cleaner.write(withoutCalls(turns), [], mending.like)); // there was only the mark of the end, which no client is content with
  const isHalf = isCut && strange.isKnown();
  const isTorn = mending.frames.isTorn();
  const why = isTorn ? whyCutOff(turns, isTorn) : tooEarly;
  const reason = isHalf && (isTorn || !mending.hasReason) ? why : undefined;
  if (reason === undefined) strange.finish(); // else only a mark waits, of an end that is none
  if (isChanged || isUnended || isHalf) tell(reason);
  return reason === undefined ? undefined : new Error(`The response was cut off: ${reason}`);
}

/** True for one of several answers that ended without a word. */
const hasNoReason = ({ anomalies }: AssembledTurn): boolean => anomalies.some(({ kind }) => kind === "finish-missing");

/** A call is not whole, or its client would take its arguments for others: the client gets what was said, and an error. */
function breakOff(mending: Mending, ending: Ending, unread: string | undefined): Error {
  const { turns, isCut, tell } = ending;
  const reason = unread ?? whyCutOff(turns, mending.frames.isTorn());
  tell(reason);
  tellHeld(mending);
  sayLate(mending, ending);
  sayRest(mending, ending);
  mending.strange.spill();
  return new Error(
    isCut
      ? `The response was cut off in the middle of a tool call: ${reason}`
      : `Cannot repair the response: ${reason}`,
  );
}

/** The client has seen calls grow: it gets what is left of them. */
function finishLive(mending: Mending, ending: Ending, live: LiveCalls): Error | undefined {
  const { cleaner, passage, waiting } = mending;
  const { turns, calls, tell } = ending;
  tellHeld(mending);
  sayLate(mending, ending);
  const isWhole = live.finish(calls, mending.like);
  tell(isWhole ? undefined : whileStreamed);
  if (!isWhole) {
    sayRest(mending, ending);
    return beyondMending(whileStreamed);
  }
  write(mending, cleaner.write(withoutCalls(turns), waiting, mending.like));
  passage.write(cleaner.terminator);
  return undefined;
}

/** The calls that wait are written as they were meant. */
function writeHeld(mending: Mending, ending: Ending): Error | undefined {
  const { cleaner, passage, released, waiting } = mending;
  const { turns, tell } = ending;
  const isLost = mending.isBegun || !areStillSo(released, turns); // what the client has is not what was meant
  tell(isLost ? tooLate : undefined);
  tellHeld(mending);
  sayLate(mending, ending);
  if (isLost) {
    sayRest(mending, ending);
    return beyondMending(tooLate);
  }
  write(mending, cleaner.write(withoutReleased(turns, released), waiting, mending.like));
  passage.write(cleaner.terminator);
  return undefined;
}

/** Says what stands behind calls that cannot pass, in formats in which it waits with them. */
function sayRest(mending: Mending, { turns: [turn] }: Ending): void {
  if (turn !== undefined) write(mending, mending.cleaner.sayRest?.(turn) ?? []);
}

/** Says what was only clear at the end. */
function sayLate(mending: Mending, { said }: Ending): void {
  if (said.length > 0) write(mending, mending.cleaner.say(said, mending.like));
}
