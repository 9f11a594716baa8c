import type { AnomalyKind, RuleId } from "undangle";
import { anomalyText, describeProblem, ruleTexts } from "undangle/report";

import type { NamedRepair } from "./use-repair-text.ts";

/** What a repair is about, in Chinese. The server describes rules in English. Unknown rules keep the words of the server. */
export function chineseWords({ rule, source, message, edit }: NamedRepair): string {
  if (source === "response") return anomalyText({ kind: rule as AnomalyKind, message }, "zh") ?? message; // a later server may have others
  if (rule === undefined || !Object.hasOwn(ruleTexts.zh, rule)) return message;
  const callId = edit?.callId;
  return describeProblem({ rule: rule as RuleId, message, ...(callId !== undefined && { callId }) }, "zh"); // it is one of them
}
