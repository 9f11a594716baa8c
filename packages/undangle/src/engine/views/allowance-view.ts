import { readAgentAllowances } from "../approvals/allowances.ts";
import { shownText } from "../arguments-text.ts";
import type { Allowance } from "../events.ts";
import type { ThreadJournal } from "../journal/thread-journal.ts";
import type { LedgerAllowance } from "../ledger/call.ts";
import type { Setup } from "../run/setup.ts";
import { readable } from "./call-view.ts";

/** The allowances of a thread, for display. */
export const allowedInThread = (journal: ThreadJournal): readonly Allowance[] =>
  journal.ledger().allowed.map((each) => {
    const { raw } = journal.callOf(each.call) ?? {};
    const args = raw === undefined ? {} : { arguments: readable(raw), ...shownText(raw) };
    return { ...shown(each), scope: "thread", threadId: journal.threadId, ...argumentsOf(each, args) };
  });

/** The allowances for all threads of an agent, for display. */
export async function allowedForAgent({ name, store }: Pick<Setup, "name" | "store">): Promise<readonly Allowance[]> {
  const allowed = name === undefined ? [] : await readAgentAllowances(store, name);
  return allowed.map((each) => ({
    ...shown(each),
    scope: "agent",
    threadId: each.thread,
    ...argumentsOf(each, each),
  }));
}

const shown = ({ id, tool, digest, call, at, by }: LedgerAllowance): Omit<Allowance, "scope" | "threadId"> => ({
  id,
  tool,
  match: digest === undefined ? "tool" : "arguments",
  callId: call,
  at,
  ...(by !== undefined && { by }),
});

/** The covered arguments, if the allowance does not cover all calls. */
function argumentsOf(
  { digest }: LedgerAllowance,
  { arguments: value, raw, inexact }: Partial<Pick<Allowance, "arguments" | "raw" | "inexact">>,
): Pick<Allowance, "arguments" | "raw" | "inexact"> {
  if (digest === undefined) return {};
  return { arguments: value, ...(raw !== undefined && { raw }), ...(inexact !== undefined && { inexact }) };
}
