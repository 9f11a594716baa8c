import { Flag } from "lucide-react";
import type { TraceMark } from "undangle/client";

import { useRepairText } from "../../parts/repair-text/use-repair-text.ts";
import { useTexts } from "../../texts/language.tsx";
import { timelineTexts } from "../../texts/timeline-texts.ts";
import type { TimeScale } from "../layout/time-scale.ts";
import { percent } from "./waterfall-row.tsx";

export interface MarksRowProps {
  readonly id: string;
  readonly marks: readonly TraceMark[];
  readonly scale: TimeScale;
  readonly isReachable: boolean;
  readonly onOpen: (id: string) => void;
}

/** Repairs (diamonds) and warnings (triangles) as ticks. The row opens their list. */
export function MarksRow({ id, marks, scale, isReachable, onOpen }: MarksRowProps) {
  const texts = useTexts(timelineTexts);
  const repairs = marks.filter(({ type }) => type === "repair").length;
  const hasBoth = repairs > 0 && repairs < marks.length; // neither hides the other
  const textOf = useRepairText();
  const descriptions = marks.map((mark) => textOf(mark));
  const name = texts.marks(repairs, marks.length - repairs);
  return (
    <li className="group absolute inset-x-0 top-0 h-13 border-b border-line/60 @2xl/plot:flex @2xl/plot:h-8">
      <button
        type="button"
        data-span={id}
        tabIndex={isReachable ? 0 : -1}
        aria-label={name}
        aria-haspopup="dialog"
        className="absolute inset-0 outline-none group-hover:bg-raised/60 focus-visible:bg-accent-soft"
        onClick={() => onOpen(id)}
      />
      <div className="pointer-events-none sticky left-0 z-10 flex h-6 w-[100cqw] items-center gap-1.5 bg-surface pr-2 pl-10 text-sm group-hover:bg-raised group-has-[>:focus-visible]:bg-accent-soft group-has-[>:focus-visible]:shadow-[inset_3px_0_0_var(--color-accent)] @2xl/plot:h-full @2xl/plot:w-[var(--names)] @2xl/plot:border-r @2xl/plot:border-line">
        <Flag size={14} aria-hidden className="flex-none text-muted" />
        <span className="truncate">{name}</span>
      </div>
      <div className="pointer-events-none relative mx-3 h-6 flex-1 @2xl/plot:h-full">
        {marks.map(({ at, type }, i) => (
          <svg
            key={i}
            width={14}
            height={14}
            viewBox="0 0 14 14"
            className={`absolute -translate-1/2 stroke-surface ${type === "repair" ? "fill-accent forced-colors:fill-[Highlight]" : "fill-warn forced-colors:fill-[CanvasText]"}`}
            style={{ left: percent(scale.position(at)), top: hasBoth ? (type === "repair" ? "32%" : "68%") : "50%" }}
          >
            <title>{descriptions[i]}</title>
            <path d={type === "repair" ? "M7 1L13 7L7 13L1 7Z" : "M7 1L13.5 13H0.5Z"} />
          </svg>
        ))}
      </div>
    </li>
  );
}
