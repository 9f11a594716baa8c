import { hasSameCalls } from "#codecs";
import type { ClientTurn, ReadEnd } from "#codecs";
import { damageOf } from "#core";
import type { AssembledTurn } from "#core";

import { reportTurns, withoutCancellation } from "../reporter.ts";
import {
  callDiffers,
  concernsCalls,
  failureAtEnd,
  failureOfReleased,
  failureOfSize,
  isTruncated,
  isUnended,
  providerErrorOf,
} from "./failure-reasons.ts";
import type { Failure } from "./failure-reasons.ts";
import type { LiveCalls } from "./live-calls.ts";
import { writeFrames, writeHeldText, writeTexts } from "./perform.ts";
import type { StreamRepair } from "./perform.ts";
import { phaseOf } from "./state.ts";
import { isIntact } from "./transition.ts";

/** Passes or writes the rest of a stream, and reports what was wrong with it. Gives the error in which the body has to end. */
export function endStream(repair: StreamRepair, { isCancelled }: { readonly isCancelled: boolean }): Error | undefined {
  const { reader, writer, unrelated, live, state } = repair;
  const read = reader.end();
  const { turns, texts } = read;
  if (isCancelled && !unrelated.hasEndMarker() && turns.some(isUnended)) return reportCancelled(repair, turns);
  unrelated.end();
  const ending: Ending = {
    ...read,
    isChanged: repair.isChanged || texts.length > 0,
    report: (failure) => reportTurns(turns, repair.exchange, { error: failure?.reason }),
  };
  const failure = failureAtEnd(repair, read);
  if (providerErrorOf(turns) !== undefined) return endInProviderError(repair, ending, failure);
  if (state.phase === "overrun") return reported(ending, failure);
  if (!concernsCalls(repair, read)) return endWithoutCalls(repair, ending, failure);
  if (failure !== undefined) return breakOff(repair, ending, failure);
  const seen = isIntact(state, repair) ? writer.clientTurns() : undefined;
  if (seen !== undefined && hasSameCalls(seen, turns)) {
    writeTexts(repair, texts);
    unrelated.finish();
    if (ending.isChanged) ending.report();
    return undefined;
  }
  unrelated.releaseRest();
  return live === undefined ? writeHeldCalls(repair, ending) : finishLiveCalls(repair, ending, live);
}

/** More than `maxBytes` are kept. The client gets the text and an error. In `warn` mode, only the reporting stops. */
export function giveUp(repair: StreamRepair): Error | undefined {
  const { exchange } = repair;
  const read = repair.reader.end();
  const { turns } = read;
  if (exchange.mode !== "repair") return reportCancelled(repair, turns);
  const report = (failure?: Failure): void =>
    reportTurns(withoutCancellation(turns), exchange, { error: failure?.reason });
  return breakOff(repair, { ...read, isChanged: true, report }, failureOfSize(turns));
}

/** What a stream contained. */
interface Ending extends ReadEnd {
  /** The client did not get exactly what arrived. */
  readonly isChanged: boolean;
  readonly report: (failure?: Failure) => void;
}

/** Reports a stream, and the failure in which it ends. */
function reported({ report }: Ending, failure: Failure | undefined): Error | undefined {
  report(failure);
  return failure && new Error(failure.message);
}

/** The client stopped reading. Only the damage up to that point is reported. */
function reportCancelled(repair: StreamRepair, turns: readonly AssembledTurn[]): undefined {
  const { writer, reader, exchange, state } = repair;
  const isRepaired = repair.isChanged || phaseOf(state) === "rewriting";
  const isDamaged = isRepaired || writer.isRejected() || reader.isIncomplete();
  if (isDamaged || !isValidSoFar(writer.clientTurns(), turns)) {
    reportTurns(withoutCancellation(turns), exchange, { isChanged: exchange.mode === "repair" && isRepaired });
  }
}

/** True when a client reads the calls that arrived so far in the way the model meant them. */
function isValidSoFar(seen: readonly ClientTurn[] | undefined, turns: readonly AssembledTurn[]): boolean {
  if (seen === undefined) return true; // it waits for more
  return turns.every((turn, t) =>
    turn.calls.every((call, place) => {
      const read = seen[t]?.calls[place];
      if (call.state === "truncated" || read === undefined || damageOf(read.arguments) === "truncated") return true;
      return hasSameCalls([{ calls: [read], isEnded: true }], [{ ...turn, calls: [call] }]);
    }),
  );
}

