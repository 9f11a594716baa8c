import { UndangleError } from "#core";

import { statusError } from "./open-telemetry.ts";
import type { Attributes, OpenTelemetry, SpanOptions, SpanPlace, TraceContext, Tracer } from "./open-telemetry.ts";

/** Where spans are made, and whether they may say what was said. */
export interface Tracing {
  readonly api: OpenTelemetry;
  readonly tracer: Tracer;
  readonly content: boolean;
}

/** Something that takes time, as a span. It ends once: what comes later does not count. */
export interface OpenSpan {
  /** For spans inside of it. */
  readonly context: TraceContext;
  readonly place: SpanPlace;
  /** False without tracing. An unsampled trace counts, because nothing inside it may start another. */
  readonly isTraced: boolean;
  /** Does something inside of it: spans of others, of a client of HTTP say, find it there. */
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
      const words = content && error instanceof Error ? { message: error.message } : {}; // they may say what was said
      span.setStatus({ code: statusError, ...words });
      end({ ...attributes, "error.type": typeOf(error) });
    },
  };
}

/** A word for an error, of which there are few: the code of one of ours, else the name of its class. */
function typeOf(error: unknown): string {
  if (error instanceof UndangleError) return error.code;
  if (!(error instanceof Error)) return "_OTHER";
  if (error.name === "TimeoutError") return "timeout";
  return error.name === "AbortError" ? "stopped" : error.name || "_OTHER";
}
