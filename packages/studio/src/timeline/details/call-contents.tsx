import { useQuery } from "@tanstack/react-query";
import type { TraceSpan } from "undangle/client";

import { server } from "../../api/server.ts";
import { writtenCall } from "../../card/call-outcome.tsx";
import { Failure } from "../../parts/failure.tsx";
import { JsonText } from "../../parts/text/folded-text.tsx";
import { LineDiff } from "../../parts/text/line-diff.tsx";
import { ResultValue } from "../../parts/text/result-value.tsx";
import { useTexts } from "../../texts/language.tsx";
import { timelineTexts } from "../../texts/timeline-texts.ts";

export interface CallContentsProps {
  readonly threadId: string;
  /** A call, or the wait for its decision. */
  readonly span: TraceSpan;
  /** The turn that contains the call. */
  readonly entry: number;
}

/** The arguments and the result of a call, which the trace does not contain. Edited arguments are compared with the proposed ones. */
export function CallContents({ threadId, span, entry }: CallContentsProps) {
  const { details } = useTexts(timelineTexts);
  const { call_id: id, path = [], end, decision } = span;
  const proposed = decision?.proposed;
  const { data, error, refetch } = useQuery({
    queryKey: ["call", threadId, id, end],
    queryFn: async () => {
      const place = { before: entry + 1, limit: 1, ...(path.length > 0 && { path }) };
      const { data: turns } = await server.threads.entries(threadId, place);
      return turns.flatMap(({ calls }) => calls).find((call) => call.id === id) ?? null;
    },
  });
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined || data === null) return null;
  const { arguments: args, raw, result } = data;
  return (
    <>
      {proposed === undefined ? (
        <section aria-label={details.arguments}>
          <h3 className="mb-1 text-sm font-medium">{details.arguments}</h3>
          <JsonText value={raw ?? args} shown={foldedLength} />
        </section>
      ) : (
        <section aria-label={details.edited}>
          <h3 className="mb-1 text-sm font-medium">{details.edited}</h3>
          <LineDiff before={writtenCall(proposed)} after={writtenCall(data)} label={details.edited} />
        </section>
      )}
      {span.type === "call" && result !== undefined && (
        <section aria-label={details.result}>
          <h3 className="mb-1 text-sm font-medium">{details.result}</h3>
          <ResultValue value={result} shown={foldedLength} />
        </section>
      )}
    </>
  );
}

/** Longer arguments and results are folded, in characters. */
const foldedLength = 1_000;
