import type { Format } from "../judge/subject.ts";
import { mutate } from "../judge/mutate.ts";
import type { Random } from "../judge/random.ts";
import { subjects } from "../judge/subjects.ts";
import type { Ear } from "./ear.ts";
import type { Answer, Conversation, Program } from "./program.ts";

/** Does damage to a history: of any kind where its messages are plain, of the plainest where they are objects of a library. */
export function damage({ messages }: Conversation, { history, format }: Program, random: Random): void {
  if (messages.length === 0) return;
  if (history === format) mutateAll(messages, history, random.below(1e9));
  else {
    const [one, other] = [random.below(messages.length), random.below(messages.length)];
    if (random.chance(0.3)) messages.splice(0, one);
    else if (random.chance(0.5)) messages.splice(one, 1);
    else [messages[one], messages[other]] = [messages[other], messages[one]];
  }
}

function mutateAll(messages: unknown[], history: Format, seed: number): void {
  const { listKey } = subjects[history];
  const damaged = mutate({ [listKey]: messages }, history, seed) as Record<string, unknown[]>; // a copy of what was given
  messages.splice(0, messages.length, ...(damaged[listKey] ?? []));
}

/** How a program stops listening before the answer is over. */
export interface Stop {
  /** `soon`: by its signal, after some turns of the loop of events, whatever was heard. */
  readonly way: "abort" | "break" | "soon";
  readonly breaths: number;
  /** Enough was heard. */
  readonly isDue: () => boolean;
}

/** When a program stops listening; undefined for one that does not. */
export function stopFrom({ needsSignal }: Program, random: Random, ear: Ear): Stop | undefined {
  if (!random.chance(0.2)) return undefined;
  const enough = ear.text().length + 8 * random.below(4);
  const way = random.pick(["abort", "break", "soon"] as const);
  return {
    way: way === "break" && needsSignal === true ? "abort" : way,
    breaths: random.below(30),
    isDue: () => ear.text().length >= enough,
  };
}

/** Gives results as they come: all, some, none, twice, out of order, or behind what the user says. */
export function answerSome(conversation: Conversation, { calls }: Answer, random: Random): void {
  const results = calls.map((call, i) => ({ call, text: `result-${i}` }));
  if (results.length === 0 || random.chance(0.15)) return;
  const some = random.chance(0.5) ? results : random.shuffle(results).slice(random.below(results.length));
  if (random.chance(0.1)) conversation.say("Quick.");
  conversation.answer(some);
  if (random.chance(0.1)) conversation.answer(some.slice(0, 1));
}
