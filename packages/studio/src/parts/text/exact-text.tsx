import { useMemo } from "react";
import type { ReactNode } from "react";

import { textSegments } from "./text-segments.ts";

/** Text exactly as it is, never as markup. Characters that deceive a reader are marked with their code points. */
export function ExactText({ text }: { readonly text: string }) {
  const segments = useMemo(() => textSegments(text), [text]);
  return (
    <bdi dir="ltr">
      {segments.map(({ text: segment, isMarked }, i) =>
        isMarked ? <DeceptionMark key={i}>{segment}</DeceptionMark> : segment,
      )}
    </bdi>
  );
}

/** The replacement of characters that deceive a reader. */
export const DeceptionMark = ({ children }: { readonly children?: ReactNode }) => (
  <mark className="rounded bg-bad-soft px-0.5 font-mono text-[0.85em] text-bad">{children}</mark>
);
