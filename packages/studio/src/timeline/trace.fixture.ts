import type { Trace, TraceSpan } from "undangle/client";

const usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0, cachedTokens: 0 };

/** A span with defaults, at times after 0. */
export const span = (id: string, given: Partial<TraceSpan> & { readonly start: number }): TraceSpan => ({
  id,
  type: "call",
  name: id,
  end: given.start + 1_000,
  status: "succeeded",
  ...given,
});

/** A trace of spans. Its totals are not those of the spans. */
export const traceOf = (spans: readonly TraceSpan[], marks: Trace["marks"] = []): Trace => ({
  thread_id: "t1",
  at: spans.reduce((most, { start, end }) => Math.max(most, end ?? start), 0),
  spans,
  marks,
  totals: { runs: 0, model: 0, tools: 0, waits: 0, tokens: usage },
});

const hour = 3_600_000;

/**
 * Two runs with a wait of an hour between them: the model proposes a transfer, a person approves it, a sub-agent checks
 * it, and the model responds.
 */
export const approvedTransfer: Trace = traceOf(
  [
    span("run1", { type: "run", name: "message", start: 0, end: 2_000, status: "waiting" }),
    span("model1", { type: "model", name: "m", parent: "run1", start: 0, end: 2_000, status: "tool_calls" }),
    span("wait1", { type: "wait", name: "transfer", start: 2_000, end: hour, call_id: "call_1", parent: "call1" }),
    span("call1", { name: "transfer", parent: "run1", start: 2_000, end: hour + 3_000, call_id: "call_1" }),
    span("run2", { type: "run", name: "message", start: hour, end: hour + 5_000, status: "done" }),
    span("model2", {
      type: "model",
      name: "m",
      parent: "run2",
      start: hour + 3_000,
      end: hour + 5_000,
      status: "stop",
    }),
    span("child", { type: "model", name: "c", parent: "call2", path: ["call_2"], start: hour + 1_000, status: "stop" }),
    span("call2", { name: "task", parent: "run2", start: hour + 500, end: hour + 2_500, call_id: "call_2" }),
  ],
  [{ at: hour + 4_000, type: "repair", message: "An argument was repaired.", rule: "arguments-json" }],
);
