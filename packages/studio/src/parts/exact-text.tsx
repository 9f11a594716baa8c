import { useMemo } from "react";
import type { ReactNode } from "react";

import { piecesOf } from "./exact-pieces.ts";

/** Text exactly as it is, never as markup. Characters that deceive a reader are marked with their code points. */
export function ExactText({ text }: { readonly text: string }) {
  const pieces = useMemo(() => piecesOf(text), [text]);
  return (
    <bdi dir="ltr">
      {pieces.map(({ text: piece, isMarked }, i) =>
        isMarked ? <DeceptionMark key={i}>{piece}</DeceptionMark> : piece,
      )}
    </bdi>
  );
}

/** What stands for characters that deceive a reader. */
export const DeceptionMark = ({ children }: { readonly children?: ReactNode }) => (
  <mark className="rounded bg-bad-soft px-0.5 font-mono text-[0.85em] text-bad">{children}</mark>
);
