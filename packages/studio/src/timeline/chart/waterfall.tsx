import { Maximize2, ZoomIn, ZoomOut } from "lucide-react";
import { useCallback, useMemo, useRef, useState } from "react";
import type { KeyboardEvent, ReactNode } from "react";
import { flushSync } from "react-dom";
import type { Trace, TraceSpan } from "undangle/client";

import { Button } from "../../parts/controls/button.tsx";
import { useTexts } from "../../texts/language.tsx";
import { timelineTexts } from "../../texts/timeline-texts.ts";
import { MarksRow } from "./marks-row.tsx";
import { rowsOf } from "../layout/rows.ts";
import { SpanTooltip } from "./span-tooltip.tsx";
import { GridLines, TimeAxis } from "./time-axis.tsx";
import type { TimeScale } from "../layout/time-scale.ts";
import { useVisibleRows } from "./use-visible-rows.ts";
import { useZoom } from "./use-zoom.ts";
import { WaterfallRow } from "./waterfall-row.tsx";

export interface WaterfallProps {
  readonly trace: Trace;
  readonly scale: TimeScale;
  readonly now: number;
  readonly onOpen: (id: string) => void;
  /** Other controls, after those of the zoom. */
  readonly children: ReactNode;
}

/** The row of repairs and warnings, beside the ids of spans. */
export const marksId = "marks";

