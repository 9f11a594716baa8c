import type { JsonObject } from "#core";

import { digestOf } from "../approvals/digest.ts";
import type { CallAllowance } from "../ledger/allowance.ts";
import type { Gate, LedgerCall } from "../ledger/call.ts";
import { createAllowances } from "./allowances.ts";
import { noteEnds, pendingOf } from "../journal/call-events.ts";
import { readable } from "../views/decision-view.ts";
import { withDisplay } from "./show-call.ts";
import type { Session } from "../run/session.ts";
import type { Tool } from "../tool.ts";

/**
 * Gates the calls of a dead process again that no person has decided, by the rules and allowances of this one. A call that had not
 * started waits for a decision. A call that had started does not start a second time: it is lost, outcome unknown.
 */
export async function regateCalls(session: Session): Promise<void> {
  const { journal, setup } = session;
  const gates = new Map<string, Gate>();
  const passes = new Map<string, CallAllowance>();
  const lost: string[] = [];
  const allowances = createAllowances(session);
  for (const call of journal.ledger().turn?.calls ?? []) {
    const { id, name, raw } = call;
    const tool = isUndecided(call) ? setup.tools.get(name) : undefined;
    if (tool === undefined || tool === setup.output?.tool) continue;
    const args = readable(raw) as JsonObject; // only complete calls are proposed
    const shown = { id, name, arguments: args, threadId: journal.threadId };
    const gate = await session.orOver(Promise.resolve(setup.gate(shown, tool.approval, setup.now())));
    if (gate === undefined) continue;
    const allowance = await session.orOver(Promise.resolve(allowances(call, gate)));
    if (allowance === undefined && call.state === "approved") lost.push(id);
    else if (allowance === undefined)
      gates.set(id, await shownGate(session, call, { tool, args, gate: { digest: digestOf(name, raw), ...gate } }));
    else passes.set(id, allowance);
  }
  if (lost.length > 0) {
    journal.apply({ type: "close", how: "crashed", ids: lost });
    noteEnds(session, lost);
  }
  if (gates.size === 0 && passes.size === 0) return;
  journal.apply({ type: "gate", gates, allowances: passes });
  for (const id of gates.keys()) {
    const call = journal.callOf(id);
    if (call?.state === "awaiting") journal.note({ type: "approval_required", data: pendingOf(call) });
  }
}

/** A gate with what the tool of its call shows to the person. */
async function shownGate(
  session: Session,
  call: LedgerCall,
  { tool, args, gate }: { readonly tool: Tool; readonly args: JsonObject; readonly gate: Gate },
): Promise<Gate> {
  const validated = tool.render === undefined ? undefined : await tool.validate(args, session.setup.language);
  const given = validated?.ok === true ? validated.value : args;
  return (await withDisplay(session, { ...call, state: "awaiting", gate }, { tool, args: given })).gate ?? gate;
}

/** True for a call that may start without a decision. A call that will start again is `approved`. */
export const isUndecided = ({ state, decision }: LedgerCall): boolean =>
  state === "proposed" || (state === "approved" && decision === undefined);
