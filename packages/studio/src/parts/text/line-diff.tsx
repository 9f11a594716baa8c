import { useMemo } from "react";

import { useTexts } from "../../texts/language.tsx";
import { shellTexts } from "../../texts/shell-texts.ts";
import { linesOf } from "./diff-lines.ts";
import { ExactText } from "./exact-text.tsx";

export interface LineDiffProps {
  readonly before: string;
  readonly after: string;
  /** What is compared, for screen readers. */
  readonly label: string;
}

const signs = { added: "+", removed: "-", same: " " } as const;
const mostLines = 1000;
/** Longer lines are cut, in characters. */
const longestLine = 20_000;

const tones = { added: "bg-good-soft text-good", removed: "bg-bad-soft text-bad", same: "text-muted" } as const;

/** Two texts as one list of lines with + and -. */
export function LineDiff({ before, after, label }: LineDiffProps) {
  const texts = useTexts(shellTexts);
  const lines = useMemo(() => linesOf(before, after), [before, after]);
  const left = lines.length - mostLines;
  return (
    <pre
      aria-label={label}
      role="group"
      tabIndex={0}
      className="max-h-96 overflow-auto rounded-md border border-line bg-surface p-2 font-mono text-xs whitespace-pre-wrap"
    >
      {lines.slice(0, mostLines).map(({ kind, text }, i) => (
        <div key={i} className={tones[kind]}>
          {signs[kind]} <ExactText text={text.slice(0, longestLine)} />
          {text.length > longestLine && (
            <span className="font-sans"> {texts.moreCharacters(text.length - longestLine)}</span>
          )}
        </div>
      ))}
      {left > 0 && <div className="text-muted">{texts.moreLines(left)}</div>}
    </pre>
  );
}
