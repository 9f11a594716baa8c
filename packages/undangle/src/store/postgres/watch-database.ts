import { randomUUID } from "node:crypto";
import { performance } from "node:perf_hooks";

import { createWatchers } from "../watchers.ts";
import type { Watchers } from "../watchers.ts";
import { canReserveConnection, openListenConnection } from "./listen-connection.ts";
import type { ListenConnection } from "./listen-connection.ts";
import { readNotification, sendNotifications } from "./event-channel.ts";
import type { PostgresPool } from "./postgres-pool.ts";
import type { Send } from "./statement-sender.ts";

/** The polling interval for all watchers in milliseconds: without and with a working listener. */
const interval = 500;
const rareInterval = 10_000;

/** How long a listener without notifications is kept: at first, and later. */
const firstTimeout = 5000;
const echoTimeout = 2.5 * rareInterval;

/** The delay before another listener: after a failure, and after silence. */
const retryInterval = 10_000;
const longRetryInterval = 600_000;

export interface DatabaseWatchers extends Watchers {
  /** Stops polling and notifies all watchers. */
  readonly close: () => void;
}

export interface WatchOptions {
  /** The prefix of table names. */
  readonly prefix: string;
  readonly send: Send;
}

/**
 * The watchers of a database. While there are some, one connection listens for notifications, and the database is
 * polled for all of them, because notifications can be lost. It is polled more often without a working listener, for
 * example with a transaction pooler.
 */
export function watchDatabase(pool: PostgresPool, { prefix, send }: WatchOptions): DatabaseWatchers {
  const lastEvents = `SELECT id, last_event FROM ${prefix}undangle_threads WHERE id = ANY($1::text[])`;
  const token = randomUUID();
  let timer: NodeJS.Timeout | undefined;
  let listener: ListenConnection | undefined;
  let nextListen = -Infinity; // the earliest time for a new listener
  let nextPoll = -Infinity;
  let isPolling = false;
  let mustPoll = false; // once more
  let opened = -Infinity;
  let lastEcho: number | undefined; // the last time it received its own notification

  const watchers = createWatchers((isWatched) => {
    if (!isWatched) return stop();
    timer = setInterval(check, interval).unref();
    nextPoll = performance.now() + interval;
    return check();
  });
  return {
    ...watchers,
    close() {
      stop();
      watchers.notifyAll();
    },
  };

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
    listener?.close();
    listener = undefined;
  }

  function check(): void {
    const now = performance.now();
    if (pool.ending === true) {
      stop(); // the pool waits for its connections
      return watchers.notifyAll();
    }
    const isSilent = lastEcho === undefined ? now - opened > firstTimeout : now - lastEcho > echoTimeout;
    if (listener !== undefined && isSilent) {
      listener.close();
      listener = undefined;
      nextListen = lastEcho === undefined ? now + longRetryInterval : now;
      nextPoll = now;
    }
    if (listener === undefined && now >= nextListen) listen();
    if (now >= nextPoll) {
      void poll();
      if (listener !== undefined) sendEcho();
    }
    return undefined;
  }

  function listen(): void {
    if (!canReserveConnection(pool)) return;
    nextListen = performance.now() + retryInterval;
    const onLost = (): void => {
      listener = undefined;
      nextListen = nextPoll = performance.now() + interval;
    };
    openListenConnection(pool, { onNotification, onLost })
      .then((opening) => {
        if (timer === undefined || listener !== undefined) return opening.close(); // the last watcher has left
        listener = opening;
        nextListen = -Infinity;
        opened = performance.now();
        lastEcho = undefined;
        return sendEcho();
      })
      .catch(() => undefined); // polling continues meanwhile
  }

  /** A listener that misses this receives nothing. */
  function sendEcho(): void {
    sendNotifications(send, [{ type: "echo", token }]).catch(() => undefined); // counts as lost
  }

  function onNotification(text: string): void {
    const notification = readNotification(text);
    if (notification?.type === "events") watchers.notify(notification.id, notification.lastEvent);
    else if (notification?.type === "some") void poll();
    else if (notification?.token === token) {
      if (lastEcho === undefined) void poll(); // events from before it could listen
      lastEcho = performance.now();
      nextPoll = lastEcho + rareInterval;
    }
  }

  /** Reads the last events of the watched threads, and retries after a failure. */
  async function poll(): Promise<void> {
    mustPoll = isPolling; // the current query may miss it
    if (isPolling) return;
    isPolling = true;
    nextPoll = performance.now() + (listener !== undefined && lastEcho !== undefined ? rareInterval : interval);
    try {
      const { rows } = await send(lastEvents, [watchers.ids()]);
      for (const row of rows) watchers.notify(String(row["id"]), Number(row["last_event"]));
    } catch {
      nextPoll = performance.now() + interval;
    }
    isPolling = false;
    if (mustPoll) await poll();
  }
}
