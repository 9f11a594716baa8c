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

/** Turns without any. */
export const withoutCalls = (turns: readonly AssembledTurn[]): readonly AssembledTurn[] =>
  turns.map((turn) => ({ ...turn, calls: [] }));
