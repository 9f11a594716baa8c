import type { ErrorCode } from "#core";

import type { ShownDecision } from "../events.ts";
import type { Usage } from "../ledger/ledger.ts";
import type { RunMode } from "../run/run-mode.ts";

/** A bar of a timeline. Times are milliseconds of the clock. */
export interface TraceSpan {
  readonly id: string;
  /** The span that it belongs to: of a run in a child thread, the call that runs it; absent for other runs. */
  readonly parent?: string;
  /**
   * `wait`: a call waits for a person. A call that waits for its child thread has one span for each time that it ran, so
   * that only waits continue between runs.
   */
  readonly type: "run" | "model" | "call" | "wait";
  /** The name of the model or the tool. Of a run, its reason; `expiry` instead of `recovery` after a call expired. */
  readonly name: string;
  readonly start: number;
  /** Null while it lasts. */
  readonly end: number | null;
  /**
   * Of a run: `running`, `done`, `waiting`, `stopped`, `failed` or `crashed`. Of a call: its state at the end of the
   * span. Of a model response: `running`, its finish, `discarded`, `stopped` or `crashed`. Of a wait: `awaiting`, the
   * type of the decision, or the state of a call that was settled without one.
   */
  readonly status: string;
  readonly callId?: string;
  /** The calls that lead to the child thread of the span. */
  readonly path?: readonly string[];
  /** The name of the agent, for a run of a child thread. */
  readonly agent?: string;
  /** The number of the turn that a model response became, or that contains the call. */
  readonly entry?: number;
  readonly tokens?: Usage;
  readonly mode?: RunMode;
  /** The purpose of a request outside the conversation, by a middleware. */
  readonly purpose?: string;
  /** True for a response that did not become a turn. */
  readonly discarded?: true;
  readonly decision?: ShownDecision;
  readonly error?: string;
  /** The code of the error of a run. */
  readonly code?: ErrorCode;
}

/** A repair or a warning. */
export interface TraceMark {
  readonly at: number;
  readonly type: "repair" | "warning";
  readonly message: string;
  /** Of a repair: a rule of `rules` or, for a response, an anomaly of its stream. */
  readonly rule?: string;
  readonly source?: "request" | "response";
  readonly code?: ErrorCode;
  readonly path?: readonly string[];
}

/** What happened in a thread and its child threads, and when. */
export interface ThreadTrace {
  /** When it was read. Spans that last are counted in the totals until then. */
  readonly at: number;
  /** By start; a span comes after its parent. */
  readonly spans: readonly TraceSpan[];
  readonly marks: readonly TraceMark[];
  readonly totals: TraceTotals;
}

/**
 * Milliseconds in which something of a kind happened; simultaneous spans count once. `runs + waits` is the time in which
 * the thread ran or waited, and `model + tools` the part of `runs` that is not spent on hooks and saving.
 */
export interface TraceTotals {
  /** The runs of the thread itself. */
  readonly runs: number;
  /** Model responses of the thread itself, outside of its calls. */
  readonly model: number;
  /** Calls of the thread itself, with what their child threads did. */
  readonly tools: number;
  /** Waits for people, also in child threads, outside of the runs of the thread. */
  readonly waits: number;
  /** The tokens of the thread and its child threads. */
  readonly tokens: Usage;
}

/** The spans and marks of one thread, with those of its child threads. */
export type Traced = Pick<ThreadTrace, "spans" | "marks">;

/** The times of the totals. Spans that last end `now`. */
export function timesIn(spans: readonly TraceSpan[], now: number): Omit<TraceTotals, "tokens"> {
  const isOwn = ({ path }: TraceSpan): boolean => path === undefined;
  const of = (type: TraceSpan["type"], fits: (span: TraceSpan) => boolean = isOwn): readonly TraceSpan[] =>
    spans.filter((span) => span.type === type && fits(span));
  const length = (...lists: readonly (readonly TraceSpan[])[]): number => covered(lists.flat(), now);
  const runs = of("run");
  const calls = of("call");
  return {
    runs: length(runs),
    model: length(of("model"), calls) - length(calls),
    tools: length(calls),
    waits:
      length(
        of("wait", () => true),
        runs,
      ) - length(runs),
  };
}

/** The time in which at least one of the spans lasts. */
function covered(spans: readonly TraceSpan[], now: number): number {
  let sum = 0;
  let until = -Infinity;
  for (const { start, end } of spans.toSorted((one, other) => one.start - other.start)) {
    const last = end ?? Math.max(start, now);
    sum += Math.max(0, last - Math.max(start, until));
    until = Math.max(until, last);
  }
  return sum;
}
