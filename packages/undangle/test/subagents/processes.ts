import { createAgent } from "#engine";
import type { Agent, AgentOptions } from "#engine";
import type { Commit, Store } from "#store";

import { afterDeath } from "../engine/after-death.ts";
import { watchedStore } from "../engine/watched-store.ts";

/** An agent whose process can die: from then on, nothing that it does reaches the store. */
export interface MortalAgent {
  readonly agent: Agent;
  readonly die: () => void;
}

export interface MortalOptions extends Omit<AgentOptions, "store"> {
  readonly store: Store;
  /** The process dies before or after this commit. */
  readonly diesAt?: ((commit: Commit, serial: number) => "before" | "after" | undefined) | undefined;
}

/** An agent in a process of its own, in which all earlier owners of threads are dead. */
export function mortalAgent({ store, diesAt, ...options }: MortalOptions): MortalAgent {
  const never = new Promise<never>(() => undefined);
  let isDead = false;
  const watched = watchedStore(store, {
    before(commit, serial) {
      isDead ||= diesAt?.(commit, serial) === "before";
      return isDead ? never : undefined;
    },
    after(commit, serial) {
      isDead ||= diesAt?.(commit, serial) === "after";
      return isDead ? never : undefined;
    },
  });
  return { agent: createAgent({ ...options, store: afterDeath(watched) }), die: () => void (isDead = true) };
}
