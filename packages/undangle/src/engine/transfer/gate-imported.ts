import { digestOf } from "../approvals/digest.ts";
import { decisionTypes } from "../approvals/rules.ts";
import type { LedgerCall } from "../ledger/call.ts";
import type { Recorded } from "../ledger/project.ts";
import type { Setup } from "../run/setup.ts";

/**
 * Entries from elsewhere with gates of this agent: its rules say what may be decided about a call that waits, and until when. What
 * the import says of that counts for nothing, nor does a decision or an allowance for a call that nobody has decided about. A
 * call that no rule covers waits all the same, for any decision.
 */
export async function gateImported(
  recorded: readonly Recorded[],
  setup: Pick<Setup, "gate" | "tools" | "now">,
  threadId: string,
): Promise<readonly Recorded[]> {
  const last = recorded.at(-1);
  if (last?.calls.some(({ state }) => state === "awaiting") !== true) return recorded;
  const gated = async (call: LedgerCall): Promise<LedgerCall> => {
    if (call.state !== "awaiting") return call;
    const { gate: _theirs, decision: _none, allowance: _nor, proposed: _either, ...rest } = call;
    const { id, name, raw } = call;
    const shown = { id, name, arguments: JSON.parse(raw) as Readonly<Record<string, unknown>>, threadId }; // only whole arguments wait
    const gate = await setup.gate(shown, setup.tools.get(name)?.approval, setup.now());
    return {
      ...rest,
      attempts: 0,
      gate: { digest: digestOf(name, raw), ...(gate ?? { decisions: [...decisionTypes] }) },
    };
  };
  return [...recorded.slice(0, -1), { entry: last.entry, calls: await Promise.all(last.calls.map(gated)) }];
}
