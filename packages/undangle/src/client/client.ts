import type { CheckOptions, Converted, ConvertOptions, Format, Repaired, RepairOptions } from "#codecs";
import type { Problem } from "#core";
import type { AgentEvent, Allowance, Decisions, PendingCall, RunStatus, Usage } from "#engine";
import type { Explanation, ExplainOptions } from "#explain";

import { createConnection } from "./connection.ts";
import type { Connection } from "./connection.ts";
import { followEvents } from "./follow-events.ts";

export interface ClientOptions {
  /** Where the server is: `http://localhost:4111`. */
  readonly url: string;
  /** A key of the server, where it wants one. */
  readonly key?: string | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** A thread as the server shows it. */
export interface RemoteThread {
  readonly id: string;
  readonly status: "idle" | "running" | "waiting";
  readonly title: string | null;
  readonly persona: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly entries: number;
  readonly last_event: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly deleted_at: string | null;
}

/** The same with what is in it. */
export interface RemoteContents extends RemoteThread {
  readonly pending: readonly PendingCall[];
  readonly calls: readonly Readonly<Record<string, unknown>>[];
  /** In the format of OpenAI. */
  readonly messages: readonly Readonly<Record<string, unknown>>[];
}

/** A thread that waits for a decision. */
export interface QueuedThread extends RemoteThread {
  readonly pending: readonly PendingCall[];
  /** Why the server cannot read what waits there. */
  readonly error?: { readonly code: string; readonly message: string };
}

/** How a run ended. */
export interface RemoteEnd {
  readonly thread_id: string;
  readonly run_id: string;
  readonly status: RunStatus;
  readonly text: string;
  readonly pending: readonly PendingCall[];
  /** Of this run. */
  readonly usage: Usage;
  /** Of the whole thread, this run included. */
  readonly thread_usage: Usage;
  /** Of a run that was stopped because another message, or a request to answer again, took its place. */
  readonly cause?: "superseded";
  readonly output?: unknown;
  readonly error?: { readonly code: string; readonly message: string };
}

export interface RemotePersona {
  readonly id: string;
  readonly name: string;
  readonly model: string;
  readonly tools: readonly string[];
}

/** Options of what may be tried again: with the same key the server does it once. */
export interface PostOptions {
  readonly idempotencyKey?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ThreadsQuery {
  readonly q?: string | undefined;
  readonly status?: RemoteThread["status"] | undefined;
  readonly deleted?: boolean | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** Talks to a server of Undangle, from browsers and Node alike. What it refuses is thrown as a `ServerRefusal`. */
export interface Client {
  readonly threads: {
    create(
      wanted?: {
        readonly id?: string;
        readonly persona?: string;
        readonly title?: string;
        readonly metadata?: Readonly<Record<string, unknown>>;
      },
      options?: PostOptions,
    ): Promise<RemoteThread>;
    list(
      query?: ThreadsQuery,
    ): Promise<{ readonly data: readonly RemoteThread[]; readonly next_cursor: string | null }>;
    get(id: string): Promise<RemoteContents>;
    update(
      id: string,
      changes: {
        readonly title?: string;
        readonly persona?: string;
        readonly metadata?: Readonly<Record<string, unknown>>;
      },
    ): Promise<RemoteThread>;
    /** Marks a thread as deleted; `purge` removes it permanently. */
    delete(id: string, options?: { readonly purge?: boolean | undefined }): Promise<void>;
    restore(id: string): Promise<RemoteThread>;
    /** Says something, and waits for the end of the run. */
    send(
      id: string,
      content: string | readonly object[],
      options?: PostOptions & { readonly onInput?: "supersede" | "queue" | "refuse" },
    ): Promise<RemoteEnd>;
    /** Decides about calls, and waits for the end of the run. */
    decide(id: string, decisions: Decisions, options?: PostOptions): Promise<RemoteEnd>;
    approveAll(id: string, options?: PostOptions): Promise<RemoteEnd>;
    rejectAll(id: string, reason?: string, options?: PostOptions): Promise<RemoteEnd>;
    /** What needs no decision any more: in this thread, and in all threads of its persona. */
    allowances(id: string): Promise<readonly Allowance[]>;
    /** Takes one of them back, from the next call on. */
    revoke(id: string, allowance: string): Promise<void>;
    regenerate(id: string, options?: PostOptions): Promise<RemoteEnd>;
    stop(id: string): Promise<RemoteThread>;
    fork(
      id: string,
      wish?: { readonly at?: number; readonly id?: string; readonly title?: string },
      options?: PostOptions,
    ): Promise<RemoteThread>;
    /** What happened behind a place, and what happens; a connection that breaks is made anew, and nothing is told twice. */
    events(id: string, options?: { readonly after?: string; readonly signal?: AbortSignal }): AsyncIterable<AgentEvent>;
    export(id: string, format?: string): Promise<unknown>;
    import(
      wanted: { readonly history: unknown; readonly id?: string; readonly persona?: string; readonly format?: string },
      options?: PostOptions,
    ): Promise<RemoteThread>;
  };
  personas(): Promise<readonly RemotePersona[]>;
  /** All threads that wait for a decision, with what waits there; they are read page by page. */
  queue(): Promise<readonly QueuedThread[]>;
  /** As the functions of the same names in `undangle` do it, on the server. */
  check(history: object, options?: CheckOptions): Promise<RemoteCheck>;
  repair<T extends object>(history: T, options?: Omit<RepairOptions, "notice">): Promise<Repaired<T>>;
  convert(history: object, options: ConvertOptions): Promise<Converted>;
  explain(text: string, options?: ExplainOptions): Promise<readonly Explanation[]>;
}

/** What is wrong with a history, and the format in which it was read. */
export interface RemoteCheck {
  readonly format: Format;
  readonly problems: readonly Problem[];
}

export function createClient(options: ClientOptions): Client {
  const server = createConnection(options);
  const place = (id: string, rest = ""): string => `/threads/${encodeURIComponent(id)}${rest}`;
  const run = (path: string, body: object | undefined, given: PostOptions = {}): Promise<RemoteEnd> =>
    server.post<RemoteEnd>(`${path}?wait=true`, body, given);
  return {
    threads: {
      create: (wanted = {}, given) => server.post("/threads", wanted, given),
      list: (query = {}) => server.get(`/threads${queryText(query)}`),
      get: (id) => server.get(place(id)),
      update: (id, changes) => server.patch(place(id), changes),
      delete: (id, { purge = false } = {}) => server.delete(place(id, purge ? "?purge=true" : "")),
      restore: (id) => server.patch(place(id), { deleted: false }),
      send: (id, content, { onInput, ...given } = {}) =>
        run(place(id, "/messages"), { content, ...(onInput !== undefined && { onInput }) }, given),
      decide: (id, decisions, given) => run(place(id, "/decisions"), { decisions }, given),
      approveAll: (id, given) => run(place(id, "/decisions"), { all: "approve" }, given),
      rejectAll: (id, reason, given) =>
        run(place(id, "/decisions"), { all: "reject", ...(reason !== undefined && { reason }) }, given),
      allowances: async (id) =>
        (await server.get<{ readonly data: readonly Allowance[] }>(place(id, "/allowances"))).data,
      revoke: (id, allowance) => server.delete(place(id, `/allowances/${encodeURIComponent(allowance)}`)),
      regenerate: (id, given) => run(place(id, "/regenerate"), undefined, given),
      stop: (id) => server.post(place(id, "/stop"), undefined),
      fork: (id, wish = {}, given) => server.post(place(id, "/fork"), wish, given),
      events: (id, given = {}) => followEvents(server, place(id, "/events"), given),
      export: (id, format) => server.get(place(id, `/export${format === undefined ? "" : queryText({ format })}`)),
      import: (wanted, given) => server.post("/threads/import", wanted, given),
    },
    personas: async () => (await server.get<{ readonly data: readonly RemotePersona[] }>("/personas")).data,
    queue: () => readQueue(server),
    check: (history, given) => server.post("/check", { ...given, history }),
    repair: (history, given) => server.post("/repair", { ...given, history }),
    convert: (history, given) => server.post("/convert", { ...given, history }),
    explain: async (text, given) =>
      (await server.post<{ readonly explanations: readonly Explanation[] }>("/explain", { ...given, text }))
        .explanations,
  };
}

type Queue = Awaited<ReturnType<Client["queue"]>>;

interface QueuePage {
  readonly data: Queue;
  readonly next_cursor: string | null;
}

async function readQueue(server: Connection): Promise<Queue> {
  const all: Queue[number][] = [];
  let cursor: string | undefined;
  do {
    const page: QueuePage = await server.get(`/queue${queryText({ cursor })}`);
    all.push(...page.data);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return all;
}

function queryText(query: object): string {
  const given = Object.entries<unknown>({ ...query }).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString();
  return text === "" ? "" : `?${text}`;
}
