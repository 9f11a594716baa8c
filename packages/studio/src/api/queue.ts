import { useEffect, useSyncExternalStore } from "react";
import type { QueuedThread } from "undangle/client";

import { server } from "./server.ts";

/** The waiting threads, as the server reports them. */
export interface Queue {
  readonly threads: readonly QueuedThread[];
  /** The number of pending calls. */
  readonly count: number;
  /** `lost`: the page shows what it knew, and connects again by itself. */
  readonly connection: "connecting" | "open" | "lost";
}

let current: Queue = { threads: [], count: 0, connection: "connecting" };
const listeners = new Set<() => void>();
let stop: (() => void) | undefined;

function change(next: Partial<Pick<Queue, "threads" | "connection">>): void {
  const { threads = current.threads, connection = current.connection } = next;
  current = { threads, connection, count: threads.reduce((sum, { pending }) => sum + pending.length, 0) };
  for (const listener of listeners) listener();
}

async function follow(signal: AbortSignal): Promise<void> {
  const events = server.queueEvents({ signal, onConnection: (connection) => change({ connection }) });
  try {
    for await (const { type, data } of events) {
      if (type === "snapshot") change({ threads: data });
      else {
        const others = current.threads.filter(({ id }) => id !== data.id);
        change({ threads: data.pending.length === 0 ? others : [...others, data] });
      }
    }
  } catch {
    change({ threads: [], connection: "lost" }); // the session query reports why
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** All pending calls of all threads, live. */
export function useQueue(): Queue {
  useEffect(() => {
    if (stop === undefined) {
      const end = new AbortController();
      stop = () => end.abort();
      void follow(end.signal);
    }
  }, []);
  return useSyncExternalStore(subscribe, () => current);
}
