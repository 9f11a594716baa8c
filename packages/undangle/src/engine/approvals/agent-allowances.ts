import { UndangleError } from "#core";
import type { Store } from "#store";

import type { InexactArguments } from "../events.ts";
import { withAllowances } from "../ledger/allowance.ts";
import type { AllowanceScope, LedgerAllowance } from "../ledger/allowance.ts";

/** An allowance for all threads of an agent. */
export interface AgentAllowance extends LedgerAllowance, InexactArguments {
  /** The thread in which it was created. */
  readonly thread: string;
  /** The covered arguments, for display, if it does not cover all calls. */
  readonly arguments?: unknown;
}

/** The current allowances for all threads of the agents of a name. */
export async function readAgentAllowances(store: Store, name: string): Promise<readonly AgentAllowance[]> {
  return (await readList(store, name)).allowed;
}

/** Adds allowances, without losing those that other processes add concurrently. */
export function addAgentAllowances(store: Store, name: string, more: readonly AgentAllowance[]): Promise<void> {
  return change(store, name, (allowed) => withAllowances(allowed, more));
}

/** Removes an allowance. Throws if there is no such allowance. */
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
  return { allowed: value as readonly AgentAllowance[], version }; // written by this module
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
