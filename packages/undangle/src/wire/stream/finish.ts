import { hasSameCalls } from "#codecs";
import type { ClientTurn, ReadEnd } from "#codecs";
import { damageOf } from "#core";
import type { AssembledTurn } from "#core";

import { reportTurns, withoutCancellation } from "../reporter.ts";
import type { LiveCalls } from "./live-calls.ts";
import { clientHasCalls, mustBreak, writeFrames, writeHeldText, writeTexts } from "./perform.ts";
import type { StreamRepair } from "./perform.ts";
import { phaseOf } from "./state.ts";
import { isIntact } from "./transition.ts";

/** Passes or writes the rest of a stream, and reports what was wrong with it. Gives the error in which the body has to end. */
export function endStream(repair: StreamRepair, { isCancelled }: { readonly isCancelled: boolean }): Error | undefined {
  const { reader, writer, unrelated, live, state } = repair;
  const read = reader.end();
  const { turns, texts, hasCall } = read;
  if (isCancelled && !unrelated.hasEndMarker() && turns.some(isUnended)) return reportCancelled(repair, turns);
  unrelated.end();
  const ending: Ending = {
    ...read,
    isChanged: repair.isChanged || texts.length > 0,
    isTruncated: turns.some(({ complete, calls, finish }) => !complete && (calls.length > 0 || finish === null)),
    report: (error) => reportTurns(turns, repair.exchange, { error }),
  };
  const fault = turns.find(({ error }) => error?.from === "provider")?.error;
  if (fault !== undefined) return endInProviderError(repair, ending, fault.message);
  if (state.phase === "overrun") {
    ending.report(continuedAfterEnd);
    return unrepairable(continuedAfterEnd);
  }
  const hasCalls = state.phase !== "passing" || hasCall || live?.hasBegun() === true;
  if (!hasCalls && (!clientHasCalls(repair) || !ending.isTruncated)) return endWithoutCalls(repair, ending);
  const misread = ending.isTruncated ? undefined : misreadReason(turns, writer.misreads);
  if (ending.isTruncated || misread !== undefined) return breakOff(repair, ending, misread);
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
  if (exchange.mode !== "repair") return reportCancelled(repair, read.turns);
  const report = (error?: string): void => reportTurns(withoutCancellation(read.turns), exchange, { error });
  const hasCalls = read.turns.some(({ calls }) => calls.length > 0);
  const reason = hasCalls ? tooManyCallBytes : tooManyHeldBytes;
  return breakOff(repair, { ...read, isChanged: true, isTruncated: false, report }, reason);
}

/** What a stream contained. */
interface Ending extends ReadEnd {
  /** The client did not get exactly what arrived. */
  readonly isChanged: boolean;
  readonly isTruncated: boolean;
  readonly report: (error?: string) => void;
}

const unrepairable = (reason: string): Error => new Error(`Cannot repair the response: ${reason}`);

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
function endInProviderError(repair: StreamRepair, { isChanged, report }: Ending, message: string): Error | undefined {
  const { unrelated, output, writer, held, state } = repair;
  const isHolding = phaseOf(state) !== "passing";
  const reason = mustBreak(repair) ? message : undefined;
  if (!isHolding && reason === undefined) unrelated.finish();
  else if (!isHolding) unrelated.release(); // without the end marker: a client that stops there would miss the error
  else if (repair.isList && reason === undefined) output.write(writer.endMarker);
  if (reason !== undefined || isChanged || held.frames.length > 0) report(reason);
  return reason === undefined ? undefined : new Error(reason);
}

function endWithoutCalls(repair: StreamRepair, ending: Ending): Error | undefined {
  const { writer, unrelated, reader } = repair;
  const { turns, texts, isChanged, isTruncated, report } = ending;
  writeTexts(repair, texts);
  const isEnded = repair.state.isTurnOver && (turns.length === 1 || !turns.some(hasNoFinishReason));
  const needsEnd = !isEnded && !isTruncated && writer.endMarker !== "" && unrelated.isKnown();
  if (needsEnd) writeFrames(repair, writer.writeTurns(withoutCalls(turns), [], repair.template.get())); // clients need more than the end marker
  const isCut = isTruncated && unrelated.isKnown();
  const isIncomplete = reader.isIncomplete();
  const hasReason = !isIncomplete && repair.state.hasFinishReason;
  const reason = !isCut || hasReason ? undefined : isIncomplete ? truncationReason(turns, isIncomplete) : endedEarly;
  if (reason === undefined) unrelated.finish(); // else only an end marker is held, and the turn has not ended
  if (isChanged || needsEnd || isCut) report(reason);
  return reason === undefined ? undefined : new Error(`The response was cut off: ${reason}`);
}

const hasNoFinishReason = ({ anomalies }: AssembledTurn): boolean =>
  anomalies.some(({ kind }) => kind === "finish-missing");

