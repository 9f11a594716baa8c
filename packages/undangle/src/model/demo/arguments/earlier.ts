import { knownValue } from "../facts/known-values.ts";
import { wordsOf } from "../wishes/words.ts";
import type { Filler, Wanted } from "./filler.ts";
import type { Gathered } from "./gathered.ts";

/**
 * What an argument was in the calls before, where the wish leaves it out: "turn it off" is said of the light that was turned on.
 * What was said and not understood is not left out, and what pays, deletes or sends takes nothing from before unless the wish points there.
 */
export function remembered(filler: Filler, { name, root }: Wanted, fits: (value: unknown) => boolean): unknown {
  const { gathered } = filler;
  const isWeighty = gathered.isGrave || gathered.about.concepts.has("send");
  if (!isPointing(gathered.wish.text) && (isWeighty || saysMore(gathered))) return undefined;
  const value = knownValue(gathered.before, name);
  if (value === undefined || value === null || !fits(value)) return undefined;
  filler.carried.add(root);
  return value;
}

const pointing = /\b(?:it|that|this|them|those|there|same|again)\b|它|这个|那个|这些|那些|同样|一样/iu;
const elsewhere = /\b(?:other|another|others|else|different)\b|另|别的|其他|其它/iu;

/** Whether a text speaks of something that was spoken of before. */
export const isPointing = (text: string): boolean => pointing.test(text) && !elsewhere.test(text);

/** Whether a text asks for the same once more. */
export const isSame = (text: string): boolean => /\bthe same\b|同样|一样/iu.test(text);

/** Whether there is something in the wish beside what the tool is about and what has become an argument. */
function saysMore({ wish, about, used, spent }: Gathered): boolean {
  const { stems, pairs } = wordsOf(wish.text);
  const taken = [...used].join(" ").toLowerCase();
  const isOpen = [
    wish.quoted,
    wish.ids,
    wish.names,
    wish.places,
    wish.emails,
    wish.urls,
    wish.paths,
    wish.formulas,
  ].some((texts) => texts.some((text) => !used.has(text)));
  return (
    isOpen ||
    elsewhere.test(wish.text) ||
    wish.numbers.some(({ at }) => !spent.has(at)) ||
    [...stems].some((stem) => !about.stems.has(stem) && !taken.includes(stem) && stem !== "off") ||
    [...pairs].some((pair) => !about.pairs.has(pair) && !taken.includes(pair))
  );
}
