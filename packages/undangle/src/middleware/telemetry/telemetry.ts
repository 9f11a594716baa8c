import { isRecord, UndangleError } from "#core";
import { defineMiddleware } from "#engine";
import type { Middleware } from "#engine";

import { askInSpan } from "./chat-span.ts";
import type { Tracing } from "./open-span.ts";
import type { Attributes, OpenTelemetry, SpanPlace } from "./open-telemetry.ts";
import { beginRun, endRun } from "./run-span.ts";
import type { RunSpan } from "./run-span.ts";
import { runInSpan } from "./tool-span.ts";

/** The OpenTelemetry API to use, and what spans contain. */
export interface TelemetryOptions {
  /** The namespace of `import * as api from "@opentelemetry/api"`. */
  readonly api: OpenTelemetry;
  /** True adds text, arguments and results to spans. They are omitted by default. */
  readonly content?: boolean | undefined;
  /** Additional attributes of the run span, evaluated at its start. */
  readonly attributes?: (() => Attributes) | undefined;
}

/** The span of a waiting run, for the run that resumes it. */
interface Kept {
  readonly waiting: SpanPlace | null;
}

/**
 * Creates OpenTelemetry spans for runs (`invoke_agent`), model calls (`chat`) and tool attempts (`execute_tool`),
 * following the conventions for generative AI. Put it first in the list of middleware, so that it includes the others.
 */
export function telemetry(options: TelemetryOptions): Middleware {
  checkOptions(options);
  const { api, content = false, attributes = () => ({}) } = options;
  const tracing: Tracing = { api, content, tracer: api.trace.getTracer("undangle") };
  const runs = new WeakMap<AbortSignal, RunSpan>();
  return defineMiddleware<Kept, Kept>({
    name: "telemetry",
    state: { initial: { waiting: null }, reduce: (_before, kept) => kept },
    beforeAgent(context) {
      const { waiting } = context.state.get();
      const run = beginRun(tracing, context, { attributes: attributes(), before: waiting ?? undefined });
      if (waiting !== null) context.state.update({ waiting: null });
      if (run.span.isTraced) runs.set(context.signal, run);
    },
    wrapModelCall: (next) => (request, context) => {
      const run = runs.get(context.signal);
      return run === undefined ? next(request) : askInSpan(tracing, run, { next, request, context });
    },
    wrapToolCall: (next) => (call, context) => {
      const run = runs.get(context.signal);
      return run === undefined ? next(call) : runInSpan(tracing, run, { next, call });
    },
    afterAgent({ signal, status, error, state }) {
      const run = runs.get(signal);
      if (run === undefined) return;
      if (status === "waiting") {
        const { traceId, spanId, traceFlags } = run.span.place;
        state.update({ waiting: { traceId, spanId, traceFlags } });
      }
      endRun(run, status, error);
    },
  });
}

function checkOptions(options: unknown): void {
  const checks: Readonly<
    Record<keyof TelemetryOptions, readonly [fits: (value: unknown) => boolean, allowed: string]>
  > = {
    api: [
      (value) => isRecord(value) && "trace" in value && "context" in value,
      'the namespace of "@opentelemetry/api"',
    ],
    content: [(value) => value === undefined || typeof value === "boolean", "true or false"],
    attributes: [(value) => value === undefined || typeof value === "function", "a function that returns attributes"],
  };
  const given = isRecord(options) ? options : {};
  for (const option of Object.keys(given))
    if (!Object.hasOwn(checks, option))
      throw new UndangleError("options/unknown", { option, allowed: Object.keys(checks) });
  for (const [option, [fits, allowed]] of Object.entries(checks))
    if (!fits(given[option]))
      throw new UndangleError("options/value", { option, value: given[option], allowed: [allowed] });
}
