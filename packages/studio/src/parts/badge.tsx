import type { ReactNode } from "react";

const tones = {
  neutral: "border-line bg-raised text-ink",
  accent: "bg-accent-soft text-accent",
  good: "bg-good-soft text-good",
  warn: "bg-warn-soft text-warn",
  bad: "bg-bad-soft text-bad",
} as const;

export type Tone = keyof typeof tones;

/** A short label: a state, a rule, a count. */
export const Badge = ({ tone = "neutral", children }: { readonly tone?: Tone; readonly children: ReactNode }) => (
  <span
    className={`inline-flex items-center gap-1 rounded border border-transparent px-1.5 py-px text-xs font-medium ${tones[tone]}`}
  >
    {children}
  </span>
);