/** A call is truncated, or the client would misread its arguments. The client gets the text and an error. */
function breakOff(repair: StreamRepair, ending: Ending, misread: string | undefined): Error {
  const { turns, texts, isTruncated, report } = ending;
  const reason = misread ?? truncationReason(turns, repair.reader.isIncomplete());
  report(reason);
  writeHeldText(repair);
  writeTexts(repair, texts);
  writeRemainder(repair, ending);
  repair.unrelated.releaseRest();
  return isTruncated
    ? new Error(`The response was cut off in the middle of a tool call: ${reason}`)
    : unrepairable(reason);
}

/** The client saw calls while they arrived. It gets the rest of them. */
function finishLiveCalls(repair: StreamRepair, ending: Ending, live: LiveCalls): Error | undefined {
  writeHeldText(repair);
  writeTexts(repair, ending.texts);
  const isComplete = live.finish(ending.calls, repair.template.get());
  ending.report(isComplete ? undefined : callDiffers);
  if (isComplete) return writeEnd(repair, withoutCalls(ending.turns));
  writeRemainder(repair, ending);
  return unrepairable(callDiffers);
}

/** Writes the held calls in the way the model meant them. */
function writeHeldCalls(repair: StreamRepair, ending: Ending): Error | undefined {
  const { released, hasPartialCall } = repair.state;
  const isLost = hasPartialCall || !areUnchanged(released, ending.turns);
  ending.report(isLost ? callContinued : undefined);
  writeHeldText(repair);
  writeTexts(repair, ending.texts);
  if (!isLost) return writeEnd(repair, withoutReleased(ending.turns, released));
  writeRemainder(repair, ending);
  return unrepairable(callContinued);
}

function writeEnd(repair: StreamRepair, turns: readonly AssembledTurn[]): undefined {
  const { writer, output, held, template } = repair;
  writeFrames(repair, writer.writeTurns(turns, held.frames, template.get()));
  output.write(writer.endMarker);
}

/** Writes text after calls that do not pass, in formats in which it is held with them. */
function writeRemainder(repair: StreamRepair, { turns: [turn] }: Ending): void {
  if (turn !== undefined) writeFrames(repair, repair.writer.writeRemainder?.(turn) ?? []);
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

/** True when nothing more arrived of the calls that passed. */
const areUnchanged = (released: readonly ClientTurn[], turns: readonly AssembledTurn[]): boolean =>
  released.every(({ calls }, t) =>
    calls.every((passed, place) => {
      const turn = turns[t];
      const call = turn?.calls.find(({ id }, at) => (passed.id === "" ? at === place : id === passed.id));
      if (turn === undefined || call === undefined) return false;
      return hasSameCalls([{ calls: [passed], isEnded: true }], [{ ...turn, calls: [call] }]);
    }),
  );

/** True for a turn without an end. */
const isUnended = ({ anomalies }: AssembledTurn): boolean => anomalies.some(({ kind }) => kind === "stream-cut");

/** Why turns are truncated. `isIncomplete`: an event that is not JSON may have contained a call. */
function truncationReason(turns: readonly AssembledTurn[], isIncomplete: boolean): string {
  const error = turns.find((turn) => turn.error !== undefined)?.error;
  const finishes = turns.map(({ finish }) => finish);
  if (error !== undefined) return error.message;
  if (finishes.includes("length")) return "the response reached its maximum length";
  if (finishes.includes("content_filter")) return "the provider refused or filtered it";
  const kinds = new Set(turns.flatMap((turn) => turn.anomalies.map(({ kind }) => kind)));
  if (!turns.some(isUnended)) {
    if (kinds.has("call-unreadable")) return "a tool call, or a part of one, cannot be read";
    if (isIncomplete) return "an event is not JSON";
  }
  if (turns.some(({ finish }) => finish !== null)) return "its arguments end in the middle";
  return endedEarly;
}

/** Which call has no name, or has arguments that are not a JSON object and that the client would misread. */
export function misreadReason(
  turns: readonly AssembledTurn[],
  misreads: (text: string) => boolean = () => false,
): string | undefined {
  const calls = turns.flatMap((turn) => turn.calls);
  const nameless = calls.find(({ name }) => name === "");
  if (nameless !== undefined) return `the tool call ${nameless.id} has no name`;
  const call = calls.find(({ state, raw }) => state === "malformed" && misreads(raw));
  return call && `the arguments of the tool call ${call.name} (${call.id}) are not a JSON object`;
}

const tooManyCallBytes = "its tool calls are larger than maxBytes";
const tooManyHeldBytes = "the events to keep are larger than maxBytes";
const endedEarly = "the stream ended too early";
const continuedAfterEnd = "the stream continued after its end-of-turn event";
const callContinued = "a tool call continued after its end";
const callDiffers = "the client has received a tool call that differs from the model's";

export const withoutCalls = (turns: readonly AssembledTurn[]): readonly AssembledTurn[] =>
  turns.map((turn) => ({ ...turn, calls: [] }));
