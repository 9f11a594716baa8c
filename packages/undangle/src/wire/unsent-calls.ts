import { saysTheSame } from "#codecs";
import type { PlainTurn } from "#codecs";
import type { AssembledTurn } from "#core";

/** Turns without the calls that have passed: those are told by their ids, or by their places where they have none. */
export function withoutReleased(
  turns: readonly AssembledTurn[],
  released: readonly PlainTurn[],
): readonly AssembledTurn[] {
  return turns.map((turn, t) => {
    const passed = released[t]?.calls ?? [];
    const hasPassed = (id: string, place: number): boolean =>
      passed.some((one, at) => one.id === id || (one.id === "" && at === place));
    return { ...turn, calls: turn.calls.filter(({ id }, place) => !hasPassed(id, place)) };
  });
}

/** True when the calls that have passed are those that the turns have: nothing more of them has come. */
export const areStillSo = (released: readonly PlainTurn[], turns: readonly AssembledTurn[]): boolean =>
  released.every(({ calls }, t) =>
    calls.every((passed, place) => {
      const turn = turns[t];
      const call = turn?.calls.find(({ id }, at) => (passed.id === "" ? at === place : id === passed.id));
      if (turn === undefined || call === undefined) return false;
      return saysTheSame([{ calls: [passed], isEnded: true }], [{ ...turn, calls: [call] }]);
    }),
  );

/** Turns without any. */
export const withoutCalls = (turns: readonly AssembledTurn[]): readonly AssembledTurn[] =>
  turns.map((turn) => ({ ...turn, calls: [] }));
