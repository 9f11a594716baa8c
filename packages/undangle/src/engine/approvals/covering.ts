import type { AllowanceScope, CallAllowance, LedgerAllowance } from "../ledger/allowance.ts";
import { canonicalArguments } from "../arguments-text.ts";
import type { LedgerCall } from "../ledger/call.ts";
import { digestOf } from "./digest.ts";

/** The allowance that covers a call; undefined if there is none. */
export function covering(
  allowed: readonly LedgerAllowance[],
  { name, raw }: Pick<LedgerCall, "name" | "raw">,
  scope: AllowanceScope,
): CallAllowance | undefined {
  const ofTool = allowed.filter(({ tool }) => tool === name);
  if (ofTool.length === 0) return undefined;
  const isForAll = ({ digest }: LedgerAllowance): boolean => digest === undefined;
  const digest = ofTool.some(isForAll) ? undefined : argumentsDigest(name, raw);
  const found = ofTool.find(isForAll) ?? (digest && ofTool.find((each) => each.digest === digest));
  if (!found) return undefined;
  const { id, at, by } = found;
  return { id, scope, at, ...(by !== undefined && { by }) };
}

/**
 * A digest of arguments that ignores white space and key order; numbers count as written. Undefined for arguments that
 * are nested too deeply.
 */
export function argumentsDigest(name: string, raw: string): string | undefined {
  try {
    return digestOf(name, canonicalArguments(raw));
  } catch {
    return undefined; // not valid JSON: the call needs a decision
  }
}
