import type { StoredEvent } from "#store";

import type { EventData, EventDraft } from "../events.ts";
import { isSettled, present } from "../ledger/call.ts";
import type { LedgerCall } from "../ledger/call.ts";
import { shownDecision } from "../views/call-view.ts";
import { repairSource } from "../views/thread-repairs.ts";
import type { Traced, TraceMark, TraceSpan } from "./trace.ts";

/** One thread, for its trace. */
export interface TracedThread {
  /** Its events in order, written by the engine. The texts of deltas are not needed. */
  readonly events: readonly StoredEvent[];
  readonly callOf: (id: string) => TracedCall | undefined;
  /** The calls that lead to it. */
  readonly path: readonly string[];
  /** The name of its agent, if it is known. */
  readonly agent: string | undefined;
  /** The child threads by the ids of their calls. */
  readonly children: ReadonlyMap<string, Traced>;
}

/** A call, and the number of the turn that contains it. */
export interface TracedCall {
  readonly call: LedgerCall;
  readonly entry: number;
}

/** The spans and marks of a thread, and those of its child threads under its calls. */
export function traceThread(thread: TracedThread): Traced {
  const tracer = new Tracer(thread);
  for (const event of thread.events) tracer.read(event);
  return tracer.traced();
}

type OpenSpan = { -readonly [Key in keyof TraceSpan]: TraceSpan[Key] };

/** A response after a discarded one has no event for its start. */
interface Retry {
  readonly name: string;
  readonly start: number;
}

type Event<Type extends EventDraft["type"]> = { readonly data: EventData[Type]; readonly at: number };

/** Reads the events of a thread. Every span that it opens belongs to the current run. */
class Tracer {
  readonly #thread: TracedThread;
  readonly #spans: OpenSpan[] = [];
  readonly #marks: TraceMark[] = [];
  readonly #calls = new Map<string, OpenSpan[]>(); // the spans of each call
  readonly #waits = new Map<string, OpenSpan>();
  readonly #attempts = new Map<string, number>(); // the last one of each call
  #run: OpenSpan | undefined;
  #inRun: OpenSpan[] = []; // except waits
  #response: OpenSpan | undefined;
  #retry: Retry | undefined;
  #requests: OpenSpan[] = []; // outside the conversation
  #at = -Infinity; // the time of the last commit, and of the one before it
  #before = -Infinity;

  constructor(thread: TracedThread) {
    this.#thread = thread;
  }

