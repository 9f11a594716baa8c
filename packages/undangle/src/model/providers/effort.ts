import type { ReasoningEffort } from "../http-model-options.ts";

/** A number of tokens as the word that is nearest to it. */
export function effortWord(effort: ReasoningEffort): "none" | "low" | "medium" | "high" {
  if (typeof effort !== "number") return effort;
  return effort <= 2048 ? "low" : effort <= 12_288 ? "medium" : "high";
}

const budgets = { none: 0, low: 2048, medium: 8192, high: 24_576 } as const;

/** A word as a number of tokens. */
export function effortBudget(effort: ReasoningEffort): number {
  return typeof effort === "number" ? effort : budgets[effort];
}
