import type { ThreadTrace, TraceMark, TraceSpan, Usage } from "undangle/agent";
import type { Trace, TraceCost } from "undangle/client";
import type { ModelPrice, ServerPrices } from "undangle/config";

import { abandonedText, publicWords } from "../responses/api-error.ts";

export interface TraceReader {
  /** True to show errors in the words of providers. For others they contain no more than an error response. */
  readonly isAdmin: boolean;
  readonly prices: ServerPrices | undefined;
}

/** A trace in the form of the API, with what its responses cost. */
export function showTrace(id: string, { spans, marks, totals, ...rest }: ThreadTrace, reader: TraceReader): Trace {
  const shown = spans.map((span) => showSpan(span, reader));
  const { prices } = reader;
  return {
    thread_id: id,
    ...rest,
    spans: shown,
    marks: marks.map((mark) => showMark(mark, reader)),
    totals: prices === undefined ? totals : { ...totals, cost: sumOf(shown, prices) },
  };
}

type Span = Trace["spans"][number];

function showSpan({ callId, code, error, ...span }: TraceSpan, { isAdmin, prices }: TraceReader): Span {
  const cost = span.type === "model" ? costOf(span.tokens, prices?.models[span.name]) : undefined;
  const shown = {
    ...span,
    ...(callId !== undefined && { call_id: callId }),
    ...(cost !== undefined && { cost }),
  };
  if (error === undefined) return shown;
  if (isAdmin) return { ...shown, error };
  if (span.type === "model") return { ...shown, error: abandonedText };
  return { ...shown, error: code === undefined ? error : publicWords({ code, message: error }) };
}

const showMark = ({ code, ...mark }: TraceMark, { isAdmin }: TraceReader): Trace["marks"][number] =>
  code === undefined || isAdmin ? mark : { ...mark, message: publicWords({ code, message: mark.message }) };

const million = 1_000_000;

/** The cost of a response; undefined without its tokens or a price. */
function costOf(tokens: Usage | undefined, price: ModelPrice | undefined): number | undefined {
  if (tokens === undefined || price === undefined) return undefined;
  const { inputTokens, outputTokens, cachedTokens } = tokens;
  const { input, output, cached = input } = price;
  return ((inputTokens - cachedTokens) * input + cachedTokens * cached + outputTokens * output) / million;
}

function sumOf(spans: readonly Span[], { currency = "USD" }: ServerPrices): TraceCost {
  const responses = spans.filter(({ type, end }) => type === "model" && end !== null);
  return {
    amount: responses.reduce((sum, { cost = 0 }) => sum + cost, 0),
    currency,
    complete: responses.every(({ cost }) => cost !== undefined),
  };
}
