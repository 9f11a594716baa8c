/** The part of `@opentelemetry/api` that is used. The caller passes it in, so that it is not a dependency. */
export interface OpenTelemetry {
  readonly trace: {
    getTracer(name: string): Tracer;
    setSpan(context: TraceContext, span: Span): TraceContext;
  };
  readonly context: {
    active(): TraceContext;
    with<T>(context: TraceContext, work: () => T): T;
  };
}

/** The context of a span, passed on unchanged. */
export interface TraceContext {
  getValue(key: symbol): unknown;
  setValue(key: symbol, value: unknown): TraceContext;
  deleteValue(key: symbol): TraceContext;
}

export interface Tracer {
  startSpan(name: string, options: SpanOptions, context: TraceContext): Span;
}

export interface SpanOptions {
  readonly kind: number;
  readonly attributes: Attributes;
  readonly links?: { readonly context: SpanPlace }[];
}

export interface Span {
  spanContext(): SpanPlace;
  /** False if attributes and events are discarded. */
  isRecording(): boolean;
  setAttributes(attributes: Attributes): unknown;
  updateName(name: string): unknown;
  addEvent(name: string): unknown;
  setStatus(status: { readonly code: number; readonly message?: string }): unknown;
  end(): void;
}

/** The identity of a span, which can be stored and linked later. */
export interface SpanPlace {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
}

export type Attributes = Readonly<Record<string, string | number | boolean | string[]>>;

/** OpenTelemetry's numbers for span kinds and status codes. */
export const internalKind = 0;
export const clientKind = 2;
export const statusError = 2;
