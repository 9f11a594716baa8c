import type { Allowance, EntryPart, EntryView, RunMode, ShownDecision, ThreadRepair, Usage } from "#engine";

/** A part of an entry, as a page shows it. */
export type RemotePart = EntryPart;

/** A message or a turn of a thread, as `thread.entries()` returns it. */
export interface RemoteEntry extends Omit<EntryView, "byEngine"> {
  /** True for a message that the engine wrote. */
  readonly by_engine?: true;
}

/** A page of entries, the oldest first, as of one event. */
export interface EntryPage {
  readonly data: readonly RemoteEntry[];
  /** Pass it as `before` to read older entries; null at the start of the thread. */
  readonly before: number | null;
  /** Events after this id are not contained in the page. */
  readonly last_event: string;
}

/** The allowances of all personas and threads of a project. */
export interface ProjectAllowance extends Allowance {
  /** The persona whose calls it covers. */
  readonly persona: string;
}

/** A bar of a timeline. Times are milliseconds of the clock. */
export interface TraceSpan {
  readonly id: string;
  /** The span that contains it; absent for runs. */
  readonly parent?: string;
  /** `wait`: a call waits for a person. */
  readonly type: "run" | "model" | "call" | "wait";
  /** The name of the model or the tool. */
  readonly name: string;
  readonly start: number;
  /** Null while it lasts. */
  readonly end: number | null;
  /** Of a run: `done`, `waiting`, `stopped` or `failed`. Of a call: its state. Of a model response: its finish. */
  readonly status: string;
  readonly call_id?: string;
  /** The calls that lead to the child thread of the span. */
  readonly path?: readonly string[];
  /** The entry of a model response, for `request` and `response`. */
  readonly entry?: number;
  readonly tokens?: Usage;
  readonly mode?: RunMode;
  /** The middleware that asked the model outside the conversation. */
  readonly purpose?: string;
  /** True for a response that was abandoned. */
  readonly discarded?: true;
  readonly decision?: ShownDecision;
  readonly error?: string;
}

/** A repair or a warning at a time, shown as a tick. */
export interface TraceMark {
  readonly at: number;
  readonly type: "repair" | "warning";
  readonly message: string;
  readonly rule?: string;
  readonly path?: readonly string[];
}

export interface Trace {
  readonly thread_id: string;
  readonly spans: readonly TraceSpan[];
  readonly marks: readonly TraceMark[];
  /** Milliseconds, and the tokens of the whole thread. */
  readonly totals: {
    readonly runs: number;
    readonly model: number;
    readonly tools: number;
    readonly waits: number;
    readonly tokens: Usage;
  };
}

/** A change that Undangle made in a thread. */
export type RemoteRepair = ThreadRepair;

/** A request to a model or its response, without keys. */
export interface RemoteExchange {
  /** `reconstructed`: written again from the thread. `recorded`: the bytes that were sent. */
  readonly source: "reconstructed" | "recorded";
  readonly format: string;
  readonly model: string;
  readonly body: unknown;
}

/** What `GET /session` reports about the caller. */
export interface RemoteSession {
  readonly project: string;
  readonly scopes: readonly string[];
  /** The name recorded with decisions. */
  readonly by: string;
  /** The name of the key; null without keys. */
  readonly name: string | null;
  /** False on a server without keys. */
  readonly needs_key: boolean;
  /** Sent with every change if the session comes from a cookie. */
  readonly csrf_token: string | null;
}

/** A key of the server, without its text. */
export interface RemoteKey {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly project: string;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
}
