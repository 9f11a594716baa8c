import { hasSameCalls } from "#codecs";
import type { ClientTurn, FrameReader, ReadEnd, ReadFrame, StreamDialect, StreamWriter } from "#codecs";
import { isRecord } from "#core";
import type { AssembledTurn } from "#core";

import type { LiveCalls } from "./live-calls.ts";
import type { ErrorEvent, FrameEvent, StreamState } from "./state.ts";

/**
 * Why the body of a response ends in an error, so that no client takes what it has for the complete turn:
 *
 * 1. The provider reported an error that clients do not recognise, or after which they would keep a call (`mustBreak`).
 * 2. Content followed the end of the turn, which the client has seen (`isOverrun`).
 * 3. The turn is truncated: the stream or a limit ended it, or an event that cannot be read may have contained a call.
 * 4. A call has no name, or arguments that the client would misread (`misreadReason`).
 * 5. The client has a call, or a part of one, that differs from what the model meant.
 * 6. More than `maxBytes` would have to be kept (`isTooLarge`).
 * 7. An event could not be handled after the output was changed (`failureOf`).
 *
 * Everything else passes, or is repaired.
 */
export interface Failure {
  /** The reason, as it is reported. */
  readonly reason: string;
  /** The message of the error that the client gets. */
  readonly message: string;
}

const unrepairable = (reason: string): Failure => ({ reason, message: `Cannot repair the response: ${reason}` });

/** A stream as far as it was read, and what the client has of it. */
interface Stream {
  readonly state: StreamState;
  readonly live: Pick<LiveCalls, "hasBegun"> | undefined;
  readonly reader: Pick<FrameReader, "isIncomplete">;
  readonly writer: Pick<StreamWriter, "misreads">;
  readonly unrelated: { readonly isKnown: () => boolean };
}

/** Why a stream that has ended must end in an error (1 to 4). */
export function failureAtEnd(stream: Stream, read: ReadEnd): Failure | undefined {
  const { turns } = read;
  const error = providerErrorOf(turns);
  if (error !== undefined) return mustBreak(stream) ? { reason: error, message: error } : undefined;
  if (stream.state.phase === "overrun") return unrepairable("the stream continued after its end-of-turn event");
  if (!concernsCalls(stream, read)) return isTruncated(turns) ? failureOfText(stream, turns) : undefined;
  if (!isTruncated(turns)) {
    const misread = misreadReason(turns, stream.writer.misreads);
    return misread === undefined ? undefined : unrepairable(misread);
  }
  const reason = truncationReason(turns, stream);
  return { reason, message: `The response was cut off in the middle of a tool call: ${reason}` };
}

// 1. Errors of the provider

export const providerErrorOf = (turns: readonly AssembledTurn[]): string | undefined =>
  turns.find(({ error }) => error?.from === "provider")?.error?.message;

/** What an event shows about the error that it reports, or that was reported before it. */
export const errorEvent = (read: readonly ReadFrame[], isCanonical: boolean, dialect: StreamDialect): ErrorEvent => ({
  type: "error",
  read,
  isCanonical,
  hasCall: read.some(({ hasCall }) => hasCall),
  isError: read.some(isError),
  isFinishReason: read.some((frame) => frame.hasEnd && !isInChoice(frame)),
  isVisible: isVisible(read, dialect),
});

/** Whether the body has to end in an error after the first event that reports one, or may continue. */
export const afterError = (
  { hasCall, isFinishReason, isVisible }: ErrorEvent,
  { readsAfterError }: Pick<StreamDialect, "readsAfterError">,
) => ({
  mustBreak: hasCall || !(isFinishReason || isVisible),
  mayContinue: isFinishReason && readsAfterError,
});

/** After an error of the provider, the client must not take what it has for a complete response. */
export const mustBreak = (stream: Pick<Stream, "state" | "live">): boolean =>
  (stream.state.phase === "failed" && stream.state.mustBreak) || clientHasCalls(stream);

/** The client has a call or a part of one. */
const clientHasCalls = ({ state, live }: Pick<Stream, "state" | "live">): boolean =>
  state.released.length > 0 || state.hasPartialCall || live?.hasBegun() === true;

const isError = ({ value, hasEnd }: ReadFrame): boolean =>
  !hasEnd && isRecord(value) && (Boolean(value["error"]) || value["type"] === "error");

/** True for an error inside of a choice, where no client looks for it. */
const isInChoice = ({ value }: ReadFrame): boolean =>
  isRecord(value) &&
  Array.isArray(value["choices"]) &&
  value["choices"].some((choice) => isRecord(choice) && choice["error"]);

/** True if clients recognise the error. An event without frames is one named `error` that is not JSON. */
const isVisible = (read: readonly ReadFrame[], { isVisibleError }: StreamDialect): boolean =>
  read.length === 0 ? isVisibleError(undefined) : read.some(({ value }) => isRecord(value) && isVisibleError(value));

// 2. Content after the end

