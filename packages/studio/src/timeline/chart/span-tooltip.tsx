import { useLayoutEffect, useState } from "react";
import type { RefObject } from "react";
import type { TraceSpan } from "undangle/client";

import { Badge } from "../../parts/badge.tsx";
import { ExactText } from "../../parts/text/exact-text.tsx";
import { useTexts } from "../../texts/language.tsx";
import { timelineTexts } from "../../texts/timeline-texts.ts";
import { toneOf, useSpanWords } from "../span-words.ts";

export interface SpanTooltipProps {
  readonly span: TraceSpan | undefined;
  readonly scroller: RefObject<HTMLElement | null>;
  readonly origin: number;
  readonly now: number;
  readonly currency: string | undefined;
}

/** A short description below the bar under the pointer or the focus. Screen readers read the name of the row instead. */
export function SpanTooltip({ span, scroller, origin, now, currency }: SpanTooltipProps) {
  const texts = useTexts(timelineTexts);
  const wordsOf = useSpanWords({ origin, now, currency });
  const [place, setPlace] = useState({ left: 0, top: 0, isAbove: false });
  const id = span?.id;
  useLayoutEffect(() => {
    const bar = scroller.current?.querySelector(`[data-bar="${CSS.escape(id ?? "")}"]`)?.getBoundingClientRect();
    const frame = scroller.current?.getBoundingClientRect();
    if (bar === undefined || frame === undefined) return;
    const isAbove = bar.bottom + 140 > innerHeight;
    const left = Math.min(Math.max(bar.left, frame.left + 8), innerWidth - 304);
    setPlace({ left, top: isAbove ? bar.top - 8 : bar.bottom + 8, isAbove });
  }, [id, scroller]);
  if (span === undefined) return null;
  const { name, type, status, start, durationAlone, tokens, cost } = wordsOf(span);
  return (
    <div
      aria-hidden
      className={`pointer-events-none fixed z-30 w-72 rounded-md border border-line bg-surface p-2 text-sm shadow-lg ${place.isAbove ? "-translate-y-full" : ""}`}
      style={{ left: place.left, top: place.top }}
    >
      <p className="truncate font-medium">
        <ExactText text={name} />
      </p>
      <p className="flex flex-wrap items-center gap-x-2 text-muted">
        {type}
        <Badge tone={toneOf(span)}>
          <ExactText text={status} />
        </Badge>
      </p>
      <p className="text-muted tabular-nums">
        {texts.columns.start} {start} · {durationAlone}
        {tokens !== "" && ` · ${tokens}`}
        {cost !== "" && ` · ${cost}`}
      </p>
      {span.error !== undefined && (
        <p className="line-clamp-2 text-bad">
          <ExactText text={span.error.slice(0, 200)} />
        </p>
      )}
    </div>
  );
}
