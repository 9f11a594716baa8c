import { diffLines } from "diff";
import { useMemo } from "react";

import { ExactText } from "./exact-text.tsx";

export interface LineDiffProps {
  readonly before: string;
  readonly after: string;
  /** What is compared, for screen readers. */
  readonly label: string;
}

const signs = { added: "+", removed: "-", same: " " } as const;
const tones = { added: "bg-good-soft text-good", removed: "bg-bad-soft text-bad", same: "text-muted" } as const;

/** Two texts as one list of lines with + and -. */
export function LineDiff({ before, after, label }: LineDiffProps) {
  const lines = useMemo(() => linesOf(before, after), [before, after]);
  return (
    <pre
      aria-label={label}
      role="group"
      tabIndex={0}
      className="max-h-96 overflow-auto rounded-md border border-line bg-surface p-2 font-mono text-xs whitespace-pre-wrap"
    >
      {lines.map(({ kind, text }, i) => (
        <div key={i} className={tones[kind]}>
          {signs[kind]} <ExactText text={text} />
        </div>
      ))}
    </pre>
  );
}

function linesOf(
  before: string,
  after: string,
): readonly { readonly kind: keyof typeof signs; readonly text: string }[] {
  return diffLines(before, after).flatMap(({ value, added, removed }) => {
    const kind = added ? "added" : removed ? "removed" : "same";
    return value
      .replace(/\n$/u, "")
      .split("\n")
      .map((text) => ({ kind, text }) as const);
  });
}
