import { readAgentAllowances } from "../approvals/agent-allowances.ts";
import { covering } from "../approvals/covering.ts";
import type { OpenGate } from "../approvals/rules.ts";
import type { CallAllowance } from "../ledger/allowance.ts";
import type { LedgerCall } from "../ledger/call.ts";
import type { Session } from "../run/session.ts";

/** Finds the allowance that lets a call pass its gate. Undefined if the call needs a decision. */
export type Allowances = (
  call: LedgerCall,
  gate: OpenGate,
) => CallAllowance | undefined | Promise<CallAllowance | undefined>;

/** For the calls of one turn. The allowances of the agent are read from the store once, and only if there is a gate. */
export function createAllowances({ journal, setup }: Pick<Session, "journal" | "setup">): Allowances {
  const { name, store, logger } = setup;
  let ofAgent: ReturnType<typeof readAgentAllowances> | undefined;
  return (call, { always = [] }) => {
    if (always.length === 0) return undefined; // each call needs its own decision, whatever was allowed before
    const found = covering(journal.ledger().allowed, call, "thread");
    if (found !== undefined || name === undefined) return found;
    ofAgent ??= readAgentAllowances(store, name);
    return ofAgent
      .then((allowed) => covering(allowed, call, "agent"))
      .catch((error: unknown) => {
        const facts = { threadId: journal.threadId, callId: call.id, tool: call.name, err: error };
        logger.warn(facts, "What is allowed could not be read; the call waits for a person");
        return undefined;
      });
  };
}
