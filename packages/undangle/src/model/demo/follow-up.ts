import { trimmed } from "./arguments/wish-object.ts";
import { isVerb } from "./wishes/lexicon.ts";
import { wordsOf } from "./wishes/words.ts";

const english =
  /^(?:and|also|or|now|then|what about|how about|(?:make|set|change) it(?: to)?)\b[\s,]*(?:what about|how about|for|the same for)?\s*/iu;
const chinese = /^(?:那么?|还有|以及|换成|改成|改为|调到|再看看)[，,\s]*/u;
const asking = /(?:怎么样|如何|呢)[？?。!！\s]*$/u;

/** What a message asks in addition to the one before, such as "and in Oslo?" or "那广州呢？"; undefined when it is none of these. */
export function followUpIn(said: string): string | undefined {
  const isOne = english.test(said) || (chinese.test(said) && said.length < 40) || asking.test(said);
  if (!isOne || said.length > 200) return undefined;
  const text = trimmed(said.replace(english, "").replace(asking, "").replace(chinese, ""));
  return text === "" || [...wordsOf(text).concepts].some(isVerb) ? undefined : text;
}

/** Whether what is left of a follow-up can be a place, a person or a thing: "now what?" and "and thanks" name nothing. */
export function namesThing(followUp: string, said: string): boolean {
  if (/\p{Script=Han}/u.test(followUp))
    return asking.test(said) && /^[^怎什么哪吗多少谁你我他她它为]{2,8}$/u.test(followUp);
  const isNamed = /^\p{Lu}/u.test(followUp) || /\?\s*$/u.test(said);
  const isOther = /\b(?:other|others|another|else)\b/iu.test(followUp);
  const { stems, concepts } = wordsOf(followUp);
  return isNamed && !isOther && stems.size > 0 && concepts.size === 0 && followUp.length <= longestName;
}

const longestName = 24;
