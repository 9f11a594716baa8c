import { digestOf } from "../approvals/digest.ts";
import type { CallAllowance } from "../ledger/allowance.ts";
import type { Gate } from "../ledger/call.ts";
import { createAllowances } from "./allowances.ts";
import { pendingOf } from "../journal/call-events.ts";
import { readable } from "../views/decision-view.ts";
import type { Session } from "../run/session.ts";

/**
 * Holds up what a dead process had proposed and not started, where the rules of this one want a person to decide and it is not
 * allowed, or no longer is.
 */
export async function holdUp(session: Session): Promise<void> {
  const { book, setup } = session;
  const gates = new Map<string, Gate>();
  const passes = new Map<string, CallAllowance>();
  const allowances = createAllowances(session);
  for (const call of book.ledger().turn?.calls ?? []) {
    const { id, name, raw, state } = call;
    const tool = state === "proposed" ? setup.tools.get(name) : undefined;
    if (tool === undefined || tool === setup.output?.tool) continue;
    const args = readable(raw) as Readonly<Record<string, unknown>>; // only whole ones are proposed
    const shown = { id, name, arguments: args, threadId: book.threadId };
    const gate = await session.orOver(Promise.resolve(setup.gate(shown, tool.approval, setup.now())));
    if (gate === undefined) continue;
    const allowance = await session.orOver(Promise.resolve(allowances(call, gate)));
    if (allowance === undefined) gates.set(id, { digest: digestOf(name, raw), ...gate });
    else passes.set(id, allowance);
  }
  if (gates.size === 0 && passes.size === 0) return;
  book.apply({ type: "gate", gates, allowances: passes });
  for (const id of gates.keys()) {
    const call = book.callOf(id);
    if (call?.state === "awaiting") book.note({ type: "approval_required", data: pendingOf(call) });
  }
}
