import { UndangleError } from "#core";
import type { Store } from "#store";

import type { InexactArguments } from "../events.ts";
import { withAllowances } from "../ledger/allowance.ts";
import type { AllowanceScope, LedgerAllowance } from "../ledger/allowance.ts";

/** An allowance that holds in all threads of an agent. */
export interface AgentAllowance extends LedgerAllowance, InexactArguments {
  /** Where it was given. */
  readonly thread: string;
  /** Those that it holds for, where it holds for some only: to be shown. */
  readonly arguments?: unknown;
}

/** The current allowances for all threads of the agents of a name. */
export async function readAgentAllowances(store: Store, name: string): Promise<readonly AgentAllowance[]> {
  return (await readList(store, name)).allowed;
}

/** Allows more, beside what others allow at the same time. */
export function addAgentAllowances(store: Store, name: string, more: readonly AgentAllowance[]): Promise<void> {
  return change(store, name, (allowed) => withAllowances(allowed, more));
}

/** Allows one no longer; an error for one that there is not. */
export function removeAgentAllowance(store: Store, name: string, id: string): Promise<void> {
  return change(store, name, (allowed) => {
    if (!allowed.some((each) => each.id === id)) throw unknownAllowance(id, "agent", allowed);
    return allowed.filter((each) => each.id !== id);
  });
}

export const unknownAllowance = (
  id: unknown,
  scope: AllowanceScope,
  allowed: readonly LedgerAllowance[],
): UndangleError => new UndangleError("allowance/unknown", { id, scope, known: allowed.map((each) => each.id) });

const keyOf = (name: string): string => `allowed/${name}`;

async function readList(
  store: Store,
  name: string,
): Promise<{ readonly allowed: readonly AgentAllowance[]; readonly version: number }> {
  const { value = [], version = 0 } = (await store.read(keyOf(name))) ?? {};
  return { allowed: value as readonly AgentAllowance[], version }; // what a store returns is what it was given
}

/** The number of retries after concurrent writes. */
const mostAttempts = 100;

async function change(
  store: Store,
  name: string,
  next: (allowed: readonly AgentAllowance[]) => readonly AgentAllowance[],
): Promise<void> {
  for (let left = mostAttempts; ; left--) {
    const { allowed, version } = await readList(store, name);
    const changed = next(allowed);
    if (changed === allowed) return;
    try {
      await store.write(keyOf(name), changed, version);
      return;
    } catch (error) {
      if (left === 0 || !(error instanceof UndangleError && error.is("store/stale"))) throw error;
    }
  }
}