/** The drawing: one row per span, on a common axis that can be zoomed. */
export function Waterfall({ trace, scale, now, onOpen, children }: WaterfallProps) {
  const texts = useTexts(timelineTexts);
  const currency = trace.totals.cost?.currency;
  const scroller = useRef<HTMLDivElement>(null);
  const axis = useRef<HTMLDivElement>(null);
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const [current, setCurrent] = useState<string>();
  const [pointed, setPointed] = useState<string>();
  const zoom = useZoom(scroller, axis, Math.min(2_000, Math.max(1, scale.length / 10)));
  const visible = useVisibleRows(scroller);
  const rows = useMemo(() => rowsOf(trace.spans, closed), [trace.spans, closed]);
  const hasMarks = trace.marks.length > 0;
  const ids = useMemo(() => [...(hasMarks ? [marksId] : []), ...rows.map(({ span }) => span.id)], [rows, hasMarks]);
  const reachable = current !== undefined && ids.includes(current) ? current : ids[0];

  const toggle = useCallback((id: string): void => {
    setClosed((old) => (old.has(id) ? new Set([...old].filter((each) => each !== id)) : new Set([...old, id])));
  }, []);

  /** Moves the focus to a row, and the axis to its bar. The current row is always drawn. */
  const moveTo = (id: string | undefined): void => {
    if (id === undefined) return;
    flushSync(() => setCurrent(id));
    scroller.current?.querySelector<HTMLElement>(`[data-span="${CSS.escape(id)}"]`)?.focus();
    const span = trace.spans.find((each) => each.id === id);
    if (span !== undefined) reveal(span);
  };
  const reveal = (span: TraceSpan): void => {
    const bar = scroller.current?.querySelector(`[data-bar="${CSS.escape(span.id)}"]`)?.getBoundingClientRect();
    const frame = scroller.current?.getBoundingClientRect();
    if (bar === undefined || frame === undefined || zoom.factor === 1) return;
    if (bar.left > frame.right - 40 || bar.right < frame.left + 40)
      scroller.current?.scrollBy({ left: bar.left - (frame.left + frame.right) / 2 });
  };

  /** Where the buttons and keys zoom: at the focused bar, else in the middle of the bars in sight. */
  const zoomBy = (factor: number): void => {
    const frame = scroller.current?.getBoundingClientRect();
    if (frame === undefined) return;
    const bars = [...(scroller.current?.querySelectorAll<HTMLElement>("[data-bar]") ?? [])]
      .map((bar) => ({ id: bar.dataset["bar"], ...placeOf(bar.getBoundingClientRect()) }))
      .filter(({ x, y }) => frame.left < x && x < frame.right && frame.top < y && y < frame.bottom);
    const own = bars.find(({ id }) => id === current);
    const middle = bars.toSorted((one, other) => one.x - other.x)[Math.floor(bars.length / 2)];
    zoom.by(factor, (own ?? middle)?.x);
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const place = reachable === undefined ? -1 : ids.indexOf(reachable);
    const row = rows.find(({ span }) => span.id === reachable);
    const isGroup = row !== undefined && row.inside > 0;
    const actions: Readonly<Record<string, () => void>> = {
      ArrowDown: () => moveTo(ids[place + 1]),
      ArrowUp: () => moveTo(ids[place - 1]),
      Home: () => moveTo(ids[0]),
      End: () => moveTo(ids.at(-1)),
      ArrowRight: () => (isGroup && row.isClosed ? toggle(row.span.id) : zoom.pan(0.25)),
      ArrowLeft: () => (isGroup && !row.isClosed ? toggle(row.span.id) : zoom.pan(-0.25)),
      "+": () => zoomBy(1.5),
      "=": () => zoomBy(1.5),
      "-": () => zoomBy(1 / 1.5),
      "0": zoom.reset,
      f: () => row !== undefined && zoom.fit(scale.position(row.span.start), scale.position(row.span.end ?? now)),
      Escape: () => setPointed(undefined),
    };
    const action = actions[event.key === "F" ? "f" : event.key];
    if (action === undefined) return;
    event.preventDefault();
    action();
  };

  return (
    <div className="flex min-h-0 flex-1 flex-col gap-2">
      <div className="flex flex-wrap items-center gap-1">
        <Button look="quiet" aria-label={texts.zoomIn} title={texts.zoomIn} onClick={() => zoomBy(1.5)}>
          <ZoomIn size={18} aria-hidden />
        </Button>
        <Button
          look="quiet"
          aria-label={texts.zoomOut}
          title={texts.zoomOut}
          disabled={zoom.factor === 1}
          onClick={() => zoomBy(1 / 1.5)}
        >
          <ZoomOut size={18} aria-hidden />
        </Button>
        <Button
          look="quiet"
          aria-label={texts.zoomAll}
          title={texts.zoomAll}
          disabled={zoom.factor === 1}
          onClick={zoom.reset}
        >
          <Maximize2 size={16} aria-hidden />
        </Button>
        {children}
      </div>
      <div
        ref={scroller}
        className="@container/plot relative min-h-72 flex-1 scroll-pt-10 overflow-auto rounded-lg border border-line bg-surface"
        onScroll={() => setPointed(undefined)}
        onKeyDown={onKeyDown}
        onFocus={({ target }) => setCurrent(target.dataset["span"] ?? current)}
      >
        <div
          className="relative flex min-h-full flex-col [--names:0px] @2xl/plot:[--names:18rem]"
          style={{ width: `calc(var(--names) + (100cqw - var(--names)) * ${zoom.factor})` }}
        >
          <TimeAxis scale={scale} view={zoom.view} axis={axis} />
          <GridLines scale={scale} view={zoom.view} />
          <ol aria-label={texts.title} className="relative" style={{ height: `${ids.length * visible.height}rem` }}>
            {hasMarks && (
              <MarksRow
                id={marksId}
                marks={trace.marks}
                scale={scale}
                isReachable={reachable === marksId}
                onOpen={onOpen}
              />
            )}
            {rows.map((row, i) => {
              const place = hasMarks ? i + 1 : i;
              const isReachable = reachable === row.span.id;
              return isReachable || (visible.first <= place && place < visible.last) ? (
                <WaterfallRow
                  key={row.span.id}
                  row={row}
                  place={place}
                  top={place * visible.height}
                  count={ids.length}
                  scale={scale}
                  pixels={zoom.view.pixels}
                  now={now}
                  currency={currency}
                  isReachable={isReachable}
                  onOpen={onOpen}
                  onToggle={toggle}
                  onPoint={setPointed}
                />
              ) : null;
            })}
          </ol>
          <div aria-hidden className="relative flex-1">
            <div className="sticky left-0 h-full w-[var(--names)] border-line bg-surface @2xl/plot:border-r" />
          </div>
        </div>
      </div>
      <p className="hidden text-xs text-muted md:block pointer-coarse:hidden">{texts.keys}</p>
      <SpanTooltip
        span={trace.spans.find(({ id }) => id === pointed)}
        scroller={scroller}
        origin={scale.start}
        now={now}
        currency={currency}
      />
    </div>
  );
}

const placeOf = ({ left, right, top, bottom }: DOMRect): { readonly x: number; readonly y: number } => ({
  x: (left + right) / 2,
  y: (top + bottom) / 2,
});
