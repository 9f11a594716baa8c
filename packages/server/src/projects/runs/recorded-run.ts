import { setTimeout as pause } from "node:timers/promises";

import type { ErrorCode } from "undangle";
import type { AgentEvent, EventData, PendingCall, RunStatus, Store, Thread, Usage } from "undangle/agent";

import { storedEvents } from "../store/stored-events.ts";

/** The run of a response: just started, or read from the store. */
export interface RespondingRun extends AsyncIterable<AgentEvent> {
  readonly id: string;
  readonly result: Promise<ResponseOutcome>;
}

export interface ResponseOutcome {
  readonly status: RunStatus;
  readonly text: string;
  readonly pending: readonly PendingCall[];
  readonly usage: Usage;
  readonly threadUsage: Usage;
  readonly cause?: "superseded" | undefined;
  readonly output?: unknown;
  readonly error?: { readonly code: ErrorCode; readonly message: string } | undefined;
}

/** The run that a request started, including the runs that resumed it after a crash. */
export interface RecordedRun {
  /** The time of its start, in milliseconds since the epoch. */
  readonly at: number;
  /** The outcome and its time; undefined while the run continues. */
  readonly ended: { readonly outcome: ResponseOutcome; readonly at: number } | undefined;
  /** All text of the model in the run so far, including discarded text. */
  readonly textSoFar: string;
  /** The events of the run from the first, and new events while it continues. */
  readonly follow: (closing: AbortSignal, options?: FollowOptions) => RespondingRun;
}

export interface FollowOptions {
  /** True omits text that was streamed and then discarded, because the client cannot retract text. */
  readonly isSkippingDiscarded?: boolean | undefined;
}

export interface RecordedPlace {
  /** The id of the thread in the store. */
  readonly key: string;
  /** The thread, with any agent. */
  readonly thread: Pick<Thread, "events">;
  readonly request: string;
  /** An event before the run. */
  readonly after: number;
}

/** Finds the run that a request started; undefined if it started no run. */
export async function findRecorded(store: Store, place: RecordedPlace): Promise<RecordedRun | undefined> {
  const reader = createReader(store, place);
  await reader.read();
  const { state } = reader;
  if (state.phase === "searching") return undefined;
  return {
    at: state.at,
    ended: state.phase === "over" ? { outcome: state.outcome, at: state.endedAt } : undefined,
    textSoFar: reader.textSoFar(),
    follow: (closing, { isSkippingDiscarded = false } = {}) => {
      const run = follow(reader, { store, place, id: state.runId, closing });
      if (!isSkippingDiscarded) return run;
      const recorded = reader.events.length;
      return { ...run, [Symbol.asyncIterator]: () => withoutDiscarded(run, recorded) };
    },
  };
}

type State =
  | { readonly phase: "searching" }
  | { readonly phase: "running"; readonly runId: string; readonly at: number; readonly crashed?: EventData["run_end"] }
  | {
      readonly phase: "over";
      readonly runId: string;
      readonly at: number;
      readonly endedAt: number;
      readonly outcome: ResponseOutcome;
    };

/** Removes the pending calls of the child thread of a call. */
function forgetChild(pending: Map<string, PendingCall>, callId: string): void {
  for (const id of pending.keys()) if (id.startsWith(`${callId}/`)) pending.delete(id);
}

interface Reader {
  readonly state: State;
  readonly events: readonly AgentEvent[];
  readonly textSoFar: () => string;
  /** Reads what was saved since the last read. */
  readonly read: () => Promise<void>;
}

