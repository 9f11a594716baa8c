import { kindOf } from "../wishes/lexicon.ts";
import { conceptOf, isStopWord, stemOf, wordsOf } from "../wishes/words.ts";

/** A number in a text, and what stands around it. */
export interface NumberFact {
  readonly value: number;
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

/** The numbers of a text, in its order. */
export function numbersIn(text: string): readonly NumberFact[] {
  return [...text.matchAll(numbers)].flatMap((match) => {
    const [said, sign, digits = "", unit] = match;
    const value = Number(digits.replaceAll(",", ""));
    const end = match.index + said.length;
    const before = text.slice(Math.max(0, match.index - beside), match.index);
    const after = text.slice(end, end + beside);
    if (!Number.isFinite(value) || /^[A-Za-z]/u.test(after)) return [];
    const isMoney = sign !== undefined || unit !== undefined;
    return [{ value, text: digits, label: labelOf(before, after), around: aroundOf(before, after), isMoney }];
  });
}

/** The word before a number when it is a noun, or the counter behind it. */
function labelOf(before: string, after: string): string {
  const latin = /([A-Za-z]+)\s*(?:#|no\.?|nr\.?|number)?\s*$/u.exec(before)?.[1];
  if (latin !== undefined) {
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
