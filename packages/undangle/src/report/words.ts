import type { Anomaly, Language, Problem, RuleId, UndangleError } from "#core";

import type { JsonFault } from "./json/find-json-error.ts";

/** What a person reads about histories and streams, in one language. */
export interface Words {
  readonly language: Language;
  readonly rules: Readonly<Record<RuleId, RuleText>>;
  /** What is wrong with a text that is not JSON. */
  readonly faults: Readonly<Record<JsonFault, string>>;
  /** A problem. The messages of the library are English, so other languages have the title of the rule instead. */
  readonly problem: (problem: Pick<Problem, "rule" | "message" | "callId">) => string;
  /** An anomaly of a stream. */
  readonly anomaly: (anomaly: Pick<Anomaly, "kind" | "message">) => string;
  readonly error: (error: UndangleError) => string;
}

/** What a person reads about a rule. */
export interface RuleText {
  readonly title: string;
  readonly why: string;
  readonly fix: string;
}
