import { randomUUID } from "node:crypto";
import { performance } from "node:perf_hooks";

import { createWatchers } from "../watchers.ts";
import type { Watchers } from "../watchers.ts";
import { canSpareOne, openEar } from "./ear.ts";
import type { Ear } from "./ear.ts";
import { readNotice, sendNotices } from "./notices.ts";
import type { PostgresPool } from "./postgres-pool.ts";
import type { Send } from "./statement-sender.ts";

/** The polling interval for all watchers in milliseconds: without and with a working listener. */
const interval = 500;
const rareInterval = 10_000;

/** How long a listener without notifications is kept: at first, and later. */
const firstPatience = 5000;
const patience = 2.5 * rareInterval;

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
 * example behind a transaction pooler.
 */
export function watchDatabase(pool: PostgresPool, { prefix, send }: WatchOptions): DatabaseWatchers {
  const lastEvents = `SELECT id, last_event FROM ${prefix}undangle_threads WHERE id = ANY($1::text[])`;
  const token = randomUUID();
  let timer: NodeJS.Timeout | undefined;
  let ear: Ear | undefined;
  let nextEar = -Infinity; // the earliest time for a new listener
  let nextQuestion = -Infinity;
  let isAsking = false;
  let mustAsk = false; // once more
  let opened = -Infinity;
  let heard: number | undefined; // the last time it received its own notification

  const watchers = createWatchers((isWatched) => {
    if (!isWatched) return stop();
    timer = setInterval(look, interval).unref();
    nextQuestion = performance.now() + interval;
    return look();
  });
  return {
    ...watchers,
    close() {
      stop();
      watchers.tellAll();
    },
  };

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
    ear?.close();
    ear = undefined;
  }

  function look(): void {
    const now = performance.now();
    if (pool.ending === true) {
      stop(); // the pool waits for its connections
      return watchers.tellAll();
    }
    const isDeaf = heard === undefined ? now - opened > firstPatience : now - heard > patience;
    if (ear !== undefined && isDeaf) {
      ear.close();
      ear = undefined;
      nextEar = heard === undefined ? now + longRetryInterval : now;
      nextQuestion = now;
    }
    if (ear === undefined && now >= nextEar) listen();
    if (now >= nextQuestion) {
      void ask();
      if (ear !== undefined) speak();
    }
    return undefined;
  }

  function listen(): void {
    if (!canSpareOne(pool)) return;
    nextEar = performance.now() + retryInterval;
    const onLost = (): void => {
      ear = undefined;
      nextEar = nextQuestion = performance.now() + interval;
    };
    openEar(pool, { onNotice, onLost })
      .then((opening) => {
        if (timer === undefined || ear !== undefined) return opening.close(); // the last watcher has left
        ear = opening;
        nextEar = -Infinity;
        opened = performance.now();
        heard = undefined;
        return speak();
      })
      .catch(() => undefined); // polling continues meanwhile
  }

  /** A listener that misses this receives nothing. */
  function speak(): void {
    sendNotices(send, [{ type: "echo", token }]).catch(() => undefined); // counts as lost
  }

  function onNotice(text: string): void {
    const notice = readNotice(text);
    if (notice?.type === "events") watchers.tell(notice.id, notice.lastEvent);
    else if (notice?.type === "some") void ask();
    else if (notice?.token === token) {
      if (heard === undefined) void ask(); // events from before it could listen
      heard = performance.now();
      nextQuestion = heard + rareInterval;
    }
  }

  /** Reads the last events of the watched threads, and retries after a failure. */
  async function ask(): Promise<void> {
    mustAsk = isAsking; // the current query may miss it
    if (isAsking) return;
    isAsking = true;
    nextQuestion = performance.now() + (ear !== undefined && heard !== undefined ? rareInterval : interval);
    try {
      const { rows } = await send(lastEvents, [watchers.ids()]);
      for (const row of rows) watchers.tell(String(row["id"]), Number(row["last_event"]));
    } catch {
      nextQuestion = performance.now() + interval;
    }
    isAsking = false;
    if (mustAsk) await ask();
  }
}
