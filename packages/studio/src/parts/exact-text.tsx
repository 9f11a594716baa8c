import { useMemo } from "react";

import { piecesOf } from "./exact-pieces.ts";

/** Text exactly as it is, never as markup. Characters that deceive a reader are marked with their code points. */
export function ExactText({ text }: { readonly text: string }) {
  const pieces = useMemo(() => piecesOf(text), [text]);
  return (
    <bdi dir="ltr">
      {pieces.map(({ text: piece, isMarked }, i) =>
        isMarked ? (
          <mark key={i} className="rounded bg-bad-soft px-0.5 font-mono text-[0.85em] text-bad">
            {piece}
          </mark>
        ) : (
          piece
        ),
      )}
    </bdi>
  );
}
