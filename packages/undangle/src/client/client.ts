import type { CheckOptions, Converted, ConvertOptions, Format, Repaired, RepairOptions } from "#codecs";
import type { Problem } from "#core";
import type { AgentEvent, Allowance, Decisions, InputPolicy, PendingCall, RunMode, RunStatus, Usage } from "#engine";
import type { Explanation, ExplainOptions } from "#explain";

import { createConnection } from "./connection.ts";
import type { Connection } from "./connection.ts";
import { receivedExchange } from "./exchange-text.ts";
import { followEvents, followQueue } from "./follow-events.ts";
import type { FollowOptions, QueueEvent } from "./follow-events.ts";
import type {
  EntryPage,
  ProjectAllowance,
  ReceivedExchange,
  RemoteKey,
  RemoteRepair,
  RemoteSession,
  Trace,
} from "./inspection.ts";

export interface ClientOptions {
  /** The address of the server: `http://localhost:4111`. */
  readonly url: string;
  /** A key of the server, if it requires one. */
  readonly key?: string | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** A thread in the form of the API. */
export interface RemoteThread {
  readonly id: string;
  readonly status: "idle" | "running" | "waiting";
  readonly title: string | null;
  readonly persona: string;
  /** The chosen model; null for the model of the persona. */
  readonly model: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly entries: number;
  readonly last_event: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly deleted_at: string | null;
}

/** The same with its content. */
export interface RemoteContents extends RemoteThread {
  readonly pending: readonly PendingCall[];
  readonly calls: readonly Readonly<Record<string, unknown>>[];
  /** In OpenAI's format. */
  readonly messages: readonly Readonly<Record<string, unknown>>[];
}

export interface QueuedThread extends RemoteThread {
  readonly pending: readonly PendingCall[];
  /** The error if the server cannot read its pending calls. */
  readonly error?: { readonly code: string; readonly message: string };
}

export interface RemoteEnd {
  readonly thread_id: string;
  readonly run_id: string;
  readonly status: RunStatus;
  readonly text: string;
  readonly pending: readonly PendingCall[];
  /** Of this run. */
  readonly usage: Usage;
  /** Of the whole thread, including this run. */
  readonly thread_usage: Usage;
  /** Set if another message, or a request to respond again, replaced the run. */
  readonly cause?: "superseded";
  readonly output?: unknown;
  readonly error?: { readonly code: string; readonly message: string };
}

export interface RemotePersona {
  readonly id: string;
  readonly name: string;
  readonly model: string;
  /** True if it uses the demo model, because no other is configured. */
  readonly isDemo: boolean;
  readonly language?: "en" | "zh";
  readonly tools: readonly string[];
  /** How it handles a message while calls are open, unless the message requests another policy. */
  readonly onInput: InputPolicy;
}

/** A file of a thread, without its content. */
export interface RemoteFile {
  readonly path: string;
  /** In bytes. */
  readonly size: number;
  readonly createdAt: string;
  readonly modifiedAt: string;
}

/** Options of requests that may be retried. The server executes a key once. */
export interface PostOptions {
  readonly idempotencyKey?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface SendOptions extends PostOptions {
  readonly onInput?: InputPolicy;
  /** What the calls of this run may do. `accept-edits` needs a key with the scope `approve`. */
  readonly mode?: RunMode;
  /** Files of the thread, saved with the message: text by path, or null to delete a file. */
  readonly files?: Readonly<Record<string, string | null>>;
}

/** A run that has started. */
export interface RemoteStart {
  readonly thread_id: string;
  readonly run_id: string;
  readonly status: string;
}

export interface ThreadsQuery {
  readonly q?: string | undefined;
  readonly status?: RemoteThread["status"] | undefined;
  readonly deleted?: boolean | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

interface ExchangeQuery {
  /** The calls that lead to a child thread, whose turn it is. */
  readonly path?: readonly string[] | undefined;
}

/** A client of an Undangle server, for browsers and Node. A refusal throws a `ServerRefusal`. */
export interface Client {
  readonly threads: {
    create(
      wanted?: {
        readonly id?: string;
        readonly persona?: string;
        /** A name of `models()`. By default the model of the persona. */
        readonly model?: string;
        readonly title?: string;
        readonly metadata?: Readonly<Record<string, unknown>>;
        /** Files of the thread: text by path. */
        readonly files?: Readonly<Record<string, string>>;
      },
      options?: PostOptions,
    ): Promise<RemoteThread>;
    list(
      query?: ThreadsQuery,
    ): Promise<{ readonly data: readonly RemoteThread[]; readonly next_cursor: string | null }>;
    get(id: string): Promise<RemoteContents>;
    /** A thread with its pending calls, without its messages. */
    pending(id: string): Promise<QueuedThread>;
    update(
      id: string,
      changes: {
        readonly title?: string;
        readonly persona?: string;
        /** A name of `models()`; null for the model of the persona. It applies from the next run on. */
        readonly model?: string | null;
        readonly metadata?: Readonly<Record<string, unknown>>;
      },
    ): Promise<RemoteThread>;
    /** Marks a thread as deleted; `purge` removes it permanently. */
    delete(id: string, options?: { readonly purge?: boolean | undefined }): Promise<void>;
    restore(id: string): Promise<RemoteThread>;
    /** Sends a message and waits for the end of the run. */
    send(id: string, content: string | readonly object[], options?: SendOptions): Promise<RemoteEnd>;
    /** Decides calls and waits for the end of the run. */
    decide(id: string, decisions: Decisions, options?: PostOptions): Promise<RemoteEnd>;
    approveAll(id: string, options?: PostOptions): Promise<RemoteEnd>;
    rejectAll(id: string, reason?: string, options?: PostOptions): Promise<RemoteEnd>;
    /** Allowances of this thread, and of all threads of its persona. */
    allowances(id: string): Promise<readonly Allowance[]>;
    /** Revokes an allowance, from the next call on. */
    revoke(id: string, allowance: string): Promise<void>;
    regenerate(id: string, options?: PostOptions): Promise<RemoteEnd>;
    /** The same commands, which return as soon as the run is saved. Follow it with `events`. */
    readonly start: {
      send(id: string, content: string | readonly object[], options?: SendOptions): Promise<RemoteStart>;
      decide(id: string, decisions: Decisions, options?: PostOptions): Promise<RemoteStart>;
      regenerate(id: string, options?: PostOptions): Promise<RemoteStart>;
    };
    stop(id: string): Promise<RemoteThread>;
    fork(
      id: string,
      wish?: { readonly at?: number; readonly id?: string; readonly title?: string },
      options?: PostOptions,
    ): Promise<RemoteThread>;
    /** Events after a position, and new ones. A broken connection is reopened, and no event repeats. */
    events(
      id: string,
      options?: FollowOptions & {
        readonly after?: string;
        /** The calls that lead to a child thread: its stored events, and new ones. */
        readonly path?: readonly string[];
      },
    ): AsyncIterable<AgentEvent>;
    /** The messages and turns of a thread, or of a child thread, the newest page first. */
    entries(
      id: string,
      query?: {
        readonly before?: number | undefined;
        readonly limit?: number | undefined;
        readonly path?: readonly string[] | undefined;
      },
    ): Promise<EntryPage>;
    /** The state of tools and middleware, by key: `todos` of `todos()`. */
    state(id: string): Promise<Readonly<Record<string, unknown>>>;
    /** The runs, model responses, calls and waits of a thread and its child threads. */
    trace(id: string): Promise<Trace>;
    /** What Undangle repaired in the thread. */
    repairs(id: string): Promise<readonly RemoteRepair[]>;
    /** The request of the turn with this entry number. Needs the scope `admin`. */
    request(id: string, entry: number, query?: ExchangeQuery): Promise<ReceivedExchange>;
    /** The response of the turn with this entry number. Needs the scope `admin`. */
    response(id: string, entry: number, query?: ExchangeQuery): Promise<ReceivedExchange>;
    /** The files of a thread whose paths start with a text, sorted by path. */
    files(id: string, query?: { readonly prefix?: string | undefined }): Promise<readonly RemoteFile[]>;
    readFile(id: string, path: string): Promise<Uint8Array>;
    /** Creates or replaces a file. */
    writeFile(id: string, path: string, content: string | Uint8Array): Promise<void>;
    deleteFile(id: string, path: string): Promise<void>;
    export(id: string, format?: string): Promise<unknown>;
    import(
      wanted: { readonly history: unknown; readonly id?: string; readonly persona?: string; readonly format?: string },
      options?: PostOptions,
    ): Promise<RemoteThread>;
  };
  personas(): Promise<readonly RemotePersona[]>;
  /** The names of the models that a thread can use instead of the model of its persona. */
  models(): Promise<readonly string[]>;
  /** All threads with pending calls, also those that run meanwhile, read page by page. */
  queue(): Promise<readonly QueuedThread[]>;
  /** The queue as it changes: first all threads with pending calls, then each of them that changes. */
  queueEvents(options?: FollowOptions): AsyncIterable<QueueEvent>;
  /** The caller, as the server knows it. */
  readonly session: {
    get(): Promise<RemoteSession>;
    /** Exchanges a key for a cookie, in browsers. */
    open(key: string): Promise<RemoteSession>;
    close(): Promise<void>;
  };
  /** The keys of the project. Needs the scope `admin`. */
  readonly keys: {
    list(): Promise<readonly RemoteKey[]>;
    /** `text` is shown once and is not stored. */
    create(wanted: {
      readonly name: string;
      readonly scopes: readonly string[];
      readonly expires_at?: string | undefined;
    }): Promise<RemoteKey & { readonly text: string }>;
    revoke(id: string): Promise<void>;
    /** The names of the keys, by what decisions and allowances record: `{ "key:0a1b…": "Ann" }`. Needs no `admin`. */
    names(): Promise<Readonly<Record<string, string>>>;
  };
  /** The allowances of all threads and personas. */
  allowances(): Promise<readonly ProjectAllowance[]>;
  /** Revokes an allowance of any thread or persona, even if the thread that created it is gone. */
  revokeAllowance(id: string): Promise<void>;
  /** The functions of the same names in `undangle`, run on the server. */
  check(history: object, options?: CheckOptions): Promise<RemoteCheck>;
  repair<T extends object>(history: T, options?: Omit<RepairOptions, "notice">): Promise<Repaired<T>>;
  convert(history: object, options: ConvertOptions): Promise<Converted>;
  explain(text: string, options?: ExplainOptions): Promise<readonly Explanation[]>;
}

/** The problems of a history, and its format. */
export interface RemoteCheck {
  readonly format: Format;
  readonly problems: readonly Problem[];
}

export function createClient(options: ClientOptions): Client {
  const server = createConnection(options);
  const place = (id: string, rest = ""): string => `/threads/${encodeURIComponent(id)}${rest}`;
  const run = (path: string, body: object | undefined, given: PostOptions = {}): Promise<RemoteEnd> =>
    server.post<RemoteEnd>(`${path}?wait=true`, body, given);
  const exchange = async (path: string): Promise<ReceivedExchange> =>
    receivedExchange(new TextDecoder().decode(await server.bytes(path)));
  const noted = (session: RemoteSession): RemoteSession => {
    server.useToken(session.csrf_token);
    return session;
  };
  return {
    threads: {
      create: (wanted = {}, given) => server.post("/threads", wanted, given),
      list: (query = {}) => server.get(`/threads${queryText(query)}`),
      get: (id) => server.get(place(id)),
      pending: (id) => server.get(place(id, "?contents=pending")),
      update: (id, changes) => server.patch(place(id), changes),
      delete: (id, { purge = false } = {}) => server.delete(place(id, purge ? "?purge=true" : "")),
      restore: (id) => server.patch(place(id), { deleted: false }),
      send(id, content, { onInput, mode, files, ...given } = {}) {
        return run(place(id, "/messages"), { content, onInput, mode, files }, given); // JSON omits what is undefined
      },
      decide: (id, decisions, given) => run(place(id, "/decisions"), { decisions }, given),
      approveAll: (id, given) => run(place(id, "/decisions"), { all: "approve" }, given),
      rejectAll: (id, reason, given) =>
        run(place(id, "/decisions"), { all: "reject", ...(reason !== undefined && { reason }) }, given),
      allowances: async (id) =>
        (await server.get<{ readonly data: readonly Allowance[] }>(place(id, "/allowances"))).data,
      revoke: (id, allowance) => server.delete(place(id, `/allowances/${encodeURIComponent(allowance)}`)),
      regenerate: (id, given) => run(place(id, "/regenerate"), undefined, given),
      start: {
        send: (id, content, { onInput, mode, files, ...given } = {}) =>
          server.post(place(id, "/messages"), { content, onInput, mode, files }, given),
        decide: (id, decisions, given) => server.post(place(id, "/decisions"), { decisions }, given),
        regenerate: (id, given) => server.post(place(id, "/regenerate"), undefined, given),
      },
      stop: (id) => server.post(place(id, "/stop"), undefined),
      fork: (id, wish = {}, given) => server.post(place(id, "/fork"), wish, given),
      events: (id, { path, ...given } = {}) =>
        followEvents(server, place(id, `/events${queryText({ path: path?.join("/") })}`), given),
      entries: (id, { path, ...query } = {}) =>
        server.get(place(id, `/entries${queryText({ ...query, path: path?.join("/") })}`)),
      state: async (id) =>
        (await server.get<{ readonly data: Readonly<Record<string, unknown>> }>(place(id, "/state"))).data,
      trace: (id) => server.get(place(id, "/trace")),
      repairs: async (id) => (await server.get<{ readonly data: readonly RemoteRepair[] }>(place(id, "/repairs"))).data,
      request: (id, entry, { path } = {}) =>
        exchange(place(id, `/responses/${entry}/request${queryText({ path: path?.join("/") })}`)),
      response: (id, entry, { path } = {}) =>
        exchange(place(id, `/responses/${entry}/response${queryText({ path: path?.join("/") })}`)),
      files: async (id, query = {}) =>
        (await server.get<{ readonly data: readonly RemoteFile[] }>(place(id, `/files${queryText(query)}`))).data,
      readFile: async (id, path) => server.bytes(place(id, filePlace(path))),
      writeFile: async (id, path, content) => server.put(place(id, filePlace(path)), content),
      deleteFile: async (id, path) => server.delete(place(id, filePlace(path))),
      export: (id, format) => server.get(place(id, `/export${format === undefined ? "" : queryText({ format })}`)),
      import: (wanted, given) => server.post("/threads/import", wanted, given),
    },
    personas: async () => (await server.get<{ readonly data: readonly RemotePersona[] }>("/personas")).data,
    models: async () => (await server.get<{ readonly models: readonly string[] }>("/personas")).models,
    queue: () => readQueue(server),
    queueEvents: (given = {}) => followQueue(server, given),
    session: {
      get: async () => noted(await server.get<RemoteSession>("/session")),
      open: async (key) => noted(await server.post<RemoteSession>("/session", { key })),
      async close() {
        await server.delete("/session");
        server.useToken(null);
      },
    },
    keys: {
      list: async () => (await server.get<{ readonly data: readonly RemoteKey[] }>("/keys")).data,
      create: (wanted) => server.post("/keys", wanted),
      revoke: (id) => server.delete(`/keys/${encodeURIComponent(id)}`),
      names: async () => (await server.get<{ readonly data: Readonly<Record<string, string>> }>("/key-names")).data,
    },
    allowances: async () => (await server.get<{ readonly data: readonly ProjectAllowance[] }>("/allowances")).data,
    revokeAllowance: (id) => server.delete(`/allowances/${encodeURIComponent(id)}`),
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
  const all = new Map<string, Queue[number]>(); // a thread that changes between two pages may be in both
  let cursor: string | undefined;
  do {
    const page: QueuePage = await server.get(`/queue${queryText({ cursor })}`);
    for (const each of page.data) all.set(each.id, each);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return [...all.values()];
}

/** The path of a file in a URL. `fetch` would resolve `..` and request another file, or another route. */
function filePlace(path: string): string {
  const segments = path.split("/").filter((segment) => segment !== "" && segment !== ".");
  if (segments.includes(".."))
    throw new TypeError(`The path ${JSON.stringify(path)} cannot be used: remove the segment "..".`);
  return `/files/${segments.map(encodeURIComponent).join("/")}`;
}

function queryText(query: object): string {
  const given = Object.entries<unknown>({ ...query }).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString();
  return text === "" ? "" : `?${text}`;
}
