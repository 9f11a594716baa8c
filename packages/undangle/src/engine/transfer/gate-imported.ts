import type { JsonObject } from "#core";

import { digestOf } from "../approvals/digest.ts";
import { decisionTypes } from "../approvals/rules.ts";
import type { LedgerCall } from "../ledger/call.ts";
import type { Recorded } from "../ledger/project.ts";
import type { Setup } from "../run/setup.ts";

/**
 * Imported entries with the gates of this agent: its rules define the allowed decisions and the expiry of a pending
 * call. The settings of the import are ignored, and so are decisions and allowances for undecided calls. A call that no
 * rule covers waits for any decision.
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
    const shown = { id, name, arguments: JSON.parse(raw) as JsonObject, threadId }; // only complete calls are pending
    const gate = await setup.gate(shown, setup.tools.get(name)?.approval, setup.now());
    return {
      ...rest,
      attempts: 0,
      gate: { digest: digestOf(name, raw), ...(gate ?? { decisions: [...decisionTypes] }) },
    };
  };
  return [...recorded.slice(0, -1), { entry: last.entry, calls: await Promise.all(last.calls.map(gated)) }];
}