/** The provider reported an error, which the client has. Held calls do not pass. */
function endInProviderError(repair: StreamRepair, ending: Ending, failure: Failure | undefined): Error | undefined {
  const { unrelated, output, writer, held, state } = repair;
  const isHolding = phaseOf(state) !== "passing";
  if (!isHolding && failure === undefined) unrelated.finish();
  else if (!isHolding) unrelated.release(); // without the end marker: a client that stops there would miss the error
  else if (repair.isList && failure === undefined) output.write(writer.endMarker);
  return failure !== undefined || ending.isChanged || held.frames.length > 0 ? reported(ending, failure) : undefined;
}

function endWithoutCalls(repair: StreamRepair, ending: Ending, failure: Failure | undefined): Error | undefined {
  const { writer, unrelated } = repair;
  const { turns, texts, isChanged } = ending;
  writeTexts(repair, texts);
  const isCut = isTruncated(turns);
  const isEnded = repair.state.isTurnOver && (turns.length === 1 || !turns.some(hasNoFinishReason));
  const needsEnd = !isEnded && !isCut && writer.endMarker !== "" && unrelated.isKnown();
  if (needsEnd) writeFrames(repair, writer.writeTurns(withoutCalls(turns), [], repair.template.get())); // clients need more than the end marker
  if (failure === undefined) unrelated.finish(); // else only an end marker is held, and the turn has not ended
  return isChanged || needsEnd || (isCut && unrelated.isKnown()) ? reported(ending, failure) : undefined;
}

const hasNoFinishReason = ({ anomalies }: AssembledTurn): boolean =>
  anomalies.some(({ kind }) => kind === "finish-missing");

/** Calls cannot pass. The client gets the text and an error. */
function breakOff(repair: StreamRepair, ending: Ending, failure: Failure): Error | undefined {
  const error = reported(ending, failure);
  writeHeldText(repair);
  writeTexts(repair, ending.texts);
  writeRemainder(repair, ending);
  repair.unrelated.releaseRest();
  return error;
}

/** The client saw calls while they arrived. It gets the rest of them. */
function finishLiveCalls(repair: StreamRepair, ending: Ending, live: LiveCalls): Error | undefined {
  writeHeldText(repair);
  writeTexts(repair, ending.texts);
  const isComplete = live.finish(ending.calls, repair.template.get());
  const error = reported(ending, isComplete ? undefined : callDiffers);
  if (isComplete) writeEnd(repair, withoutCalls(ending.turns));
  else writeRemainder(repair, ending);
  return error;
}

/** Writes the held calls in the way the model meant them. */
function writeHeldCalls(repair: StreamRepair, ending: Ending): Error | undefined {
  const { state } = repair;
  const error = reported(ending, failureOfReleased(state, ending.turns));
  writeHeldText(repair);
  writeTexts(repair, ending.texts);
  if (error === undefined) writeEnd(repair, withoutReleased(ending.turns, state.released));
  else writeRemainder(repair, ending);
  return error;
}

function writeEnd(repair: StreamRepair, turns: readonly AssembledTurn[]): void {
  const { writer, output, held, template } = repair;
  writeFrames(repair, writer.writeTurns(turns, held.frames, template.get()));
  output.write(writer.endMarker);
}

/** Writes text after calls that do not pass, in formats in which it is held with them. */
function writeRemainder(repair: StreamRepair, { turns: [turn] }: Ending): void {
  if (turn !== undefined) writeFrames(repair, repair.writer.writeRemainder(turn));
}

/** Turns without the calls that passed, matched by id, or by place if they have none. */
function withoutReleased(turns: readonly AssembledTurn[], released: readonly ClientTurn[]): readonly AssembledTurn[] {
  return turns.map((turn, t) => {
    const passed = released[t]?.calls ?? [];
    const hasPassed = (id: string, place: number): boolean =>
      passed.some((one, at) => one.id === id || (one.id === "" && at === place));
    return { ...turn, calls: turn.calls.filter(({ id }, place) => !hasPassed(id, place)) };
  });
}

export const withoutCalls = (turns: readonly AssembledTurn[]): readonly AssembledTurn[] =>
  turns.map((turn) => ({ ...turn, calls: [] }));
