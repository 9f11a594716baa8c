/** A call that the model made, with digests of its arguments and its result. */
export interface MadeCall {
  readonly id: string;
  readonly call: string;
  /** Empty for a call that is settled without a result of its own. Undefined while it is open. */
  readonly result?: string;
}

/** The calls of one turn, sorted by their digests, because calls of a turn have no order. */
export type MadeTurn = readonly MadeCall[];

export interface LoopState {
  /** The last turns with calls. */
  readonly turns: readonly MadeTurn[];
}

export type LoopUpdate =
  | { readonly type: "forget" | "settle" }
  | { readonly type: "made"; readonly turn: MadeTurn }
  | { readonly type: "ended"; readonly id: string; readonly result: string };

/** The longest sequence of turns that is recognised as one repetition. */
export const longestPeriod = 3;

export const findTurn = ({ turns }: LoopState, id: string): MadeTurn | undefined =>
  turns.find((turn) => turn.some((each) => each.id === id));

/** How often the last turns were made. */
export interface Repetition {
  readonly times: number;
  /** The number of turns of one repetition. */
  readonly period: number;
  /** True if the last turn completes a repetition. */
  readonly isComplete: boolean;
}

/** The repetition at the end of a list of turns. */
export function repetitionOf(turns: readonly MadeTurn[]): Repetition {
  let longest: Repetition = { times: 1, period: 1, isComplete: true };
  for (let period = 1; period <= longestPeriod; period++) {
    const repeated = repeatedAtEnd(turns, period);
    const times = Math.floor(repeated / period);
    if (times > longest.times) longest = { times, period, isComplete: repeated % period === 0 };
  }
  return longest;
}

/** The repetition if the next turn is the expected one, for a call of it. The other calls of the turn are not known. */
export function expectedRepetition(turns: readonly MadeTurn[], call: string): Repetition {
  const expected = turns
    .slice(-longestPeriod)
    .filter((turn) => turn.some((each) => each.call === call))
    .map((turn) => repetitionOf([...turns, turn.map((each) => ({ id: "", call: each.call }))]));
  return expected.reduce((one, other) => (other.times > one.times ? other : one), repetitionOf([]));
}

/** The number of turns at the end that repeat with this period. A call without a result of its own repeats any result. */
function repeatedAtEnd(turns: readonly MadeTurn[], period: number): number {
  const newest = turns.toReversed();
  const results = new Map<string, string>(); // the result of each call of the period
  const end = newest.findIndex((turn, i) => {
    const place = i % period;
    const same = newest[place];
    return (
      turn.length !== same?.length ||
      turn.some(({ call, result = "" }, j) => {
        const key = `${place} ${j}`;
        const known = results.get(key) ?? "";
        if (call !== same[j]?.call || (result !== "" && known !== "" && result !== known)) return true;
        if (known === "") results.set(key, result);
        return false;
      })
    );
  });
  return end === -1 ? newest.length : end;
}

export const isOpen = ({ result }: MadeCall): boolean => result === undefined;

/** The most calls in the state of a thread. */
const mostCalls = 300;

/** The turns after an update: at most `most`, and not more calls than fit. */
export function reduced(turns: readonly MadeTurn[], update: LoopUpdate, most: number): readonly MadeTurn[] {
  const mapped = (change: (call: MadeCall) => MadeCall): readonly MadeTurn[] => turns.map((turn) => turn.map(change));
  switch (update.type) {
    case "forget":
      return [];
    case "settle":
      return mapped((each) => (isOpen(each) ? { ...each, result: "" } : each));
    case "ended":
      return mapped((each) => (each.id === update.id ? { ...each, result: update.result } : each));
    case "made": {
      const last = [...turns, update.turn].slice(-most);
      let left = mostCalls;
      const first = last.findLastIndex((turn) => (left -= turn.length) < 0);
      return last.slice(first + 1);
    }
  }
}
