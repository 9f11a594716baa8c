import type { Call, Conversation, Result, Turn } from "./conversation.ts";

/** Calls in every tenth turn, at random, lose one result or all of them. */
export const dangling = (source: Conversation): Conversation => damage(source, [loseOne, loseAll]);

/** Every tenth turn, at random, gets one kind of damage, at random. */
export const mixed = (source: Conversation): Conversation =>
  damage(source, [loseOne, loseAll, orphan, duplicate, loseId, cutArguments, delay]);

/** One result without a call, in the middle. */
export const oneOrphan = ({ turns }: Conversation): Conversation => ({
  turns: turns.with(Math.floor(turns.length / 2), orphan(turns[Math.floor(turns.length / 2)] as Turn, 1)), // it is within
});

type Kind = (turn: Turn, chance: number, next: Turn[]) => Turn;

function damage({ turns }: Conversation, kinds: readonly Kind[]): Conversation {
  const output = [...turns];
  const random = randomNumbers();
  for (let at = 0; at < output.length; at++) {
    const [place, kind, chance] = [random(), random(), random()];
    const turn = output[at];
    if (turn === undefined || place % 10 !== 0) continue;
    const next = output.slice(at + 1, at + 2);
    output[at] = pick(kinds, kind)(turn, chance, next);
    if (next[0] !== undefined) output[at + 1] = next[0];
  }
  return { turns: output };
}

/** Whole numbers from a fixed seed (mulberry32), so that every run damages the same turns. */
function randomNumbers(): () => number {
  let state = 1;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}

const pick = <T>(list: readonly T[], chance: number): T => list[chance % list.length] as T; // no list is empty

function loseOne(turn: Turn, chance: number): Turn {
  return { ...turn, results: turn.results.filter((result) => result !== pick(turn.results, chance)) };
}

const loseAll = (turn: Turn): Turn => ({ ...turn, results: [] });

const unknownSerials = 10_000_000;

function orphan(turn: Turn, chance: number): Turn {
  const lost: Result = { ...pick(turn.results, chance), serial: unknownSerials + chance };
  return { ...turn, results: [...turn.results, lost] };
}

function duplicate(turn: Turn, chance: number): Turn {
  const again = pick(turn.results, chance);
  return { ...turn, results: [...turn.results, { ...again, text: `${again.text}\nagain` }] };
}

const changeCall = (turn: Turn, chance: number, change: Partial<Call>): Turn => ({
  ...turn,
  calls: turn.calls.map((call) => (call === pick(turn.calls, chance) ? { ...call, ...change } : call)),
});

const loseId: Kind = (turn, chance) => changeCall(turn, chance, { hasNoId: true });
const cutArguments: Kind = (turn, chance) => changeCall(turn, chance, { isCut: true });

/** A result comes among those of the next turn. */
function delay(turn: Turn, chance: number, next: Turn[]): Turn {
  const late = pick(turn.results, chance);
  if (next[0] !== undefined) next[0] = { ...next[0], results: [...next[0].results, late] };
  return { ...turn, results: turn.results.filter((result) => result !== late) };
}
