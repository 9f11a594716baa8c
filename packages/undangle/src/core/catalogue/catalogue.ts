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

/** The confidence of a case. Contested cases are never problems, so they have none. */
export function confidenceOf({ evidence }: RuleCase): Confidence {
  return evidence === "derived" ? "likely" : "known";
}

/** The confidence of a rule for a format and provider: that of the best matching case, or `likely` without one. */
export function confidenceIn(rule: RuleId, format: string, provider?: string): Confidence {
  const { cases } = rules[rule];
  const here = cases.filter(
    (one) =>
      one.format === format && (provider === undefined || one.provider === undefined || one.provider === provider),
  );
  const known = here.some((one) => one.evidence !== "contested" && confidenceOf(one) === "known");
  return known ? "known" : "likely";
}
