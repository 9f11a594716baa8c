import type { Language } from "#core";

import { factsOf } from "../facts/facts.ts";
import type { Facts } from "../facts/facts.ts";
import { knownValuesIn } from "../facts/known-values.ts";
import type { KnownValues } from "../facts/known-values.ts";
import { isGrave } from "../wishes/lexicon.ts";
import type { Words } from "../wishes/words.ts";

/** Where the arguments of one call are looked for. */
export interface Gathered {
  /** The part of the message that the call is for. */
  readonly wish: Facts;
  /** The rest of the message. */
  readonly around: readonly Facts[];
  /** What tools have said since the message, the newest first. */
  readonly results: readonly Facts[];
  /** What results since the message said, by name. */
  readonly known: KnownValues;
  /** What all results said: an id stays one. */
  readonly earlier: KnownValues;
  /** What has become an argument already. */
  readonly used: Set<string>;
  /** Where in the wish the numbers and the choices stand that have become one: the same may be said twice. */
  readonly spent: Set<number>;
  /** The arguments of earlier calls, by name, the newest first. */
  readonly before: KnownValues;
  /** The call does harm where nobody asked for it. */
  readonly isGrave: boolean;
  /** The call sends words to somebody: these are not the words of the wish. */
  readonly isLetter: boolean;
  /** What the tool is about. */
  readonly about: Words;
  /** It is the final answer that is put together, of whatever was found out. */
  readonly isAnswer: boolean;
  readonly language: Language;
  readonly now: number;
}

/** What is said where a call comes from. */
export interface Telling {
  readonly wish: string;
  /** The whole message. */
  readonly message: string;
  /** Texts of results, the newest first, and how many of them came since the message. */
  readonly results: readonly string[];
  readonly fresh: number;
  /** Calls before the message that were carried out, the newest first. */
  readonly done: readonly { readonly arguments: Readonly<Record<string, unknown>> }[];
  readonly isLetter: boolean;
  readonly about: Words;
  readonly language: Language;
  readonly now: number;
}

const longest = 2000;

export function gather(telling: Telling): Gathered {
  const { wish, message, results, fresh, done, isLetter, about, language, now } = telling;
  return {
    wish: factsOf(wish, now),
    around: message === wish ? [] : [factsOf(message, now)],
    results: results.slice(0, fresh).map((text) => factsOf(text.slice(0, longest).replaceAll(/\s{8,}/gu, "\n"), now)),
    known: knownValuesIn(results.slice(0, fresh)),
    earlier: knownValuesIn(results),
    used: new Set(),
    spent: new Set(),
    before: knownValuesIn(done.map(({ arguments: args }) => JSON.stringify(args))),
    isGrave: [...about.concepts].some(isGrave),
    isLetter,
    about,
    isAnswer: false,
    language,
    now,
  };
}
