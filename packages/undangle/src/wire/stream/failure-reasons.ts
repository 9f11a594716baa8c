import type { AssembledTurn } from "#core";

/** True for a turn without an end. */
export const isUnended = ({ anomalies }: AssembledTurn): boolean => anomalies.some(({ kind }) => kind === "stream-cut");

/** Why turns are truncated. `isIncomplete`: an event that is not JSON may have contained a call. */
export function truncationReason(turns: readonly AssembledTurn[], isIncomplete: boolean): string {
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

export const tooManyCallBytes = "its tool calls are larger than maxBytes";
export const tooManyHeldBytes = "the events to keep are larger than maxBytes";
export const endedEarly = "the stream ended too early";
export const continuedAfterEnd = "the stream continued after its end-of-turn event";
export const callContinued = "a tool call continued after its end";
export const callDiffers = "the client has received a tool call that differs from the model's";