export const isOverrun = ({ texts, hasCall }: FrameEvent, writer: StreamWriter): boolean =>
  writer.isEnded() && (texts.length > 0 || hasCall);

// 3. Truncated turns

/** True for a turn that did not end, and for one with a call that is incomplete or lost. */
export const isTruncated = (turns: readonly AssembledTurn[]): boolean =>
  turns.some(({ complete, calls, finish }) => !complete && (calls.length > 0 || finish === null));

/** True if the end of a stream is about calls: some are held, or the client has some of a truncated turn. */
export const concernsCalls = (stream: Stream, { turns, hasCall }: ReadEnd): boolean =>
  stream.state.phase !== "passing" ||
  hasCall ||
  stream.live?.hasBegun() === true ||
  (clientHasCalls(stream) && isTruncated(turns));

/** Truncated text, unless its finish reason has arrived. A body without events of the format passes as it is. */
function failureOfText(stream: Stream, turns: readonly AssembledTurn[]): Failure | undefined {
  const isIncomplete = stream.reader.isIncomplete();
  if (!stream.unrelated.isKnown() || (stream.state.hasFinishReason && !isIncomplete)) return undefined;
  const reason = isIncomplete ? truncationReason(turns, stream) : endedEarly;
  return { reason, message: `The response was cut off: ${reason}` };
}

function truncationReason(turns: readonly AssembledTurn[], { reader }: Stream): string {
  const error = turns.find((turn) => turn.error !== undefined)?.error;
  const finishes = turns.map(({ finish }) => finish);
  if (error !== undefined) return error.message;
  if (finishes.includes("length")) return "the response reached its maximum length";
  if (finishes.includes("content_filter")) return "the provider refused or filtered it";
  if (!turns.some(isUnended)) {
    const isUnreadable = turns.some(({ anomalies }) => anomalies.some(({ kind }) => kind === "call-unreadable"));
    if (isUnreadable) return "a tool call, or a part of one, cannot be read";
    if (reader.isIncomplete()) return "an event is not JSON";
  }
  return finishes.some((finish) => finish !== null) ? "its arguments end in the middle" : endedEarly;
}

const endedEarly = "the stream ended too early";

/** True for a turn without an end. */
export const isUnended = ({ anomalies }: AssembledTurn): boolean => anomalies.some(({ kind }) => kind === "stream-cut");

// 4. Calls that the client would misread

/** Which call has no name, or has arguments that are not a JSON object and that the client would misread. */
export function misreadReason(
  turns: readonly AssembledTurn[],
  misreads: (text: string) => boolean,
): string | undefined {
  const calls = turns.flatMap((turn) => turn.calls);
  const nameless = calls.find(({ name }) => name === "");
  if (nameless !== undefined) return `the tool call ${nameless.id} has no name`;
  const call = calls.find(({ state, raw }) => state === "malformed" && misreads(raw));
  return call && `the arguments of the tool call ${call.name} (${call.id}) are not a JSON object`;
}

// 5. Calls that the client has

/** Of a live call, the client has something that the model did not mean. */
export const callDiffers = unrepairable("the client has received a tool call that differs from the model's");

/** More arrived of calls that passed, or only a part of a call passed. */
export function failureOfReleased(state: StreamState, turns: readonly AssembledTurn[]): Failure | undefined {
  const isLost = state.hasPartialCall || !areUnchanged(state.released, turns);
  return isLost ? unrepairable("a tool call continued after its end") : undefined;
}

const areUnchanged = (released: readonly ClientTurn[], turns: readonly AssembledTurn[]): boolean =>
  released.every(({ calls }, t) =>
    calls.every((passed, place) => {
      const turn = turns[t];
      const call = turn?.calls.find(({ id }, at) => (passed.id === "" ? at === place : id === passed.id));
      if (turn === undefined || call === undefined) return false;
      return hasSameCalls([{ calls: [passed], isEnded: true }], [{ ...turn, calls: [call] }]);
    }),
  );

// 6. Size

/** The bytes of a stream that are in memory. */
interface KeptBytes {
  /** Of calls and held events. */
  readonly kept: number;
  /** Of the event whose end has not arrived. */
  readonly incomplete: number;
}

/** A call or an event that does not end must not fill the memory. Valid events may be larger than `maxBytes`. */
export const isTooLarge = ({ kept, incomplete }: KeptBytes, maxBytes: number): boolean =>
  kept > maxBytes || incomplete > Math.max(maxBytes, largestEvent);

const largestEvent = 64 * 1024 * 1024;

export const failureOfSize = (turns: readonly AssembledTurn[]): Failure =>
  unrepairable(
    turns.some(({ calls }) => calls.length > 0)
      ? "its tool calls are larger than maxBytes"
      : "the events to keep are larger than maxBytes",
  );

// 7. Events that cannot be handled

/** The error of an event that could not be handled. A deeply nested value, for example, cannot be written. */
export const failureOf = (error: unknown): Error =>
  new Error(
    error instanceof RangeError ? "Cannot repair the response: it is nested too deeply" : "Cannot repair the response",
    { cause: error },
  );
