import { getHeapStatistics } from "node:v8";

import type { Agent, Logger, Store } from "undangle/agent";

import { watchStore } from "./watched-store.ts";
import type { Commit } from "./watched-store.ts";

/** The agents that there are at the moment. */
export interface Seats {
  /** The agent of a key, made with a store of its own if there is none. */
  take(key: string, make: (store: Store) => Agent): Agent;
  /** The agent that runs a thread under this name of an owner. */
  running(owner: string | undefined): Agent | undefined;
  close(): Promise<void>;
}

interface Seat {
  readonly agent: Agent;
  /** The threads that it runs. */
  readonly threads: ReadonlySet<string>;
}

const mostIdle = 64;

/** How often it is looked whether memory is short, in milliseconds, and which part of it may be in use. */
const lookInterval = 500;
const fairShare = 0.5;

/**
 * Keeps the agents that were used last, and all that run something. An agent remembers the threads that it was asked about last,
 * however long they are: when memory is short, all of them are let go and made anew.
 */
export function createSeats(store: Store, logger: Logger, isShort = isMemoryShort): Seats {
  const seats = new Map<string, Seat>();
  const owners = new Map<string, Agent>();
  let lookedAt = performance.now();

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

  /** It comes to the end of what it runs, and is found by that until then. */
  const dismiss = (key: string, { agent }: Seat): void => {
    seats.delete(key);
    agent.close().catch((error: unknown) => logger.warn({ err: error }, "An agent could not be closed"));
  };
  const dismissOldest = (latest: Seat): void => {
    const oldest = [...seats].find(([, seat]) => seat !== latest && seat.threads.size === 0);
    if (oldest !== undefined) dismiss(...oldest);
  };
  const lookAtMemory = (): void => {
    if (performance.now() - lookedAt < lookInterval) return;
    lookedAt = performance.now();
    if (isShort()) for (const [key, seat] of seats) dismiss(key, seat);
  };

  return {
    take(key, make) {
      lookAtMemory();
      const seat = seats.get(key) ?? made(make);
      seats.delete(key);
      seats.set(key, seat); // the last one used is the last in the map
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

function isMemoryShort(): boolean {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  return used > limit * fairShare;
}
