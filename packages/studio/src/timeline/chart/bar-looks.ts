import { Hourglass, Play, Sparkles, Wrench } from "lucide-react";
import type { LucideIcon } from "lucide-react";
import type { TraceSpan } from "undangle/client";

import { toneOf } from "../span-words.ts";

interface Look {
  readonly icon: LucideIcon;
  /** The height and the fill of a bar. Waits have a pattern, not only a colour. */
  readonly bar: string;
}

/** Time in which nothing ran and no person was awaited. No bar shows it, only the breaks of the axis. */
export const idleLook = "h-4 rounded-sm border border-dashed border-control bg-raised forced-colors:border-[GrayText]";

export const looks: Readonly<Record<TraceSpan["type"], Look>> = {
  run: { icon: Play, bar: "h-1.5 rounded-full bg-control forced-colors:bg-[GrayText]" },
  model: { icon: Sparkles, bar: "h-4 rounded-sm bg-accent-strong forced-colors:bg-[Highlight]" },
  call: { icon: Wrench, bar: "h-4 rounded-sm bg-tool forced-colors:bg-[CanvasText]" },
  wait: {
    icon: Hourglass,
    bar: "h-4 rounded-sm border border-warn bg-[repeating-linear-gradient(135deg,var(--color-warn)_0_2px,var(--color-warn-soft)_2px_7px)] forced-colors:border-[CanvasText] forced-colors:bg-[repeating-linear-gradient(135deg,CanvasText_0_2px,Canvas_2px_7px)]",
  },
};

/** The classes of a bar. Failures are red and outlined, discarded responses are struck out, open ends fade. */
export function barClasses(span: TraceSpan): string {
  const { type, discarded, end } = span;
  const look = looks[type].bar;
  return [
    "absolute top-1/2 min-w-[3px] -translate-y-1/2 forced-color-adjust-none",
    discarded
      ? "h-4 rounded-sm border border-control bg-raised forced-colors:border-[GrayText] forced-colors:bg-[Canvas]"
      : toneOf(span) === "bad"
        ? `${look} bg-bad-strong! ${type === "run" ? "" : "outline-2 outline-offset-1 outline-bad outline-dashed"}`
        : look,
    end === null && "[mask-image:linear-gradient(to_right,black_calc(100%-1.5rem),transparent)]",
  ]
    .filter((part) => part !== false && part !== undefined)
    .join(" ");
}
