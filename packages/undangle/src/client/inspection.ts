import type {
  Allowance,
  EntryPart,
  EntryView,
  RunMode,
  TraceMark as Mark,
  TraceSpan as Span,
  ThreadRepair,
  ThreadExchange,
  TraceTotals,
} from "#engine";

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
  /** The mode of the last run. A message without a mode keeps `read-only`. */
  readonly mode?: RunMode;
}

/** The allowances of all personas and threads of a project. */
export interface ProjectAllowance extends Allowance {
  /** The persona whose calls it covers. */
  readonly persona: string;
  /** The title of its thread, if it applies to one. */
  readonly threadTitle?: string;
}

/** A bar of a timeline, as `thread.trace()` returns it. */
export interface TraceSpan extends Omit<Span, "callId" | "code"> {
  readonly call_id?: string;
  /** Of a model response, in the currency of the totals. Absent without a price for its model. */
  readonly cost?: number;
}

/** What the model responses of a trace cost, by the prices in the config of the server. */
export interface TraceCost {
  readonly amount: number;
  /** An ISO 4217 code. */
  readonly currency: string;
  /** False if the model of a response has no price, or a response was discarded: its tokens are unknown. */
  readonly complete: boolean;
}

/** A repair or a warning at a time, shown as a tick. */
export type TraceMark = Omit<Mark, "code">;

/** What happened in a thread and its child threads, and when. */
export interface Trace {
  readonly thread_id: string;
  /** When it was read. Spans that last are counted in the totals until then. */
  readonly at: number;
  /** By start; a span comes after its parent. */
  readonly spans: readonly TraceSpan[];
  readonly marks: readonly TraceMark[];
  /** `cost` is absent if the server has no prices. */
  readonly totals: TraceTotals & { readonly cost?: TraceCost };
}

/** A change that Undangle made in a thread. */
export interface RemoteRepair extends Omit<ThreadRepair, "callId"> {
  /** The call that a repair of a response concerns. */
  readonly call_id?: string;
}

/** A request to a model or its response, without keys. */
export interface RemoteExchange {
  /** `reconstructed`: written again from the thread. `recorded`: what was sent or received. */
  readonly source: "reconstructed" | "recorded";
  readonly format: string;
  readonly model: string;
  /** JSON as a value, any other text as it is. */
  readonly body: unknown;
  /** Where the request is sent. Absent for a model that is not asked over HTTP, or is no longer configured. */
  readonly target?: NonNullable<ThreadExchange["target"]>;
}

/** An exchange as a client returns it. JavaScript may have rounded the numbers of `body`. */
export interface ReceivedExchange extends RemoteExchange {
  /** The body as the server has it, with its layout and all digits of its numbers. */
  readonly text: string;
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
