import type { Agent, Logger, Store } from "undangle/agent";

import { watchStore } from "./watched-store.ts";
import type { Commit } from "./watched-store.ts";

/** The agents in memory. */
export interface Seats {
  /** The agent of a key, created with its own view of the store if it does not exist. */
  take(key: string, make: (store: Store) => Agent): Agent;
  /** The agent with this owner name. */
  running(owner: string | undefined): Agent | undefined;
  close(): Promise<void>;
}

interface Seat {
  readonly agent: Agent;
  readonly threads: ReadonlySet<string>;
}

const mostIdle = 64;

/** Keeps the most recently used agents, and every agent with a running thread. */
export function createSeats(store: Store, logger: Logger): Seats {
  const seats = new Map<string, Seat>();
  const owners = new Map<string, Agent>();

  const made = (make: (own: Store) => Agent): Seat => {
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

  const dismissOldest = (latest: Seat): void => {
    const [key, seat] = [...seats].find(([, each]) => each !== latest && each.threads.size === 0) ?? [];
    if (key === undefined) return;
    seats.delete(key);
    seat?.agent.close().catch((error: unknown) => logger.warn({ err: error }, "An agent could not be closed"));
  };

  return {
    take(key, make) {
      const seat = seats.get(key) ?? made(make);
      seats.delete(key);
      seats.set(key, seat); // keeps the map in order of use
      if (seats.size > mostIdle) dismissOldest(seat);
      return seat.agent;
    },
    running: (owner) => (owner === undefined ? undefined : owners.get(owner)),
    async close() {
      const agents = new Set([...[...seats.values()].map(({ agent }) => agent), ...owners.values()]);
      const ends = await Promise.allSettled([...agents].map((agent) => agent.close()));
      seats.clear();
      for (const end of ends) if (end.status === "rejected") throw end.reason;
    },
  };
}
