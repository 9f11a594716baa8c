import { conceptOf, isStopWord, stemOf } from "../wishes/words.ts";
import { chineseDigits, smallNumber } from "./chinese-numerals.ts";

/** "3 pens", and where the number stands. */
export interface CountedThing {
  readonly count: number;
  readonly thing: string;
  readonly at: number;
}

const english =
  /(?<![\w.,$€£-])(\d{1,5}|an?|one|two|three|four|five|six|ten)\s+([a-z][a-z-]*(?: [a-z][a-z-]*)?)(?=\s*(?:[,.;!?]|$|\b(?:and|to|for|from|with|at|in|by)\b))/gu;
const chinese = new RegExp(
  `(\\d{1,5}|[${chineseDigits}]{1,3})\\s*[本个件份支枝张盒瓶箱台部只条双块杯碗袋套把辆]\\s*(\\p{Script=Han}{1,6}?)(?=[，。、；！\\s和与及]|$|[送寄发到])`,
  "gu",
);

const words: Readonly<Record<string, number>> = {
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  ten: 10,
};
const measures = /^(?:minute|hour|day|week|month|year|euro|dollar|pound|yuan|percent|degree|people|person|time)s?\b/u;

/** The things that a text counts, in its order. */
export function countedThingsIn(text: string): readonly CountedThing[] {
  const latin = [...text.matchAll(english)].map(({ index: at, 1: count = "", 2: thing = "" }) => ({
    count: words[count] ?? Number(count),
    thing,
    at,
  }));
  const han = [...text.matchAll(chinese)].map(({ index: at, 1: count = "", 2: thing = "" }) => ({
    count: smallNumber(count),
    thing,
    at,
  }));
  return [...latin.filter(({ thing }) => isThing(thing)), ...han]
    .filter(({ count }) => Number.isFinite(count))
    .sort((one, other) => one.at - other.at);
}

function isThing(text: string): boolean {
  const [first = ""] = text.split(" ");
  return !measures.test(text) && !isStopWord(first) && conceptOf(stemOf(first)) !== "calendar";
}
