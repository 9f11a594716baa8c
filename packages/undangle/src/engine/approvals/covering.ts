import type { AllowanceScope, CallAllowance, LedgerAllowance } from "../ledger/allowance.ts";
import { canonicalArguments } from "../arguments-text.ts";
import type { LedgerCall } from "../ledger/call.ts";
import { digestOf } from "./digest.ts";

/** The allowance under which a call needs no decision; undefined when there is none. */
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
 * The same for all texts of the same arguments: neither blanks nor the order of keys matter, and numbers count as they are written.
 * Undefined for arguments that are nested so deeply that nobody can say.
 */
export function argumentsDigest(name: string, raw: string): string | undefined {
  try {
    return digestOf(name, canonicalArguments(raw));
  } catch {
    return undefined; // no JSON, or no end of it: whoever cannot tell asks
  }
}
