import type { Language } from "#core";

import { addAgentAllowances } from "../approvals/agent-allowances.ts";
import { shownText } from "../arguments-text.ts";
import type { AgentAllowance } from "../approvals/agent-allowances.ts";
import type { AppliedDecision } from "../ledger/ledger.ts";
import type { Session } from "../run/session.ts";
import { readable } from "../views/decision-view.ts";
import { patiently } from "../journal/retry-store.ts";

/**
 * Applies allowances to all threads of the agent. The decisions are saved first: if this fails, or the process ends in
 * between, they still apply to their own calls, and the next call needs a decision again.
 */
export async function allowForAgent(
  { journal, setup }: Pick<Session, "journal" | "setup">,
  decisions: readonly AppliedDecision[],
): Promise<void> {
  const { name, store, logger, language } = setup;
  const { threadId } = journal;
  const more = decisions.flatMap(({ id, always }): readonly AgentAllowance[] => {
    if (always?.scope !== "agent") return [];
    const { raw } = journal.callOf(id) ?? {};
    const isShown = always.match === "arguments" && raw !== undefined;
    return [{ ...always.allowance, thread: threadId, ...(isShown && { arguments: readable(raw), ...shownText(raw) }) }];
  });
  if (more.length === 0 || name === undefined) return;
  try {
    await patiently(setup, threadId, () => addAgentAllowances(store, name, more));
  } catch (error) {
    logger.warn({ threadId, agent: name, err: error }, "What was allowed for the agent could not be saved");
    for (const { call, tool } of more)
      journal.note({ type: "warning", data: { id: call, message: notAllowed[language](tool) } });
  }
}

const notAllowed: Readonly<Record<Language, (tool: string) => string>> = {
  en: (tool) => `${tool} was approved this once: that it is allowed from now on could not be saved`,
  zh: (tool) => `${tool} 仅本次获准：“始终允许”未能保存`,
};
