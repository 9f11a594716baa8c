import { UndangleError } from "#core";

import { statusError } from "./open-telemetry.ts";
import type { Attributes, OpenTelemetry, SpanOptions, SpanPlace, TraceContext, Tracer } from "./open-telemetry.ts";

/** Where spans are created, and whether they may contain content. */
export interface Tracing {
  readonly api: OpenTelemetry;
  readonly tracer: Tracer;
  readonly content: boolean;
}

/** An operation with a span. The span ends once; later calls have no effect. */
export interface OpenSpan {
  /** The parent context of nested spans. */
  readonly context: TraceContext;
  readonly place: SpanPlace;
  /** False without tracing. An unsampled trace counts, because nothing inside it may start another. */
  readonly isTraced: boolean;
  /** Runs work inside the span, so that spans of other libraries, such as an HTTP client, are nested in it. */
  within<T>(work: () => T): T;
  mention(event: string): void;
  rename(name: string): void;
  end(attributes?: Attributes): void;
  fail(error: unknown, attributes?: Attributes): void;
}

export function openSpan(
  { api, tracer, content }: Tracing,
  name: string,
  options: SpanOptions,
  parent: TraceContext,
): OpenSpan {
  const span = tracer.startSpan(name, options, parent);
  const context = api.trace.setSpan(parent, span);
  let isOpen = true;
  const end = (attributes: Attributes = {}): void => {
    if (!isOpen) return;
    isOpen = false;
    span.setAttributes(attributes);
    span.end();
  };
  const place = span.spanContext();
  return {
    context,
    place,
    isTraced: /[^0]/u.test(place.traceId),
    within: (work) => api.context.with(context, work),
    mention: (event) => void (isOpen && span.addEvent(event)),
    rename: (other) => void (isOpen && span.updateName(other)),
    end,
    fail(error, attributes = {}) {
      if (!isOpen) return;
      const words = content && error instanceof Error ? { message: error.message } : {}; // the message may contain conversation content
      span.setStatus({ code: statusError, ...words });
      end({ ...attributes, "error.type": typeOf(error) });
    },
  };
}

/** A low-cardinality name of an error: its code, or the name of its class. */
function typeOf(error: unknown): string {
  if (error instanceof UndangleError) return error.code;
  if (!(error instanceof Error)) return "_OTHER";
  if (error.name === "TimeoutError") return "timeout";
  return error.name === "AbortError" ? "stopped" : error.name || "_OTHER";
}
