import type { RefObject } from "react";

import { durationText } from "../../parts/duration.ts";
import { useLanguage, useTexts } from "../../texts/language.tsx";
import { timelineTexts } from "../../texts/timeline-texts.ts";
import { elapsedText, stepOf, ticksOf } from "../layout/ticks.ts";
import type { Break, TimeScale } from "../layout/time-scale.ts";
import type { View } from "./use-zoom.ts";
import { percent } from "./waterfall-row.tsx";

export interface TimeAxisProps {
  readonly scale: TimeScale;
  readonly view: View;
}

/** The axis above the rows: elapsed time, and how long each break really was. */
export function TimeAxis({ scale, view, axis }: TimeAxisProps & { readonly axis: RefObject<HTMLDivElement | null> }) {
  const texts = useTexts(timelineTexts);
  const language = useLanguage();
  const step = stepOf(scale, view.pixels);
  return (
    <div
      aria-hidden
      className="sticky top-0 z-20 flex h-10 border-b border-line bg-surface text-xs text-muted tabular-nums"
    >
      <div className="sticky left-0 z-10 hidden w-[var(--names)] items-center border-r border-line bg-surface px-3 @2xl/plot:flex">
        {texts.elapsed}
      </div>
      <div ref={axis} className="relative mx-3 flex-1">
        {ticksOf(scale, view).map(({ elapsed, position }) => (
          <span
            key={elapsed}
            className={`absolute bottom-1 whitespace-nowrap ${position * view.pixels > view.pixels - 40 ? "-translate-x-full pr-1" : "pl-1"}`}
            style={{ left: percent(position) }}
          >
            {elapsedText(elapsed, { step, unit: texts.second, day: texts.day })}
          </span>
        ))}
        {breaksWithRoom(scale, view.pixels).map(({ type, from, to, left, right }) => (
          <span
            key={from}
            title={texts.broken[type](durationText(to - from, language))}
            data-break={type}
            className={`absolute top-0.5 rounded px-1 leading-4 font-medium whitespace-nowrap ${type === "wait" ? "bg-warn-soft text-warn" : "bg-raised text-ink"} ${(1 - (left + right) / 2) * view.pixels < 24 ? "-translate-x-full" : "-translate-x-1/2"}`}
            style={{ left: percent((1 - (left + right) / 2) * view.pixels < 24 ? right : (left + right) / 2) }}
          >
            {durationText(to - from, language)}
          </span>
        ))}
      </div>
    </div>
  );
}

/** The least distance of the labels of two breaks, in pixels. */
const labelRoom = 76;

/** The breaks whose labels do not overlap. */
function breaksWithRoom({ breaks }: TimeScale, pixels: number): readonly Break[] {
  let last = -Infinity;
  return breaks.filter(({ left }) => {
    if ((left - last) * pixels < labelRoom) return false;
    last = left;
    return true;
  });
}

/** The lines of the axis through all rows, and the breaks. */
export function GridLines({ scale, view }: TimeAxisProps) {
  return (
    <div aria-hidden className="pointer-events-none absolute inset-y-0 right-0 left-[var(--names)] mx-3">
      {ticksOf(scale, view).map(({ elapsed, position }) => (
        <span key={elapsed} className="absolute inset-y-0 w-px bg-line/70" style={{ left: percent(position) }} />
      ))}
      {scale.breaks.map(({ type, from, left, right }) => (
        <span
          key={from}
          className={`absolute inset-y-0 border-x border-dashed ${type === "wait" ? "border-warn/60 bg-warn-soft/60" : "border-control/60 bg-raised/80"}`}
          style={{ left: percent(left), width: percent(right - left) }}
        />
      ))}
    </div>
  );
}
