import { resolveDecisions } from "../approvals/decisions.ts";
import type { CallState } from "../ledger/call.ts";
import type { AppliedDecision } from "../ledger/ledger.ts";
import type { Book } from "../journal/thread-journal.ts";
import type { Setup } from "../run/setup.ts";

export interface GivenDecisions {
  /** They may depend on what is waiting: all of it. */
  readonly decisions: (book: Book) => unknown;
  readonly by: string | undefined;
}

/** Decisions that hold at the moment when this resolves: a call may be settled while others are looked at. */
export async function holdingDecisions(
  book: Book,
  setup: Setup,
  { decisions, by }: GivenDecisions,
): Promise<readonly AppliedDecision[]> {
  const { tools, gate, language, now, name: agent } = setup;
  const { threadId } = book;
  const stateOf = (id: string): CallState | undefined => book.callOf(id)?.state;
  for (;;) {
    const { turn } = book.ledger();
    const { hidden = [] } = book.openAnswer() ?? {};
    const deciding = { turn, stateOf, threadId, tools, hidden, gate, agent, at: now(), by, language };
    const applied = await resolveDecisions(decisions(book), deciding);
    if (book.ledger().turn === turn) return applied;
  }
}
