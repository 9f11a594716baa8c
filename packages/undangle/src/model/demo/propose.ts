import type { ToolDescription } from "../model.ts";
import { fillArguments } from "./arguments/fill-arguments.ts";
import { gather } from "./arguments/gathered.ts";
import type { Gathered } from "./arguments/gathered.ts";
import type { Situation } from "./situation.ts";
import type { Phrases } from "./speech/phrases.ts";
import { operationsIn, operationsOf } from "./wishes/arithmetic.ts";
import type { Wish } from "./wishes/wishes.ts";
import { wordsOf } from "./wishes/words.ts";

/** A call that the model makes. */
export interface ProposedCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** Calls for wishes, and what has to be said about them. */
export interface Proposal {
  readonly calls: readonly ProposedCall[];
  /** Why some wishes have no call. */
  readonly unfillable: readonly string[];
  /** What nobody said, and where it was taken from. */
  readonly madeUp: readonly string[];
}

/** Fills the arguments of calls; what was called with the same ones since the message is not called again. */
export function propose(
  wishes: readonly Wish[],
  situation: Situation,
  { now, words }: { readonly now: number; readonly words: Phrases },
): Proposal {
  const made = new Set(situation.rounds.flat().map(keyOf));
  const calls: ProposedCall[] = [];
  const unfillable: string[] = [];
  const madeUp: (readonly [string, string])[] = [];
  const leftOut: string[] = [];
  const carried: (readonly [string, string])[] = [];
  for (const { tool, text } of wishes) {
    const { name } = tool;
    const gathered = gatherFor(tool, text, situation, now);
    const filling = fillArguments(tool.schema, gathered);
    if (!filling.ok) {
      const { parameter, said } = filling;
      unfillable.push(words.unfillable(name, parameter, said === undefined ? undefined : JSON.stringify(said)));
      continue;
    }
    const call = { name, arguments: filling.arguments };
    if (made.has(keyOf(call))) continue;
    made.add(keyOf(call));
    calls.push(call);
    for (const each of filling.madeUp) madeUp.push([each, JSON.stringify(call.arguments[each])]);
    leftOut.push(...unusedNumbers(tool, gathered).map((number) => words.leftOut(name, number)));
    for (const each of filling.carried) carried.push([each, JSON.stringify(call.arguments[each])]);
  }
  const told = [
    ...leftOut,
    ...(carried.length === 0 ? [] : [words.carried([...new Map(carried)])]),
    ...(madeUp.length === 0 ? [] : [words.madeUp([...new Map(madeUp)])]),
  ];
  return { calls, unfillable, madeUp: told };
}

/** Numbers that are to be calculated with, and for which the tool has no place. */
const unusedNumbers = (tool: ToolDescription, { wish, spent }: Gathered): readonly string[] =>
  operationsOf(tool).size === 0 || operationsIn(wish.text, wish.formulas).size === 0
    ? []
    : wish.numbers.filter(({ at }) => !spent.has(at)).map(({ text }) => text);

/** Where the arguments of a call of this tool are looked for. */
export function gatherFor(
  { name, description }: ToolDescription,
  wish: string,
  situation: Situation,
  now: number,
): Gathered {
  const about = wordsOf(`${name} ${description ?? ""}`);
  const { concepts } = about;
  const isLetter = concepts.has("mail") || concepts.has("message") || concepts.has("send");
  const { wish: message, results, language } = situation;
  const done = [...situation.done].sort((one, other) => Number(other.name === name) - Number(one.name === name));
  return gather({ wish, message, results, fresh: foundIn(situation), done, isLetter, about, language, now });
}

/** How many results have come since the message. */
export const foundIn = ({ rounds }: Situation): number =>
  rounds.flat().filter(({ outcome }) => outcome.type === "succeeded").length;

const keyOf = ({ name, arguments: args }: ProposedCall): string => `${name} ${JSON.stringify(args)}`;
