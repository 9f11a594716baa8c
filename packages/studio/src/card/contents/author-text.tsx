import { useState } from "react";

import { ExactText } from "../../parts/text/exact-text.tsx";
import { cardTexts } from "../../texts/card-texts.ts";
import { useTexts } from "../../texts/language.tsx";

interface AuthorTextProps {
  readonly text: string;
  /** Longer texts are folded. */
  readonly short?: number;
}

/** What the author of a tool wrote about it, or about one of its arguments. */
export function AuthorText({ text, short = 240 }: AuthorTextProps) {
  const texts = useTexts(cardTexts);
  const [isWhole, setIsWhole] = useState(false);
  const isLong = text.length > short;
  return (
    <>
      <p className={`whitespace-pre-line ${isLong && !isWhole ? "line-clamp-3" : ""}`}>
        <ExactText text={isWhole ? text : text.slice(0, 2_000)} />
      </p>
      {isLong && (
        <button
          type="button"
          className="min-h-6 text-accent underline pointer-coarse:min-h-11"
          onClick={() => setIsWhole(!isWhole)}
        >
          {isWhole ? texts.shortText : texts.fullText}
        </button>
      )}
    </>
  );
}
