/** One kind of problem: what must hold, how people get there, and what a repair does about it. */
export interface Rule {
  readonly title: string;
  readonly statement: string;
  readonly why: string;
  readonly fix: string;
  /** Whether the repair keeps everything that the history said. */
  readonly lossless: boolean | "partly";
  readonly cases: readonly RuleCase[];
}

/** The rule as one format or provider has it, with the words in which it refuses. */
export interface RuleCase {
  readonly id: string;
  readonly format: string;
  readonly provider?: string;
  readonly statement: string;
  /** The provider's texts; ids, indexes and `…` stand for whatever is there. */
  readonly errors: readonly string[];
  readonly evidence: Evidence;
  /** Where that is known from; empty where it follows from another rule. */
  readonly source: string;
}

/** How a rule is known; `contested`: public evidence contradicts itself; `derived`: it follows from another rule. */
export type Evidence = "recorded" | "docs" | "source-code" | "issue" | "contested" | "derived";

export type Confidence = "known" | "likely";

/** Keeps the slugs of a family as a type, so that they are written once. */
export function defineRules<Id extends string>(rows: Readonly<Record<Id, Rule>>): Readonly<Record<Id, Rule>> {
  return rows;
}
