import { ChevronDown, ChevronRight } from "lucide-react";
import { memo } from "react";
import type { ReactNode } from "react";

import type { Tone } from "../../parts/badge.tsx";
import { ExactText } from "../../parts/text/exact-text.tsx";
import { useTexts } from "../../texts/language.tsx";
import { timelineTexts } from "../../texts/timeline-texts.ts";
import { barClasses, looks } from "./bar-looks.ts";
import type { Row } from "../layout/rows.ts";
import { isNotable, toneOf, useSpanWords } from "../span-words.ts";
import type { Break, TimeScale } from "../layout/time-scale.ts";

export interface WaterfallRowProps {
  readonly row: Row;
  /** The number of the row, from 0, and of all rows. */
  readonly place: number;
  readonly count: number;
  /** In rem. */
  readonly top: number;
  readonly scale: TimeScale;
  /** The width of the whole axis. */
  readonly pixels: number;
  readonly now: number;
  readonly currency: string | undefined;
  /** True for the one row that the Tab key reaches. */
  readonly isReachable: boolean;
  readonly onOpen: (id: string) => void;
  readonly onToggle: (id: string) => void;
  readonly onPoint: (id: string | undefined) => void;
}

export const percent = (share: number): string => `${(share * 100).toFixed(4)}%`;

/** One span: its name, and its bar on the axis. The whole row is one button, so that short bars can be hit. */
export const WaterfallRow = memo(function WaterfallRow({
  row: { span, depth, inside, isClosed },
  place,
  count,
  top,
  scale,
  pixels,
  now,
  currency,
  isReachable,
  onOpen,
  onToggle,
  onPoint,
}: WaterfallRowProps) {
  const texts = useTexts(timelineTexts);
  const words = useSpanWords({ origin: scale.start, now, currency })(span);
  const note = isNotable(span) ? words.status : "";
  const label = listed(" · ", words.durationAlone, words.tokens, words.cost);
  const { icon: Icon } = looks[span.type];
  const left = scale.position(span.start);
  const right = scale.position(span.end ?? now);
  const Chevron = isClosed ? ChevronRight : ChevronDown;
  return (
    <li
      aria-posinset={place + 1}
      aria-setsize={count}
      className="group absolute inset-x-0 h-13 border-b border-line/60 @2xl/plot:flex @2xl/plot:h-8"
      style={{ top: `${top}rem` }}
    >
      <button
        type="button"
        data-span={span.id}
        data-type={span.type}
        tabIndex={isReachable ? 0 : -1}
        aria-label={texts.row({ ...words, status: listed(", ", words.status, words.tokens, words.cost) })}
        aria-haspopup="dialog"
        className="absolute inset-0 outline-none group-hover:bg-raised/60 focus-visible:bg-accent-soft"
        onClick={() => onOpen(span.id)}
        onPointerEnter={({ pointerType }) => pointerType === "mouse" && onPoint(span.id)}
        onPointerLeave={() => onPoint(undefined)}
        onFocus={() => onPoint(span.id)}
        onBlur={() => onPoint(undefined)}
      />
      <div
        className="pointer-events-none sticky left-0 z-10 flex h-6 w-[100cqw] items-center gap-1.5 bg-surface pr-2 text-sm group-hover:bg-raised group-has-[>:focus-visible]:bg-accent-soft group-has-[>:focus-visible]:shadow-[inset_3px_0_0_var(--color-accent)] @2xl/plot:h-full @2xl/plot:w-[var(--names)] @2xl/plot:border-r @2xl/plot:border-line"
        style={{ paddingLeft: `${0.5 + Math.min(depth, 8) * 0.875}rem` }}
      >
        {inside > 0 ? (
          <button
            type="button"
            tabIndex={-1}
            aria-expanded={!isClosed}
            aria-label={isClosed ? texts.open(words.name) : texts.close(words.name)}
            className="pointer-events-auto -my-1 grid size-6 flex-none place-items-center rounded hover:bg-line"
            onClick={() => onToggle(span.id)}
          >
            <Chevron size={16} aria-hidden />
          </button>
        ) : (
          <span className="w-6 flex-none" />
        )}
        <Icon size={14} aria-hidden className={`flex-none ${span.type === "wait" ? "text-warn" : "text-muted"}`} />
        <span
          className={`truncate ${span.discarded ? "text-muted line-through" : ""} ${span.type === "run" ? "font-medium" : ""}`}
        >
          <ExactText text={words.shortName} />
        </span>
        {words.which !== "" && (
          <span className="max-w-20 flex-none truncate text-xs text-muted" title={words.which}>
            <ExactText text={words.which} />
          </span>
        )}
        {isClosed && inside > 0 && <span className="flex-none text-xs text-muted">{texts.hidden(inside)}</span>}
        <span className="ml-auto flex-none text-xs text-muted tabular-nums @2xl/plot:hidden">
          <Note text={note} tone={toneOf(span)} /> {words.durationAlone}
        </span>
      </div>
      <div className="pointer-events-none relative mx-3 h-6 flex-1 @2xl/plot:h-full">
        <span
          data-bar={span.id}
          className={barClasses(span)}
          style={{ left: percent(left), width: percent(right - left) }}
        />
        {span.discarded && (
          <span
            className="absolute top-1/2 h-0.5 min-w-4 -translate-y-1/2 bg-ink forced-color-adjust-none forced-colors:bg-[CanvasText]"
            style={{ left: `calc(${percent(left)} - 4px)`, width: `calc(${percent(right - left)} + 8px)` }}
          />
        )}
        {scale.breaks
          .map(({ type, left: start, right: end }) => ({ type, middle: (start + end) / 2 }))
          .filter(({ middle }) => left < middle && middle < right)
          .map(({ type, middle }) => (
            <Cut key={middle} at={middle} type={type} />
          ))}
        <BarLabel left={left} right={right} pixels={pixels} length={note.length + label.length}>
          <Note text={note} tone={toneOf(span)} /> {label}
        </BarLabel>
      </div>
    </li>
  );
});

