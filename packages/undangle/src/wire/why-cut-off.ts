import type { AssembledTurn } from "#core";

/** Why turns are not complete, in words. */
export function whyCutOff(turns: readonly AssembledTurn[]): string {
  const error = turns.find((turn) => turn.error !== undefined)?.error;
  const finishes = turns.map(({ finish }) => finish);
  if (error !== undefined) return error.message;
  if (finishes.includes("length")) return "the answer reached its limit of length";
  if (finishes.includes("content_filter")) return "the provider refused or filtered it";
  if (turns.some(({ finish }) => finish !== null)) return "its arguments end in the middle";
  return tooEarly;
}

export const tooEarly = "the stream ended too early";

export const goneOn = "it went on behind its end";
export const tooLate = "a tool call went on behind its end";
export const whileStreamed = "what the client has of a tool call is not what was meant";
