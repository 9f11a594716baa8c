import type { Agent, Logger, Store } from "undangle/agent";

import { watchStore } from "../store/watched-store.ts";
import type { Commit } from "../store/watched-store.ts";

/** The agents in memory. */
export interface AgentCache {
  /** The agent of a key, created with its own view of the store if it does not exist. */
  get(key: string, make: (store: Store) => Agent): Agent;
  /** The agent with this owner name. */
  running(owner: string | undefined): Agent | undefined;
  close(): Promise<void>;
}

interface CachedAgent {
  readonly agent: Agent;
  readonly threads: ReadonlySet<string>;
}

const mostIdle = 64;

/** Keeps the most recently used agents, and every agent with a running thread. */
export function createAgentCache(store: Store, logger: Logger): AgentCache {
  const agents = new Map<string, CachedAgent>();
  const owners = new Map<string, Agent>();

  const made = (make: (own: Store) => Agent): CachedAgent => {
    const threads = new Set<string>();
    const saved = ({ thread, head: { owner } }: Commit): void => {
      if (owner !== undefined) {
        threads.add(thread);
        owners.set(owner, agent);
        return;
      }
      threads.delete(thread);
      if (threads.size > 0) return;
      for (const [name, each] of owners) if (each === agent) owners.delete(name);
    };
    const agent = make(watchStore(store, { saved }));
    return { agent, threads };
  };

  const closeOldest = (latest: CachedAgent): void => {
    const [key, cached] = [...agents].find(([, each]) => each !== latest && each.threads.size === 0) ?? [];
    if (key === undefined) return;
    agents.delete(key);
    cached?.agent.close().catch((error: unknown) => logger.warn({ err: error }, "An agent could not be closed"));
  };

  return {
    get(key, make) {
      const cached = agents.get(key) ?? made(make);
      agents.delete(key);
      agents.set(key, cached); // keeps the map in order of use
      if (agents.size > mostIdle) closeOldest(cached);
      return cached.agent;
    },
    running: (owner) => (owner === undefined ? undefined : owners.get(owner)),
    async close() {
      const open = new Set([...[...agents.values()].map(({ agent }) => agent), ...owners.values()]);
      const ends = await Promise.allSettled([...open].map((agent) => agent.close()));
      agents.clear();
      for (const end of ends) if (end.status === "rejected") throw end.reason;
    },
  };
}