/** Cuts a bar at a break of the axis, because it lasted longer than it is drawn. */
const Cut = ({ at, type }: { readonly at: number; readonly type: Break["type"] }) => (
  <svg
    width={14}
    height={24}
    viewBox="0 0 14 24"
    className="absolute top-1/2 -translate-1/2 forced-color-adjust-none"
    style={{ left: percent(at) }}
  >
    <path d="M1 0L7 6L1 12L7 18L1 24H7L13 18L7 12L13 6L7 0Z" className="fill-surface forced-colors:fill-[Canvas]" />
    <path
      d="M1 0L7 6L1 12L7 18L1 24M7 0L13 6L7 12L13 18L7 24"
      className={`fill-none forced-colors:stroke-[CanvasText] ${type === "wait" ? "stroke-warn" : "stroke-muted"}`}
    />
  </svg>
);

/** How a span ended, if it did not end well. */
const Note = ({ text, tone }: { readonly text: string; readonly tone: Tone }) => (
  <span className={tone === "bad" ? "font-medium text-bad" : "font-medium text-ink"}>
    <ExactText text={text} />
  </span>
);

const listed = (separator: string, ...parts: readonly string[]): string =>
  parts.filter((part) => part !== "").join(separator);

interface BarLabelProps {
  readonly left: number;
  readonly right: number;
  /** The width of the whole axis. */
  readonly pixels: number;
  /** Of the text, in characters. */
  readonly length: number;
  readonly children: ReactNode;
}

/** The widest character of the label, and its margin, in pixels. */
const characterWidth = 7;
const margin = 16;

/** The duration beside the bar: after it, before it, or on it, where there is room. */
function BarLabel({ left, right, pixels, length, children }: BarLabelProps) {
  const look =
    "absolute top-1/2 hidden -translate-y-1/2 text-xs whitespace-nowrap text-muted tabular-nums @2xl/plot:block";
  const room = (length * characterWidth + margin) / pixels;
  if (right + room < 1)
    return (
      <span className={`${look} ml-2`} style={{ left: percent(right) }}>
        {children}
      </span>
    );
  if (left > room)
    return (
      <span className={`${look} mr-2`} style={{ right: percent(1 - left) }}>
        {children}
      </span>
    );
  return (
    <span
      className={`${look} rounded bg-surface px-1 @max-2xl/plot:hidden`}
      style={{ left: `calc(${percent(left)} + 0.5rem)` }}
    >
      {children}
    </span>
  );
}
