import { isRecord } from "#core";

import { factsOf } from "./facts/facts.ts";
import type { Settled, Situation } from "./situation.ts";
import type { Phrases } from "./speech/phrases.ts";
import { ended, shownResult } from "./speech/shown-result.ts";
import { latinWords, stemOf, wordsOf } from "./wishes/words.ts";

const longest = 80;

/** Where a question comes from. */
export interface Asking {
  readonly words: Phrases;
  readonly now: number;
  /** Whether a tool is for what is asked. */
  readonly hasTool: boolean;
}

/**
 * The answer to a question about what a tool has said before; undefined for one about anything else. What a tool would say now is
 * asked of the tool, unless it was the last to say something.
 */
export function recall(situation: Situation, { words, now, hasTool }: Asking): string | undefined {
  const { said, done, wish, previous } = situation;
  if (said !== wish || said.length > longest || !asks.test(said) || namesSomething(said, now)) return undefined;
  if (wholeResult.test(said)) {
    const last = done.find((call) => resultOf(call) !== "");
    return last === undefined ? undefined : told(last, resultOf(last), words);
  }
  const isPast = past.test(said);
  if (!isPast && wordsOf(said).concepts.has("time")) return undefined; // it is later by now
  const asked = askedFor(said);
  for (const call of isPast || !hasTool ? done : previous) {
    const found = pairsIn(call).filter(([name, value]) => isAbout(asked, name, value));
    if (found.length > 0)
      return told(call, words.pairs(found.map(([name, value]) => words.pair(name, String(value)))), words);
  }
  return undefined;
}

const past = /\b(?:was|were|did|said)\b|刚才|刚刚|之前/iu;

const told = ({ name }: Settled, text: string, words: Phrases): string =>
  ended(words.recalled(name, shownResult(text, words)), words);

const asks = /[?？]\s*$|^(?:what|how|which|was|were|is|are|did|tell me|say|repeat|and the)\b|多少|什么|吗|呢|再说|几/iu;
const wholeResult =
  /^(?:(?:please )?(?:tell|show|give) me (?:the |that )?(?:results?|answer)(?: again)?|(?:please )?(?:repeat|say) (?:that|it|the results?)(?: again)?|what (?:was|were|is) the (?:results?|answer)(?: again)?|what did (?:it|they|the tool) say|结果(?:是什么|是多少|呢)|刚才的?结果(?:是什么|是多少|呢)?|再说一[遍次](?:结果)?)[\s.?!。？！]*$/iu;

/** Whoever names a place, a day or a number asks for something new. */
function namesSomething(said: string, now: number): boolean {
  const { places, dates, times, numbers, paths, emails, urls, ids, quoted, names } = factsOf(said, now);
  const isAgain = /\b(?:now|today|again now|check|refresh|update)\b|现在|今天|再查|重新/iu.test(said);
  return (
    isAgain || [places, dates, times, numbers, paths, emails, urls, ids, quoted, names].some(({ length }) => length > 0)
  );
}

/** Other words for what results call by these names. */
const otherWords: readonly (readonly [said: RegExp, names: string])[] = [
  [/\b(?:warm|hot|cold|cool|degrees?)\b|温度|气温|多热|多冷|几度|多少度/iu, "temperature temp degrees"],
  [/\bhumid\w*|湿度|潮湿/iu, "humidity"],
  [/\bwind\w*|风速|风力/iu, "wind"],
  [/\b(?:cost|expensive|price|how much)\b|价格|多少钱|费用/iu, "price cost amount total"],
  [/余额/u, "balance"],
  [/状态/u, "status state"],
  [/名字|名称|\bcalled\b/iu, "name title"],
  [/地址/u, "address"],
  [/几点|时间/u, "time"],
];

/** The stems that a question is about. */
function askedFor(said: string): ReadonlySet<string> {
  const meant = otherWords.flatMap(([pattern, names]) => (pattern.test(said) ? names.split(" ") : []));
  return new Set([...latinWords(said), ...meant].map(stemOf));
}

/** A question is about a value by its name, or by the value itself: "is it sunny?" */
function isAbout(asked: ReadonlySet<string>, name: string, value: unknown): boolean {
  const isNamed = latinWords(name).some((word) => asked.has(stemOf(word)));
  const [only, ...more] = typeof value === "string" ? latinWords(value) : [];
  return isNamed || (only !== undefined && more.length === 0 && only.length > 3 && asked.has(stemOf(only)));
}

const resultOf = ({ outcome }: Settled): string => (outcome.type === "succeeded" ? outcome.text : "");

/** What a result that is an object says, by name. */
function pairsIn(call: Settled): readonly (readonly [name: string, value: unknown])[] {
  const text = resultOf(call);
  if (!text.startsWith("{")) return [];
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? Object.entries(value).filter(([, each]) => typeof each !== "object") : [];
  } catch {
    return []; // it only looks like JSON
  }
}
