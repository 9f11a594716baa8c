import type { AnomalyKind, RuleId } from "undangle";
import { chineseWords } from "undangle/report";

import type { NamedRepair } from "./use-repair-text.ts";

/** What a repair is about, in Chinese. The server describes rules in English. Unknown rules keep the words of the server. */
export function chineseRepairText({ rule, source, message, edit }: NamedRepair): string {
  if (source === "response") return chineseWords.anomaly({ kind: rule as AnomalyKind, message }) ?? message; // a later server may have others
  if (rule === undefined || !Object.hasOwn(chineseWords.rules, rule)) return message;
  const callId = edit?.callId;
  return chineseWords.problem({ rule: rule as RuleId, message, ...(callId !== undefined && { callId }) }); // it is one of them
}
