import { defineMiddleware } from "undangle/agent";
import type { Logger, Middleware, ModelExchange, Store } from "undangle/agent";

import type { Commit } from "./watched-store.ts";

/** Records the requests that models receive and their responses, if the operator wants it. */
export interface ExchangeRecords {
  /** Reads the exchanges of a run. */
  readonly middleware: Middleware;
  /** Stores the exchange of each turn that a commit adds. */
  saved(commit: Commit): void;
  /** The exchange of a turn; undefined if it was not recorded. */
  read(thread: string, entry: number): Promise<ModelExchange | undefined>;
  /** Waits for what is being stored. */
  close(): Promise<void>;
}

/**
 * Records are files of a child of their thread, which no call can read. The store deletes, restores and purges it with
 * the thread.
 */
const placeOf = (thread: string): string => `${thread}/undangle:exchanges`;

const fileOf = (entry: number): string => `${entry}.json`;

/** The characters that are kept for turns that are not saved yet. The turn of a failed run may never be. */
const mostHeld = 32_000_000;

export interface ExchangeOptions {
  readonly most?: number | undefined;
}

export function createExchangeRecords(
  store: Store,
  logger: Logger,
  { most = mostHeld }: ExchangeOptions = {},
): ExchangeRecords {
  const last = new Map<string, ModelExchange>(); // the last attempt, by thread, the oldest first
  let held = 0;
  const storing = new Map<string, Promise<void>>();

  const drop = (thread: string): void => {
    const { request, response } = last.get(thread) ?? { request: "", response: "" };
    held -= request.length + response.length;
    last.delete(thread);
  };
  const hold = (thread: string, exchange: ModelExchange): void => {
    drop(thread);
    last.set(thread, exchange);
    held += exchange.request.length + exchange.response.length;
    for (const oldest of last.keys())
      if (held > most) drop(oldest);
      else break;
  };
  const write = async (thread: string, { entry, exchange, at }: RecordedTurn): Promise<void> => {
    const id = placeOf(thread);
    const data = new TextEncoder().encode(JSON.stringify(exchange));
    const before = await store.load(id);
    if (before !== undefined && before.parent !== thread) return; // a thread that another project gave this id
    const version = before?.version ?? 0;
    const head = { epoch: 0, owner: undefined, status: "idle", deadline: undefined, title: undefined } as const;
    await store.commit({
      thread: id,
      version,
      at,
      head: { ...head, parent: thread, data: null },
      entries: [],
      calls: [],
      events: [],
      files: [{ path: fileOf(entry), data }],
    });
  };
  /** One write at a time for each thread. A record that cannot be stored is missing, and nothing else. */
  const keep = (thread: string, turn: RecordedTurn): void => {
    const done = (storing.get(thread) ?? Promise.resolve())
      .then(() => write(thread, turn))
      .catch((error: unknown) => logger.warn({ threadId: thread, err: error }, "A request could not be recorded"))
      .finally(() => {
        if (storing.get(thread) === done) storing.delete(thread);
      });
    storing.set(thread, done);
  };

  return {
    middleware: defineMiddleware({
      name: "undangle/server/exchanges",
      wrapModelCall:
        (next) =>
        (request, { threadId }) =>
          next({ ...request, onExchange: (exchange) => hold(threadId, exchange) }),
    }),
    saved({ thread, events, at }) {
      for (const { type, data } of events) {
        const exchange = last.get(thread);
        const entry = type === "model_end" ? (data as { readonly entry?: number }).entry : undefined; // written by the engine
        if (entry !== undefined && exchange !== undefined) keep(thread, { entry, exchange, at });
        if (entry !== undefined || type === "run_end") drop(thread);
      }
    },
    async read(thread, entry) {
      await storing.get(thread);
      if ((await store.load(placeOf(thread)))?.parent !== thread) return undefined;
      const file = await store.file(placeOf(thread), fileOf(entry));
      return file === undefined ? undefined : (JSON.parse(new TextDecoder().decode(file.data)) as ModelExchange); // only this file writes there
    },
    async close() {
      await Promise.all(storing.values());
    },
  };
}

interface RecordedTurn {
  readonly entry: number;
  readonly exchange: ModelExchange;
  readonly at: number;
}
