import type { ReasoningEffort } from "../http-model-options.ts";

/** The nearest effort word for a number of tokens. */
export function effortWord(effort: ReasoningEffort): "none" | "low" | "medium" | "high" {
  if (typeof effort !== "number") return effort;
  return effort <= 2048 ? "low" : effort <= 12_288 ? "medium" : "high";
}

const budgets = { none: 0, low: 2048, medium: 8192, high: 24_576 } as const;

/** The number of tokens for an effort word. */
export function effortBudget(effort: ReasoningEffort): number {
  return typeof effort === "number" ? effort : budgets[effort];
}
