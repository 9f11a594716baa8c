import { saysTheSame } from "#codecs";
import type { PlainTurn } from "#codecs";
import { damageOf } from "#core";
import type { AssembledTurn } from "#core";

/** True for a turn of which nothing says that it is over: whoever has stopped reading it knows that there is more. */
export const isLeftOpen = ({ anomalies }: AssembledTurn): boolean =>
  anomalies.some(({ kind }) => kind === "stream-cut");

/** True when a client reads what came of calls so far, whatever is missing of them. */
export function isSoundSoFar(plain: readonly PlainTurn[] | undefined, turns: readonly AssembledTurn[]): boolean {
  if (plain === undefined) return true; // it has not tripped, and waits for more
  return turns.every((turn, t) =>
    turn.calls.every((call, place) => {
      const read = plain[t]?.calls[place];
      if (call.state === "truncated" || read === undefined || damageOf(read.arguments) === "truncated") return true;
      return saysTheSame([{ calls: [read], isEnded: true }], [{ ...turn, calls: [call] }]);
    }),
  );
}
