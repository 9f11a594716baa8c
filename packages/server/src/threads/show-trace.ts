import type { ThreadTrace, TraceMark, TraceSpan } from "undangle/agent";
import type { Trace } from "undangle/client";

import { abandonedText, publicWords } from "../answers/api-error.ts";

/** A trace in the form of the API. Errors contain no more than an error response would. */
export const showTrace = (id: string, { spans, marks, totals }: ThreadTrace): Trace => ({
  thread_id: id,
  spans: spans.map(showSpan),
  marks: marks.map(showMark),
  totals,
});

function showSpan({ callId, code, error, ...span }: TraceSpan): Trace["spans"][number] {
  const shown = callId === undefined ? span : { ...span, call_id: callId };
  if (error === undefined) return shown;
  if (span.type === "model") return { ...shown, error: abandonedText };
  return { ...shown, error: code === undefined ? error : publicWords({ code, message: error }) };
}

const showMark = ({ code, ...mark }: TraceMark): Trace["marks"][number] =>
  code === undefined ? mark : { ...mark, message: publicWords({ code, message: mark.message }) };
