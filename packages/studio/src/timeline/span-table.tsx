import type { Trace } from "undangle/client";

import { Badge } from "../parts/badge.tsx";
import { ExactText } from "../parts/text/exact-text.tsx";
import { useTexts } from "../texts/language.tsx";
import { timelineTexts } from "../texts/timeline-texts.ts";
import { rowsOf } from "./layout/rows.ts";
import { toneOf, useSpanWords } from "./span-words.ts";

export interface SpanTableProps {
  readonly trace: Trace;
  readonly origin: number;
  readonly now: number;
  readonly onOpen: (id: string) => void;
}

/** The drawing as a table, for screen readers and for people who prefer numbers. */
export function SpanTable({ trace, origin, now, onOpen }: SpanTableProps) {
  const texts = useTexts(timelineTexts);
  const currency = trace.totals.cost?.currency;
  const wordsOf = useSpanWords({ origin, now, currency });
  const cell = "px-3 py-1 align-middle whitespace-nowrap";
  return (
    <div
      className="min-h-72 flex-1 overflow-auto rounded-lg border border-line bg-surface"
      tabIndex={0}
      role="region"
      aria-label={texts.title}
    >
      <table className="w-full border-collapse text-left text-sm tabular-nums">
        <caption className="sr-only">{texts.title}</caption>
        <thead className="sticky top-0 bg-surface text-xs text-muted">
          <tr className="border-b border-line">
            {Object.entries({ ...texts.columns, ...(currency !== undefined && { cost: texts.total.cost }) }).map(
              ([name, text]) => (
                <th key={name} scope="col" className="px-3 py-2 font-medium">
                  {text}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {rowsOf(trace.spans).map(({ span, depth }) => {
            const { name, type, status, start, duration, tokens, cost } = wordsOf(span);
            return (
              <tr key={span.id} className="border-b border-line/60 hover:bg-raised">
                <th
                  scope="row"
                  className="min-w-32 px-3 py-1 align-middle font-normal break-words sm:whitespace-nowrap"
                  style={{ paddingLeft: `${0.75 + Math.min(depth, 8) / 2}rem` }}
                >
                  <button
                    type="button"
                    className={`min-h-6 text-left text-accent underline ${span.discarded ? "[text-decoration-line:underline_line-through]" : ""}`}
                    aria-haspopup="dialog"
                    onClick={() => onOpen(span.id)}
                  >
                    <ExactText text={name} />
                  </button>
                </th>
                <td className={cell}>{duration}</td>
                <td className="px-3 py-1 align-middle sm:whitespace-nowrap">
                  <Badge tone={toneOf(span)}>
                    <ExactText text={status} />
                  </Badge>
                </td>
                <td className={cell}>{type}</td>
                <td className={cell}>{start}</td>
                <td className={cell}>{tokens}</td>
                {currency !== undefined && <td className={cell}>{cost}</td>}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
