import { resolveDecisions } from "../approvals/decisions.ts";
import type { AppliedDecision } from "../ledger/ledger.ts";
import type { Book } from "./book.ts";
import type { Setup } from "./setup.ts";

export interface GivenDecisions {
  /** They may depend on what is waiting: all of it. */
  readonly decisions: (book: Book) => unknown;
  readonly by: string | undefined;
}

/** Decisions that hold at the moment when this resolves: a call may be settled while others are looked at. */
export async function holdingDecisions(
  book: Book,
  { tools, language, now, name: agent }: Setup,
  { decisions, by }: GivenDecisions,
): Promise<readonly AppliedDecision[]> {
  const stateOf = (id: string): string | undefined => book.callOf(id)?.state;
  for (;;) {
    const { turn } = book.ledger();
    const applied = await resolveDecisions(decisions(book), { turn, stateOf, tools, agent, at: now(), by, language });
    if (book.ledger().turn === turn) return applied;
  }
}
