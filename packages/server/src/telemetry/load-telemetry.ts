import type { OpenTelemetry } from "undangle/agent";

/** OpenTelemetry, if its API is installed. */
export interface Telemetry {
  readonly api: TracingApi;
  /** True if spans may contain message texts. */
  readonly content: boolean;
  /** The current trace id; undefined outside a trace. */
  readonly traceId: () => string | undefined;
}

/** The parts of `@opentelemetry/api` that the server uses directly. */
export interface TracingApi extends OpenTelemetry {
  readonly trace: OpenTelemetry["trace"] & { getActiveSpan(): Span | undefined };
  readonly propagation: { extract(context: TraceContext, headers: unknown): TraceContext };
}

export type Span = Parameters<OpenTelemetry["trace"]["setSpan"]>[1];

export type TraceContext = Parameters<OpenTelemetry["trace"]["setSpan"]>[0];

export type Tracer = ReturnType<OpenTelemetry["trace"]["getTracer"]>;

/** `false` disables it. `true` or an object requires it, so a missing package is an error. */
export type TelemetryWish = boolean | { readonly content?: boolean | undefined } | undefined;

/** Loads the package if it is installed. It is never a dependency. Without a tracer provider it records nothing. */
export async function loadTelemetry(
  wish: TelemetryWish,
  env: Readonly<Record<string, string | undefined>>,
  load: () => Promise<TracingApi> = () => import("@opentelemetry/api"),
): Promise<Telemetry | undefined> {
  if (wish === false) return undefined;
  const api = await present(load);
  if (api === undefined) {
    if (wish === undefined) return undefined;
    throw new Error("The option telemetry needs a package that is not installed: npm install @opentelemetry/api");
  }
  const isAskedFor = env["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"]?.toLowerCase() === "true";
  return {
    api,
    content: (typeof wish === "object" ? wish.content : undefined) ?? isAskedFor,
    traceId: () => api.trace.getActiveSpan()?.spanContext().traceId,
  };
}

async function present(load: () => Promise<TracingApi>): Promise<TracingApi | undefined> {
  try {
    return await load();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}
