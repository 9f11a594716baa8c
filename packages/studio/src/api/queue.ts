import { useEffect, useSyncExternalStore } from "react";
import type { QueuedThread, QueueEvent } from "undangle/client";

import { isSessionMissing, queries, server } from "./server.ts";
import { isVisible, watchVisibility } from "./visibility.ts";

/** The waiting threads, as the server reports them. */
interface Queue {
  readonly threads: readonly QueuedThread[];
  /** The number of pending calls. */
  readonly count: number;
  /** `lost`: the page shows what it knew, and connects again by itself. */
  readonly connection: "connecting" | "open" | "lost";
}

let current: Queue = { threads: [], count: 0, connection: "connecting" };
const listeners = new Set<() => void>();
let isStarted = false;

/** What tabs send to each other. `hello` is the question of a new tab. */
type Message =
  | QueueEvent
  | { readonly type: "state"; readonly data: Pick<Queue, "threads" | "connection"> }
  | { readonly type: "hello" };

function apply(message: Message): void {
  switch (message.type) {
    case "snapshot":
      return change({ threads: message.data.map(withKnownCalls), connection: "open" });
    case "thread":
      return change({ threads: withThread(current.threads, message.data) });
    case "state":
      return change(message.data);
    case "hello":
  }
}

/** A thread that the server cannot read at the moment has no calls in its report. What is known of them still waits. */
function withKnownCalls(thread: QueuedThread): QueuedThread {
  const { pending = [] } = current.threads.find(({ id }) => id === thread.id) ?? {};
  return thread.error === undefined || thread.pending.length > 0 ? thread : { ...thread, pending };
}

/** A thread keeps its place, so that lists do not jump. */
function withThread(threads: readonly QueuedThread[], report: QueuedThread): readonly QueuedThread[] {
  const next = withKnownCalls(report);
  const isQueued = next.pending.length > 0 || next.error !== undefined;
  if (!isQueued) return threads.filter(({ id }) => id !== next.id);
  return threads.some(({ id }) => id === next.id)
    ? threads.map((thread) => (thread.id === next.id ? next : thread))
    : [...threads, next];
}

function change(next: Partial<Pick<Queue, "threads" | "connection">>): void {
  const { threads = current.threads, connection = current.connection } = next;
  current = { threads, connection, count: threads.reduce((sum, { pending }) => sum + pending.length, 0) };
  for (const listener of listeners) listener();
}

/**
 * Reads the queue for all tabs of the browser. Browsers permit six connections to a server, so one tab holds the stream
 * and passes on what it reads. When that tab closes, the next one in the queue of the lock continues.
 */
function start(): void {
  if (isStarted) return;
  isStarted = true;
  const channel = new BroadcastChannel("undangle-queue");
  const post: (message: Message) => void = channel.postMessage.bind(channel);
  let isReader = false;
  const broadcast = (message: Message): void => {
    apply(message);
    post(message);
  };
  channel.addEventListener("message", ({ data }: MessageEvent<Message>) => {
    if (!isReader) apply(data);
    else if (data.type === "hello") post({ type: "state", data: current });
  });
  post({ type: "hello" });
  const read = async (signal?: AbortSignal): Promise<void> => {
    isReader = true;
    await follow(broadcast, signal);
    isReader = false; // a tab in which a person signs in again must not wait for this one
  };
  const readAlways = async (): Promise<void> => {
    for (;;) {
      await ("locks" in navigator ? navigator.locks.request("undangle-queue", () => read()) : readWhileShown(read));
      await nextSession();
    }
  };
  void readAlways();
}

/**
 * Pages without TLS have no locks: each tab reads for itself, but only while a person can see it. Streams of tabs in the
 * background would take all connections. Ends when the server refuses.
 */
async function readWhileShown(read: (signal: AbortSignal) => Promise<void>): Promise<void> {
  for (;;) {
    const stream = new AbortController();
    const shown = Promise.withResolvers<void>();
    const endWatch = watchVisibility({ onHidden: () => stream.abort(), onShown: shown.resolve });
    if (!isVisible()) await shown.promise;
    await read(stream.signal);
    endWatch();
    if (!stream.signal.aborted) return;
  }
}

/** Reads until the server refuses, or the signal aborts. */
async function follow(broadcast: (message: Message) => void, signal?: AbortSignal): Promise<void> {
  try {
    const onConnection = (data: "open" | "lost"): void => {
      if (data === "lost") broadcast({ type: "state", data: { ...current, connection: data } }); // open: the snapshot follows
    };
    for await (const event of server.queueEvents({ onConnection, ...(signal && { signal }) })) broadcast(event);
  } catch {
    broadcast({ type: "state", data: { threads: [], connection: "lost" } }); // the session query reports why
  }
}

/** Resolves when this tab has read the session again, and there is one. */
async function nextSession(): Promise<void> {
  const since = Date.now();
  const isKnown = (): boolean =>
    !isSessionMissing() && (queries.getQueryState(["session"])?.dataUpdatedAt ?? 0) > since;
  do await new Promise((resolve) => setTimeout(resolve, 500));
  while (!isKnown());
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** All pending calls of all threads, live. */
export function useQueue(): Queue {
  useEffect(start, []);
  return useSyncExternalStore(subscribe, () => current);
}
