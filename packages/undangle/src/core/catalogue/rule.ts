/** A kind of problem: the requirement, its common causes, and the repair. */
export interface Rule {
  readonly title: string;
  readonly statement: string;
  readonly why: string;
  readonly fix: string;
  /** Whether the repair keeps all content of the history. */
  readonly lossless: boolean | "partly";
  readonly cases: readonly RuleCase[];
}

/** The rule for one format or provider, with its error texts. */
export interface RuleCase {
  readonly id: string;
  readonly format: string;
  readonly provider?: string;
  readonly statement: string;
  /** The error texts of the provider; ids, indexes and `…` match anything. */
  readonly errors: readonly string[];
  readonly evidence: Evidence;
  /** A link to the evidence; empty if it follows from another rule. */
  readonly source: string;
}

/** The evidence for a rule. `contested`: public evidence is contradictory; `derived`: it follows from another rule. */
export type Evidence = "recorded" | "docs" | "source-code" | "issue" | "contested" | "derived";

export type Confidence = "known" | "likely";

/** Keeps the slugs of a family as a type. */
export function defineRules<Id extends string>(rows: Readonly<Record<Id, Rule>>): Readonly<Record<Id, Rule>> {
  return rows;
}
