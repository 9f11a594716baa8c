import type { RuleId } from "#core";
import { rules } from "#core";
import { phrases } from "./error-phrases.ts";
import { plainWords } from "./normalise-error.ts";

/** The maximum number of rules, and how many words, of what weight, they must share with the text. */
const most = 3;
const fewestWords = 2;
const leastWeight = 2.5;

/** The rules whose texts share the most and the rarest words with these. Empty if there is little overlap. */
export function nearestRules(words: readonly string[]): RuleId[] {
  const vocabularies = ruleVocabularies();
  const spread = new Map<string, number>();
  for (const vocabulary of vocabularies.values()) {
    for (const word of vocabulary) spread.set(word, (spread.get(word) ?? 0) + 1);
  }
  const asked = new Set(words.filter((word) => !common.has(word)));
  const scores: { readonly rule: RuleId; readonly weight: number }[] = [];
  for (const [rule, vocabulary] of vocabularies) {
    const shared = [...vocabulary].filter((word) => asked.has(word));
    const weight = shared.reduce((sum, word) => sum + Math.log(vocabularies.size / (spread.get(word) ?? 1)), 0);
    if (shared.length >= fewestWords && weight >= leastWeight) scores.push({ rule, weight });
  }
  return scores
    .sort((one, other) => other.weight - one.weight)
    .slice(0, most)
    .map(({ rule }) => rule);
}

/** Words that are too common to be significant. */
const common: ReadonlySet<string> = new Set(
  plainWords(
    `0 [0] a after all allowed an and any are as at be before but by can cannot code contain contains could did do does error
    exceeds expected failed for found from get got greater has have if in include included instead into invalid is it its length
    less made make maximum minimum must no non not of on one only or other please provide provided request requests required
    same set should so some such supported support than that the their then there this to too type use used using value values
    was were when which with within without you your`,
  ),
);

function ruleVocabularies(): Map<RuleId, Set<string>> {
  const texts = new Map<RuleId, string[]>();
  // The keys of the catalogue are its slugs.
  for (const rule of Object.keys(rules) as RuleId[]) {
    texts.set(rule, [rule, rules[rule].title, ...rules[rule].cases.flatMap((one) => one.errors)]);
  }
  for (const [phrase, ...meant] of phrases) for (const rule of meant) texts.get(rule)?.push(phrase);
  return new Map([...texts].map(([rule, list]) => [rule, new Set(plainWords(list.join("\n")))]));
}
