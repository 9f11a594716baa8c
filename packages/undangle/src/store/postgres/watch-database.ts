import { randomUUID } from "node:crypto";
import { performance } from "node:perf_hooks";

import { createWatchers } from "../watchers.ts";
import type { Watchers } from "../watchers.ts";
import { canSpareOne, openEar } from "./ear.ts";
import type { Ear } from "./ear.ts";
import { readNotice, sendNotices } from "./notices.ts";
import type { PostgresPool } from "./postgres-pool.ts";
import type { Send } from "./statement-sender.ts";

/** How often the database is asked for all who watch, in milliseconds: while nothing can be heard, and while it can. */
const interval = 500;
const rareInterval = 10_000;

/** How long a connection is kept on which nothing is heard: from the beginning on, and any more. */
const firstPatience = 5000;
const patience = 2.5 * rareInterval;

/** After how long another one is tried: where none could be had, and where nothing could be heard. */
const retryInterval = 10_000;
const longRetryInterval = 600_000;

export interface DatabaseWatchers extends Watchers {
  /** Nobody looks any more, and everybody is told. */
  readonly close: () => void;
}

export interface WatchOptions {
  /** Stands before the names of tables. */
  readonly prefix: string;
  readonly send: Send;
}

/**
 * Those who watch threads of a database. While there are some, one connection listens to what other processes tell, and the
 * database is asked now and then, once for all of them: what is told can get lost. It is asked more often while there is no such
 * connection, or one on which nothing is heard, as behind a pooler that mixes connections.
 */
export function watchDatabase(pool: PostgresPool, { prefix, send }: WatchOptions): DatabaseWatchers {
  const lastEvents = `SELECT id, last_event FROM ${prefix}undangle_threads WHERE id = ANY($1::text[])`;
  const token = randomUUID();
  let timer: NodeJS.Timeout | undefined;
  let ear: Ear | undefined;
  let nextEar = -Infinity; // when one may be opened
  let nextQuestion = -Infinity;
  let isAsking = false;
  let mustAsk = false; // once more
  let opened = -Infinity;
  let heard: number | undefined; // when it has last heard its own voice

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
      stop(); // it waits for its connections
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
        if (timer === undefined || ear !== undefined) return opening.close(); // whoever wanted it has left
        ear = opening;
        nextEar = -Infinity;
        opened = performance.now();
        heard = undefined;
        return speak();
      })
      .catch(() => undefined); // it is asked meanwhile
  }

  /** Whoever does not hear this hears nobody. */
  function speak(): void {
    sendNotices(send, [{ type: "echo", token }]).catch(() => undefined); // as if it had got lost
  }

  function onNotice(text: string): void {
    const notice = readNotice(text);
    if (notice?.type === "events") watchers.tell(notice.id, notice.lastEvent);
    else if (notice?.type === "some") void ask();
    else if (notice?.token === token) {
      if (heard === undefined) void ask(); // what was told before it could be heard
      heard = performance.now();
      nextQuestion = heard + rareInterval;
    }
  }

  /** What has become of the threads; where that fails, it is asked again. */
  async function ask(): Promise<void> {
    mustAsk = isAsking; // what is under way may not see it yet
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
