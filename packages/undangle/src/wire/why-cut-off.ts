import type { AssembledTurn } from "#core";

import { isLeftOpen } from "./left-open.ts";

/** Why turns are not complete, in words; an event that is not JSON may have contained a call. */
export function whyCutOff(turns: readonly AssembledTurn[], isTorn: boolean): string {
  const error = turns.find((turn) => turn.error !== undefined)?.error;
  const finishes = turns.map(({ finish }) => finish);
  if (error !== undefined) return error.message;
  if (finishes.includes("length")) return "the response reached its maximum length";
  if (finishes.includes("content_filter")) return "the provider refused or filtered it";
  const kinds = new Set(turns.flatMap((turn) => turn.anomalies.map(({ kind }) => kind)));
  if (!turns.some(isLeftOpen)) {
    if (kinds.has("call-unreadable")) return "a tool call, or a part of one, cannot be read";
    if (isTorn) return "an event is not JSON";
  }
  if (turns.some(({ finish }) => finish !== null)) return "its arguments end in the middle";
  return tooEarly;
}

/** Which call has arguments that are not a JSON object and that the client misreads, in words; undefined where it misreads none. */
export function whyUnread(
  turns: readonly AssembledTurn[],
  misreads: (text: string) => boolean = () => false,
): string | undefined {
  const calls = turns.flatMap((turn) => turn.calls);
  const nameless = calls.find(({ name }) => name === "");
  if (nameless !== undefined) return `the tool call ${nameless.id} has no name`;
  const call = calls.find(({ state, raw }) => state === "malformed" && misreads(raw));
  return call && `the arguments of the tool call ${call.name} (${call.id}) are not a JSON object`;
}

export const tooMuch = "its tool calls are larger than maxBytes";
export const tooMuchKept = "the events to keep are larger than maxBytes";

export const tooEarly = "the stream ended too early";

export const goneOn = "the stream continued after its end-of-turn event";
export const tooLate = "a tool call continued after its end";
export const whileStreamed = "the client has received a tool call that differs from the model's";
