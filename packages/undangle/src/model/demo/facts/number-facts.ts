import { kindOf } from "../wishes/lexicon.ts";
import { chineseDigits, smallNumber } from "./chinese-numerals.ts";
import { conceptOf, isStopWord, stemOf, wordsOf } from "../wishes/words.ts";

/** A number in a text, and what stands around it. */
export interface NumberFact {
  readonly value: number;
  /** Where its figures stand. */
  readonly at: number;
  /** As it is written. */
  readonly text: string;
  /** The noun that it belongs to, as in "invoice 12"; empty where there is none. */
  readonly label: string;
  /** The words beside it. */
  readonly around: string;
  readonly isMoney: boolean;
}

const numbers =
  /(?<![\w.\u{e000}])([€$£¥]\s*)?(-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)(?![\w%]*@)(\s*(?:euros?\b|eur\b|usd\b|dollars?\b|yuan\b|rmb\b|pounds?\b|€|\$|元|块|人民币|美元|欧元|英镑))?/giu;

/** How far what stands around a number reaches. */
const beside = 40;

/** The numbers of a text, in figures and, before a unit, in words, in its order. */
export const numbersIn = (text: string): readonly NumberFact[] =>
  [...figuresIn(text), ...wordsIn(text)].sort((one, other) => one.at - other.at);

const words: Readonly<Record<string, number>> = Object.fromEntries([
  ..."one two three four five six seven eight nine ten eleven twelve"
    .split(" ")
    .map((word, i) => [word, i + 1] as const),
  ..."fifteen twenty thirty forty fifty sixty seventy eighty ninety"
    .split(" ")
    .map((word, i) => [word, [15, 20, 30, 40, 50, 60, 70, 80, 90][i] ?? 0] as const),
  ["a hundred", 100],
  ["one hundred", 100],
  ["half an", 0.5],
  ["半", 0.5],
  ["半个", 0.5],
]);

const worded = new RegExp(
  `(?<![\\p{L}\\d])(half an|(?:a|one) hundred|${Object.keys(words)
    .filter((word) => /^[a-z]+$/u.test(word))
    .join(
      "|",
    )})\\s+(euros?|dollars?|pounds?|yuan|minutes?|hours?|seconds?|days?|nights?|weeks?|people|persons?|guests?|percent|degrees?)\\b|([${chineseDigits}]{1,3}|半个?)\\s*(元|块|美元|欧元|英镑|分钟|小时|个小时|秒|天|晚|人|位|度)`,
  "giu",
);

/** A number in words is one where what it counts stands behind it. */
const wordsIn = (text: string): readonly NumberFact[] =>
  [...text.matchAll(worded)].flatMap(({ index: at, 1: latin, 2: unit = "", 3: chinese = "", 4: counted = "" }) => {
    const word = latin?.toLowerCase() ?? chinese;
    const value = words[word] ?? smallNumber(word);
    const isMoney = /euro|dollar|pound|yuan|元|块|镑/iu.test(unit + counted);
    return Number.isFinite(value) ? [{ value, at, text: word, label: "", around: ` ${unit}${counted}`, isMoney }] : [];
  });

function figuresIn(text: string): readonly NumberFact[] {
  return [...text.matchAll(numbers)].flatMap((match) => {
    const [said, sign, digits = "", unit] = match;
    const value = Number(digits.replaceAll(",", ""));
    const end = match.index + said.length;
    const before = text.slice(Math.max(0, match.index - beside), match.index);
    const after = text.slice(end, end + beside);
    if (!Number.isFinite(value) || /^[A-Za-z]/u.test(after)) return [];
    const isMoney = sign !== undefined || unit !== undefined;
    return [
      {
        value,
        at: match.index + said.indexOf(digits),
        text: digits,
        label: labelOf(before, after),
        around: aroundOf(before, after),
        isMoney,
      },
    ];
  });
}

/** What is done with a number is not what it belongs to. */
const operators = /^(?:add|sum|plus|subtract|minus|multiply|times|divide|calculate|compute)$/iu;

/** The word before a number when it is a noun, or the counter behind it. */
function labelOf(before: string, after: string): string {
  const latin = /([A-Za-z]+)\s*(?:#|no\.?|nr\.?|number)?\s*$/u.exec(before)?.[1];
  if (latin !== undefined) {
    if (operators.test(latin)) return "";
    const concept = conceptOf(stemOf(latin.toLowerCase()));
    if (concept !== undefined) return kindOf(concept) === "thing" && concept !== "money" ? latin : "";
    const isName = /^\p{Lu}/u.test(latin);
    return isName || isStopWord(latin.toLowerCase()) ? "" : latin;
  }
  const counter = /^\s*(号\p{Script=Han}{0,3}|封\p{Script=Han}{0,2}|条\p{Script=Han}{0,2})/u.exec(after)?.[1];
  if (counter !== undefined) return counter;
  const chinese = /(\p{Script=Han}{1,4})\s*$/u.exec(before)?.[1] ?? "";
  const isThing = [...wordsOf(chinese).concepts].some((name) => kindOf(name) === "thing" && name !== "money");
  return isThing || /第$|编号$/u.test(chinese) ? chinese : "";
}

function aroundOf(before: string, after: string): string {
  const left = /[\p{L}]+[\s:：=#]*(?:is|of|to|是|为)?[\s:：=#]*$/u.exec(before)?.[0] ?? "";
  const right = /^\s*[\p{L}]+/u.exec(after)?.[0] ?? "";
  return `${left} ${right}`;
}
