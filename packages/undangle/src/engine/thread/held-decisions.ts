import { resolveDecisions } from "../approvals/decisions.ts";
import type { CallState } from "../ledger/call.ts";
import type { AppliedDecision } from "../ledger/ledger.ts";
import type { ThreadJournal } from "../journal/thread-journal.ts";
import type { Setup } from "../run/setup.ts";

export interface GivenDecisions {
  /** They may depend on the pending calls. */
  readonly decisions: (journal: ThreadJournal) => unknown;
  readonly by: string | undefined;
}

/** Decisions that are valid when this resolves: a call may be settled while the rules of others are evaluated. */
export async function currentDecisions(
  journal: ThreadJournal,
  setup: Setup,
  { decisions, by }: GivenDecisions,
): Promise<readonly AppliedDecision[]> {
  const { tools, gate, language, now, name: agent } = setup;
  const { threadId } = journal;
  const stateOf = (id: string): CallState | undefined => journal.callOf(id)?.state;
  for (;;) {
    const { turn } = journal.ledger();
    const { hidden = [] } = journal.openAnswer() ?? {};
    const deciding = { turn, stateOf, threadId, tools, hidden, gate, agent, at: now(), by, language };
    const applied = await resolveDecisions(decisions(journal), deciding);
    if (journal.ledger().turn === turn) return applied;
  }
}
