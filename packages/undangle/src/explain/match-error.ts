import type { RuleId } from "#core";
import { confidenceOf, rules } from "#core";
import { phrases } from "./error-phrases.ts";
import type { Match, Pattern } from "./error-pattern.ts";
import { errorPattern, matchAt } from "./error-pattern.ts";
import { unrelated, vague } from "./unclear-errors.ts";

/** A rule that the words may refer to. */
export interface Reading {
  readonly rule: RuleId;
  readonly confidence: "known" | "likely";
}

/** A wording, and the rules that it may refer to, the likeliest first. */
interface Wording {
  readonly pattern: Pattern;
  readonly rules: readonly RuleId[];
  /**
   * The source of the wording. The order of phrases overrides that of the catalogue, and a vague text counts only if
   * nothing else matches.
   */
  readonly origin: "phrase" | "catalogue" | "vague" | "unrelated";
  /** True if the rule is only inferred from another rule. */
  readonly derived: boolean;
}

/** The quality of a match: the position of the rule in its wording, and the number of fixed words. */
interface Hit {
  readonly rule: RuleId;
  readonly place: number;
  readonly wording: Wording;
  readonly match: Match;
}

/** The rules that words may refer to, the likeliest first, or that the words are about something else. */
export interface Recognition {
  readonly readings: readonly Reading[];
  readonly unrelated: boolean;
}

/** Every wording, by its first word. */
export type Wordings = ReadonlyMap<string | undefined, readonly Wording[]>;

/** Compiles the wordings, for all searches in one text. */
export const readWordings = (): Wordings => Map.groupBy(wordings(), ({ pattern }) => pattern.steps[0]?.words[0]);

/** The rules that these words may refer to. Empty if the wording is not known. */
export function recognise(words: readonly string[], known: Wordings): Recognition {
  const hits = new Map<RuleId, Hit>();
  const doubtful: Hit[] = [];
  let aboutSomethingElse = false;
  for (const { wording, match } of matches(words, known)) {
    if (wording.origin === "unrelated") aboutSomethingElse = true;
    for (const [place, rule] of wording.rules.entries()) {
      const hit: Hit = { rule, place, wording, match };
      if (wording.origin === "vague") doubtful.push(hit);
      else if (isBetter(hit, hits.get(rule))) hits.set(rule, hit);
    }
  }
  const ranked = [...hits.values()].sort((one, other) => byRank(one, other));
  const first = ranked[0];
  const readings = new Map<RuleId, Reading>();
  for (const hit of ranked) readings.set(hit.rule, { rule: hit.rule, confidence: confidence(hit, first) });
  for (const { rule } of aboutSomethingElse ? [] : doubtful) {
    if (!readings.has(rule)) readings.set(rule, { rule, confidence: "likely" });
  }
  return { readings: [...readings.values()], unrelated: aboutSomethingElse };
}

/** Matches every wording at every position in the words. */
function* matches(
  words: readonly string[],
  known: Wordings,
): Generator<{ readonly wording: Wording; readonly match: Match }> {
  for (const [start, word] of words.entries()) {
    for (const wording of known.get(word) ?? []) {
      const match = matchAt(wording.pattern, words, start);
      if (match !== undefined) yield { wording, match };
    }
  }
}

function* wordings(): Generator<Wording> {
  for (const { text, ...about } of texts()) {
    const pattern = errorPattern(text);
    if (pattern !== undefined) yield { pattern, ...about };
  }
}

/** The phrases, and the error texts of the catalogue, as written. */
function* texts(): Generator<{ readonly text: string } & Omit<Wording, "pattern">> {
  for (const [text, ...meant] of phrases) yield { text, rules: meant, origin: "phrase", derived: false };
  for (const [text, ...meant] of vague) yield { text, rules: meant, origin: "vague", derived: false };
  for (const text of unrelated) yield { text, rules: [], origin: "unrelated", derived: false };
  const vagueTexts = new Set(vague.map(([text]) => text));
  // The keys of the catalogue are its slugs.
  for (const rule of Object.keys(rules) as RuleId[]) {
    for (const one of rules[rule].cases) {
      const derived = confidenceOf(one) === "likely";
      for (const text of one.errors) {
        if (!vagueTexts.has(text)) yield { text, rules: [rule], origin: "catalogue", derived };
      }
    }
  }
}

function isBetter(hit: Hit, than: Hit | undefined): boolean {
  if (than === undefined) return true;
  if (hit.wording.origin !== than.wording.origin) return hit.wording.origin === "phrase";
  return byRank(hit, than) < 0;
}

function byRank(one: Hit, other: Hit): number {
  return one.place - other.place || other.wording.pattern.weight - one.wording.pattern.weight;
}

/**
 * `known` for the first reading, and for readings of another passage of the text. The others are alternatives for the
 * same words.
 */
function confidence(hit: Hit, first: Hit | undefined): "known" | "likely" {
  if (hit.place > 0 || hit.wording.derived) return "likely";
  const same =
    first !== hit && first !== undefined && hit.match.start < first.match.end && first.match.start < hit.match.end;
  return same ? "likely" : "known";
}
