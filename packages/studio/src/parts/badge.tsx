import type { ReactNode } from "react";

const tones = {
  neutral: "border-line bg-raised text-ink",
  accent: "border-transparent bg-accent-soft text-accent",
  good: "border-transparent bg-good-soft text-good",
  warn: "border-transparent bg-warn-soft text-warn",
  bad: "border-transparent bg-bad-soft text-bad",
} as const;

export type Tone = keyof typeof tones;

/** A short label: a state, a rule, a count. */
export const Badge = ({ tone = "neutral", children }: { readonly tone?: Tone; readonly children: ReactNode }) => (
  <span className={`inline-flex items-center gap-1 rounded border px-1.5 py-px text-xs font-medium ${tones[tone]}`}>
    {children}
  </span>
);