  read({ seq, type, data, at }: StoredEvent): void {
    if (at !== this.#at) this.#before = this.#at;
    this.#at = at;
    const written: unknown = { type, data };
    const event = written as EventDraft; // the engine wrote it
    switch (event.type) {
      case "run_start":
        return this.#startRun({ data: event.data, at });
      case "model_start":
        return this.#startModel({ data: event.data, at }, seq);
      case "text_delta":
      case "reasoning_delta":
      case "tool_call_start":
        this.#response ??= this.#retried(seq);
        return undefined;
      case "model_discarded":
        return this.#discard({ data: event.data, at }, seq);
      case "model_end":
        return this.#endModel({ data: event.data, at }, seq);
      case "approval_required":
        return this.#wait({ data: event.data, at });
      case "tool_call_running":
        return this.#startCall({ data: event.data, at });
      case "tool_call_end":
        return this.#endCall({ data: event.data, at });
      case "repair":
      case "warning":
        return this.#mark(event, at);
      case "run_end":
        return this.#endRun({ data: event.data, at });
      default:
        return undefined;
    }
  }

  traced(): Traced {
    for (const [id, span] of this.#waits) this.#decide(span, this.#thread.callOf(id)?.call);
    const spans: TraceSpan[] = [...this.#spans];
    const marks = [...this.#marks];
    for (const [id, child] of this.#thread.children) {
      for (const span of child.spans) spans.push(isRoot(span) ? { ...span, ...this.#parentOf(id, span) } : span);
      marks.push(...child.marks);
    }
    return {
      spans: spans.toSorted((one, other) => one.start - other.start),
      marks: marks.toSorted((one, other) => one.at - other.at),
    };
  }

  #mark({ type, data }: Extract<EventDraft, { readonly type: TraceMark["type"] }>, at: number): void {
    const rule = "rule" in data ? data.rule : undefined;
    const code = "code" in data ? data.code : undefined;
    const source = rule === undefined ? undefined : repairSource(rule);
    const { message } = data;
    this.#marks.push({ at: data.at ?? at, type, message, ...present({ rule, source, code }), ...this.#place() });
  }

  #startRun({ data, at }: Event<"run_start">): void {
    const { path, agent } = this.#thread;
    const last = this.#spans.findLast(({ type }) => type === "run");
    const isAfterExpiry = data.reason === "recovery" && last?.status === "waiting"; // no process ended: a decision was due
    const name = isAfterExpiry ? "expiry" : data.reason;
    this.#run = { ...this.#span(data.runId, "run", name, at), mode: data.mode };
    if (path.length > 0) Object.assign(this.#run, present({ agent }));
    this.#spans.push(this.#run);
    this.#inRun = [];
    this.#response = undefined;
    this.#retry = undefined;
    this.#requests = [];
  }

  #startModel({ data: { model, purpose, at: time }, at }: Event<"model_start">, seq: number): void {
    const span = this.#open(`model_${seq}`, "model", model, time ?? at);
    if (purpose === undefined) {
      this.#response = span;
      this.#retry = undefined;
    } else {
      span.purpose = purpose;
      this.#requests.push(span);
    }
  }

  /** The response that follows a discarded one in the same request. */
  #retried(seq: number): OpenSpan | undefined {
    if (this.#retry === undefined) return undefined;
    const { name, start } = this.#retry;
    this.#retry = undefined;
    return this.#open(`model_${seq}`, "model", name, start);
  }

  /** After a crash there may be no response to discard: the turn was complete. */
  #discard({ data: { reason, at: time }, at }: Event<"model_discarded">, seq: number): void {
    const span = this.#response ?? this.#retried(seq);
    if (span === undefined) return;
    Object.assign(span, { end: time ?? at, status: "discarded", discarded: true, error: reason });
    this.#response = undefined;
    this.#retry = { name: span.name, start: time ?? at };
  }

  #endModel({ data, at }: Event<"model_end">, seq: number): void {
    const { purpose, finish, entry, tokens, model, at: time } = data;
    const isAside = purpose !== undefined;
    const span = isAside
      ? this.#requests.find((each) => each.purpose === purpose)
      : (this.#response ?? this.#retried(seq));
    if (isAside) this.#requests = this.#requests.filter((each) => each !== span);
    else this.#response = undefined;
    if (span === undefined) return; // a text that a middleware wrote
    Object.assign(span, { end: time ?? at, status: finish, ...present({ entry, tokens, name: model }) });
  }

  /** A call of this thread waits for a person, or one that runs in a child thread stops to run. */
  #wait({ data, at }: Event<"approval_required">): void {
    const [callId = "", ...rest] = data.id.split("/");
    const running = this.#running(callId);
    if (rest.length > 0) {
      if (running !== undefined) Object.assign(running, { end: at, status: "delegated" });
      return;
    }
    if (this.#waits.has(callId)) return;
    const span = this.#span(`wait_${callId}`, "wait", data.name, data.since ?? at);
    Object.assign(span, { status: "awaiting", ...this.#callPlace(callId), ...present({ parent: this.#run?.id }) });
    this.#waits.set(callId, span);
    this.#spans.push(span);
  }

  #startCall({ data: { id, name, attempt, startedAt, progress }, at }: Event<"tool_call_running">): void {
    if (progress !== undefined) return;
    const running = this.#running(id);
    const call = this.#thread.callOf(id)?.call;
    if (running !== undefined && (call?.child === undefined || this.#attempts.get(id) === attempt)) {
      running.name = name; // a hook may have substituted another tool
      return;
    }
    if (running !== undefined) Object.assign(running, { end: at, status: "delegated" });
    this.#attempts.set(id, attempt);
    const spans = this.#calls.get(id) ?? [];
    const isFirst = spans.length === 0;
    const local = isFirst ? id : `${id}~${spans.length + 1}`;
    const span = this.#open(local, "call", name, isFirst ? (startedAt ?? at) : at);
    Object.assign(span, this.#callPlace(id), present({ decision: call && shownDecision(call) }));
    this.#calls.set(id, [...spans, span]);
  }

  #endCall({ data: { id, name, status, error, endedAt }, at }: Event<"tool_call_end">): void {
    const wait = this.#waits.get(id);
    const end = endedAt ?? at;
    if (wait !== undefined && wait.end === null) Object.assign(wait, { end, status });
    const wasSettledAtOnce = wait === undefined && !this.#calls.has(id) && this.#run !== undefined;
    const span = wasSettledAtOnce ? this.#open(id, "call", name, end) : this.#running(id);
    if (span !== undefined) Object.assign(span, { end, status, ...this.#callPlace(id), ...present({ error }) });
  }

  #endRun({ data: { status, error, usage }, at }: Event<"run_end">): void {
    const run = this.#run;
    if (run === undefined) return;
    const hasCrashed = error?.code === "run/crashed";
    const end = hasCrashed ? this.#lastActivity(run, at) : at;
    for (const span of this.#inRun) {
      if (span.end === null)
        Object.assign(
          span,
          span.type === "call"
            ? { status: hasCrashed ? "lost" : "delegated" }
            : { status: hasCrashed ? "crashed" : "stopped", discarded: true },
        );
      span.start = Math.min(Math.max(span.start, run.start), end);
      span.end = Math.min(Math.max(span.end ?? end, span.start), end);
    }
    Object.assign(run, { end, status: hasCrashed ? "crashed" : status, tokens: usage });
    Object.assign(run, present({ error: error?.message, code: error?.code }));
    this.#run = undefined;
    this.#inRun = [];
  }

  /** When a run was last seen that ended in a crash, which another process settled at `settledAt`. */
  #lastActivity({ start }: OpenSpan, settledAt: number): number {
    const own = this.#before === -Infinity ? start : this.#before;
    let last = Math.max(start, own);
    for (const { spans } of this.#thread.children.values())
      for (const span of spans) {
        const seen = span.end ?? span.start;
        const isBefore = span.start < settledAt && seen <= settledAt; // else it belongs to the recovery
        if (span.type !== "wait" && isBefore) last = Math.max(last, seen);
      }
    return last;
  }

  /** The end of a wait by a decision. */
  #decide(span: OpenSpan, call: LedgerCall | undefined): void {
    const decision = call === undefined ? undefined : shownDecision(call);
    if (decision !== undefined)
      Object.assign(span, { end: Math.max(decision.at, span.start), status: decision.type, decision });
    else if (span.end !== null) span.end = Math.max(span.end, span.start);
    else if (call !== undefined && isSettled(call))
      Object.assign(span, { end: Math.max(call.endedAt ?? span.start, span.start), status: call.state });
  }

  /** The last span of a call, if it lasts. */
  #running(id: string): OpenSpan | undefined {
    const last = this.#calls.get(id)?.at(-1);
    return last?.end === null ? last : undefined;
  }

  /** The span of a call during which a run of its child thread began. */
  #parentOf(callId: string, { start }: TraceSpan): Pick<TraceSpan, "parent"> {
    const spans = this.#calls.get(callId) ?? [];
    const parent = spans.findLast((span) => span.start <= start) ?? spans[0];
    return present({ parent: parent?.id });
  }

  #open(local: string, type: "model" | "call", name: string, start: number): OpenSpan {
    const span = { ...this.#span(local, type, name, start), ...present({ parent: this.#run?.id }) };
    this.#spans.push(span);
    this.#inRun.push(span);
    return span;
  }

  #span(local: string, type: TraceSpan["type"], name: string, start: number): OpenSpan {
    return { id: this.#id(local), type, name, start, end: null, status: "running", ...this.#place() };
  }

  #callPlace(id: string): Pick<TraceSpan, "callId" | "entry"> {
    return { callId: this.#id(id), ...present({ entry: this.#thread.callOf(id)?.entry }) };
  }

  #id(local: string): string {
    return [...this.#thread.path, local].join("/");
  }

  #place(): Pick<TraceSpan, "path"> {
    const { path } = this.#thread;
    return path.length === 0 ? {} : { path };
  }
}

/** A run that has no parent yet. */
const isRoot = ({ type, parent }: TraceSpan): boolean => type === "run" && parent === undefined;
