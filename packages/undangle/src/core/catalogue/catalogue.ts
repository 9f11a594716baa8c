import { callArguments } from "./arguments.ts";
import { content } from "./content.ts";
import { gateways } from "./gateways.ts";
import { ids } from "./ids.ts";
import { names } from "./names.ts";
import { order } from "./order.ts";
import { pairing } from "./pairing.ts";
import { reasoning } from "./reasoning.ts";
import type { Confidence, Rule, RuleCase } from "./rule.ts";
import { serverTools } from "./server-tools.ts";
import { shape } from "./shape.ts";

/** The families in reading order. */
export const families = {
  pairing,
  ids,
  names,
  arguments: callArguments,
  shape,
  content,
  order,
  reasoning,
  "server-tools": serverTools,
  gateways,
} as const;

type Families = typeof families;

/** The slug of a rule: stable, readable, one per kind of problem. */
export type RuleId = { [Family in keyof Families]: keyof Families[Family] }[keyof Families];

/** Every rule by its slug. */
export const rules: Readonly<Record<RuleId, Rule>> = {
  ...pairing,
  ...ids,
  ...names,
  ...callArguments,
  ...shape,
  ...content,
  ...order,
  ...reasoning,
  ...serverTools,
  ...gateways,
};

/** How sure one case is. Contested ones are never problems, so that the question does not arise for them. */
export function confidenceOf({ evidence }: RuleCase): Confidence {
  return evidence === "derived" ? "likely" : "known";
}

/**
 * How sure a rule is for a format and, where one is named, a provider: as sure as the best case that speaks of them, and
 * likely where none does.
 */
export function confidenceIn(rule: RuleId, format: string, provider?: string): Confidence {
  const { cases } = rules[rule];
  const here = cases.filter(
    (one) =>
      one.format === format && (provider === undefined || one.provider === undefined || one.provider === provider),
  );
  const known = here.some((one) => one.evidence !== "contested" && confidenceOf(one) === "known");
  return known ? "known" : "likely";
}
