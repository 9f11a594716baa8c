import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

import type { Span, Telemetry, TraceContext, Tracer } from "./load-telemetry.ts";

/** The numbers that OpenTelemetry has for the kind of a span and for how it ended. */
const serverKind = 1;
const statusError = 2;

/**
 * Lets everything that a request sets going be in the trace of the request: the one that its `traceparent` names, else a new one.
 * Where the program has a span for it already, as instrumentations of HTTP make it, that is the one; else it is made here.
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
      if (active === undefined) reply.raw.once("close", () => end(span, reply)); // also of those who have left
    }
    if (parent === undefined) done();
    else api.context.with(api.trace.setSpan(parent, span), done); // also of a trace that is not recorded: nothing in it is
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
