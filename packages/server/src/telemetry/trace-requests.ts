import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

import type { Span, Telemetry, TraceContext, Tracer } from "./load-telemetry.ts";

/** OpenTelemetry's numbers for the kind and the status of a span. */
const serverKind = 1;
const statusError = 2;

/**
 * Puts everything that a request triggers into the trace of its `traceparent`, or into a new trace. If instrumentation
 * has already created a span for the request, that span is used.
 */
export function traceRequests(app: FastifyInstance, { api }: Telemetry): void {
  const tracer = api.trace.getTracer("@undangle/server");
  app.addHook("onRequest", (request, reply, done) => {
    const active = api.trace.getActiveSpan();
    const parent = active === undefined ? api.propagation.extract(api.context.active(), request.headers) : undefined;
    const span = active ?? begin(tracer, request, parent ?? api.context.active());
    if (span.isRecording()) {
      span.setAttributes({ "http.response.header.x-request-id": [request.id] });
      request.log = reply.log = request.log.child({ trace_id: span.spanContext().traceId });
      if (active === undefined) reply.raw.once("close", () => end(span, reply)); // also for clients that have left
    }
    if (parent === undefined) done();
    else api.context.with(api.trace.setSpan(parent, span), done); // also for an unsampled trace, in which nothing is recorded
  });
}

function begin(tracer: Tracer, { method, url, routeOptions }: FastifyRequest, parent: TraceContext): Span {
  const route = routeOptions.url ?? "unknown";
  const attributes = { "http.request.method": method, "http.route": route, "url.path": url.split("?", 1)[0] ?? "" };
  return tracer.startSpan(`${method} ${route}`, { kind: serverKind, attributes }, parent);
}

function end(span: Span, { raw }: FastifyReply): void {
  const { statusCode } = raw;
  span.setAttributes({ "http.response.status_code": statusCode });
  if (statusCode >= 500) {
    span.setAttributes({ "error.type": String(statusCode) });
    span.setStatus({ code: statusError });
  }
  span.end();
}
