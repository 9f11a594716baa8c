import { rules } from "#core";
import type { Language, Problem, RuleId } from "#core";

import { rulesChinese } from "./rules-chinese.ts";

/** What a person reads about a rule. */
export interface RuleText {
  readonly title: string;
  readonly why: string;
  readonly fix: string;
}

/** The rules for a person, in both languages. */
export const ruleTexts: Readonly<Record<Language, Readonly<Record<RuleId, RuleText>>>> = {
  en: rules,
  zh: rulesChinese,
};

/** A problem in a language. The messages of the library are English, so other languages have the title of the rule instead. */
export function describeProblem(
  { rule, message, callId }: Pick<Problem, "rule" | "message" | "callId">,
  language: Language,
): string {
  if (language === "en") return message;
  return `${rulesChinese[rule].title}${callId === undefined ? "" : `（${callId}）`}`;
}
