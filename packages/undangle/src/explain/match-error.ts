import type { RuleId } from "#core";
import { confidenceOf, rules } from "#core";
import { phrases } from "./error-phrases.ts";
import type { Match, Pattern } from "./error-pattern.ts";
import { errorPattern, matchAt } from "./error-pattern.ts";
import { unrelated, vague } from "./unclear-errors.ts";

/** A rule that the words can mean. */
export interface Reading {
  readonly rule: RuleId;
  readonly confidence: "known" | "likely";
}

/** A wording and the rules that it can mean, the likeliest first. */
interface Wording {
  readonly pattern: Pattern;
  readonly rules: readonly RuleId[];
  /** Whose word it is: the phrases' order overrules the catalogue's, and a vague text counts only where nothing else does. */
  readonly origin: "phrase" | "catalogue" | "vague" | "unrelated";
  /** The rule behind it is only derived. */
  readonly derived: boolean;
}

/** How well a rule was met: which place it has among the readings of a wording, and how much of that wording is fixed. */
interface Hit {
  readonly rule: RuleId;
  readonly place: number;
  readonly wording: Wording;
  readonly match: Match;
}

/** What is known about some words: the rules that they can mean, the likeliest first, or that they are about something else. */
export interface Recognition {
  readonly readings: readonly Reading[];
  readonly unrelated: boolean;
}

/** Every wording, by its first word. */
export type Wordings = ReadonlyMap<string | undefined, readonly Wording[]>;

/** Reads the wordings, for as many looks as one text takes. */
export const readWordings = (): Wordings => Map.groupBy(wordings(), ({ pattern }) => pattern.steps[0]?.words[0]);

/** The rules that these words can mean; no readings when the wording is not known. */
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

/** Every wording at every position in the words. */
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

/** The phrases and what the catalogue quotes, as they are written. */
function* texts(): Generator<{ readonly text: string } & Omit<Wording, "pattern">> {
  for (const [text, ...meant] of phrases) yield { text, rules: meant, origin: "phrase", derived: false };
  for (const [text, ...meant] of vague) yield { text, rules: meant, origin: "vague", derived: false };
  for (const text of unrelated) yield { text, rules: [], origin: "unrelated", derived: false };
  const vagueTexts = new Set(vague.map(([text]) => text));
  // An object that was built from the catalogue has its slugs for keys.
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

/** Sure is the first reading, and one of another passage of the text; the rest are other readings of the same words. */
function confidence(hit: Hit, first: Hit | undefined): "known" | "likely" {
  if (hit.place > 0 || hit.wording.derived) return "likely";
  const same =
    first !== hit && first !== undefined && hit.match.start < first.match.end && first.match.start < hit.match.end;
  return same ? "likely" : "known";
}
