import type { Language } from "#core";

import { unknownAllowance } from "../approvals/agent-allowances.ts";
import type { LedgerEvent } from "../ledger/ledger.ts";
import type { ThreadJournal } from "../journal/thread-journal.ts";
import type { Setup } from "../run/setup.ts";

/**
 * Records a warning, and returns the event that revokes an allowance of the thread. Throws if there is no such
 * allowance.
 */
export function revocation(
  journal: ThreadJournal,
  { language, logger }: Setup,
  { id, by }: { readonly id: unknown; readonly by: string | undefined },
): LedgerEvent {
  const { allowed } = journal.ledger();
  const found = allowed.find((each) => each.id === id);
  if (found === undefined) throw unknownAllowance(id, "thread", allowed);
  journal.note({ type: "warning", data: { message: revoked[language](found.tool, by) } });
  logger.info({ threadId: journal.threadId, tool: found.tool, allowance: found.id, by }, "Allowance revoked");
  return { type: "revoke", ids: [found.id] };
}

const revoked: Readonly<Record<Language, (tool: string, by: string | undefined) => string>> = {
  en: (tool, by) => `${tool} is not allowed any more without a decision${by === undefined ? "" : ` (${by})`}`,
  zh: (tool, by) => `${tool} 不再自动允许，需要重新决定${by === undefined ? "" : `（${by}）`}`,
};