function createReader(store: Store, { key, request, after }: RecordedPlace): Reader {
  const events: AgentEvent[] = [];
  const pending = new Map<string, PendingCall>();
  const all: string[] = [];
  let text: string[] = []; // of the last turn
  let seen = after;
  let usage: Usage = noUsage;
  let state: State = { phase: "searching" };

  const end = (data: EventData["run_end"], at: number, status = data.status): void => {
    if (state.phase !== "running") return;
    const { error, cause, threadUsage } = data;
    const outcome: ResponseOutcome = {
      status,
      text: text.join(""),
      pending: status === "waiting" ? [...pending.values()] : [],
      usage,
      threadUsage,
      ...(cause !== undefined && { cause }),
      ...(status === data.status && error !== undefined && { error }),
    };
    state = { phase: "over", runId: state.runId, at: state.at, endedAt: at, outcome };
  };
  const step = (event: AgentEvent, at: number): void => {
    if (event.type === "run_start") {
      const { runId, reason, requestId } = event.data as EventData["run_start"] & { readonly requestId?: string }; // the server writes this type
      if (state.phase === "searching" && requestId === request) state = { phase: "running", runId, at };
      else if (state.phase === "running" && state.crashed !== undefined && reason === "recovery")
        state = { phase: "running", runId: state.runId, at: state.at };
      else if (state.phase === "running" && state.crashed !== undefined)
        end({ ...state.crashed, cause: "superseded" }, at, "stopped");
    }
    if (state.phase !== "running") return;
    events.push(event);
    if (event.type === "text_delta") {
      text.push(event.data.text);
      all.push(event.data.text);
    } else if (event.type === "model_start" && event.data.purpose === undefined) text = [];
    else if (event.type === "approval_required") pending.set(event.data.id, event.data);
    else if (event.type === "tool_call_end") pending.delete(event.data.id);
    else if (event.type === "tool_call_running") forgetChild(pending, event.data.id); // its sub-agent resumes
    else if (event.type === "run_end") {
      usage = sum(usage, event.data.usage);
      if (event.data.error?.code === "run/crashed") state = { ...state, crashed: event.data };
      else end(event.data, at);
    }
  };

  return {
    get state() {
      return state;
    },
    events,
    textSoFar: () => all.join(""),
    async read() {
      for await (const { seq, type, data, at } of storedEvents(store, key, seen)) {
        seen = seq;
        step({ id: String(seq), type, data } as AgentEvent, at); // a store returns the values that it was given
      }
      if (state.phase !== "running" || state.crashed === undefined) return;
      // The end of a crashed run and the start of the run that resumes it are one commit. So nothing was left to do.
      const head = await store.load(key);
      if (head?.owner === undefined)
        end(state.crashed, head?.updatedAt ?? 0, head?.status === "waiting" ? "waiting" : "done");
    },
  };
}

export const noUsage: Usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0, cachedTokens: 0 };

const sum = (one: Usage, other: Usage): Usage => ({
  inputTokens: one.inputTokens + other.inputTokens,
  outputTokens: one.outputTokens + other.outputTokens,
  totalTokens: one.totalTokens + other.totalTokens,
  cachedTokens: one.cachedTokens + other.cachedTokens,
});

interface Following {
  readonly store: Store;
  readonly place: RecordedPlace;
  readonly id: string;
  readonly closing: AbortSignal;
}

/** The polling interval for a store without notifications, in milliseconds. */
const interval = 250;

function follow(reader: Reader, { store, place: { key, thread }, id, closing }: Following): RespondingRun {
  let changed = Promise.withResolvers<void>();
  const announce = (): void => {
    changed.resolve();
    changed = Promise.withResolvers<void>();
  };
  const outcome = async (): Promise<ResponseOutcome> => {
    let wake = Promise.withResolvers<void>();
    const unwatch = store.watch?.(key, () => wake.resolve());
    try {
      for (;;) {
        await reader.read();
        announce();
        const { state } = reader;
        if (state.phase === "over") return state.outcome;
        if (closing.aborted) return cutOff;
        await Promise.race([wake.promise, pause(interval, undefined, { ref: false })]);
        wake = Promise.withResolvers<void>();
      }
    } finally {
      unwatch?.();
    }
  };
  const result = outcome();
  result.then(announce, announce);
  async function* read(): AsyncGenerator<AgentEvent> {
    for (let next = 0; ;) {
      const event = reader.events[next];
      const more = changed.promise;
      if (event !== undefined) {
        next++;
        yield event.type === "tool_call_end" ? await wholeEvent(event, thread) : event;
      } else if (reader.state.phase === "over" || closing.aborted) return;
      else await Promise.race([more, result]);
    }
  }
  return { id, result, [Symbol.asyncIterator]: read };
}

/** An event as readers of the thread get it: a long result is stored with its call only. */
async function wholeEvent(event: AgentEvent, thread: RecordedPlace["thread"]): Promise<AgentEvent> {
  for await (const whole of thread.events({ after: Number(event.id) - 1 })) return whole;
  return event;
}

/**
 * The events without responses that were discarded among the first `recorded` of them. A response without an end is
 * held back until the next event: if its process has died, that event is `model_discarded`.
 */
async function* withoutDiscarded(events: AsyncIterable<AgentEvent>, recorded: number): AsyncGenerator<AgentEvent> {
  let held: AgentEvent[] = [];
  let isHolding = false;
  let count = 0;
  for await (const event of events) {
    count += 1;
    const isDropped = isHolding && event.type === "model_discarded";
    if (isDropped) held = [];
    isHolding = count <= recorded && (event.type === "model_start" || (isHolding && !isEnding(event)));
    if (isDropped) continue;
    held.push(event);
    if (isHolding) continue;
    yield* held;
    held = [];
  }
  yield* held;
}

/** The events that end a response. */
const isEnding = ({ type, data }: AgentEvent): boolean =>
  type === "run_end" || (type === "model_end" && data.purpose === undefined);

/** This server stops. Another process, or the next start, may resume the run. */
const cutOff: ResponseOutcome = {
  status: "failed",
  text: "",
  pending: [],
  usage: noUsage,
  threadUsage: noUsage,
  error: { code: "store/closed", message: "The server is shutting down." },
};
