import { lazy, Suspense } from "react";

import { ExactText } from "../../parts/text/exact-text.tsx";
import { FoldedText } from "../../parts/text/folded-text.tsx";

const Markdown = lazy(async () => ({ default: (await import("../../parts/text/markdown.tsx")).Markdown }));

/** Longer texts are shown folded, so that the page stays responsive. */
const longest = 30_000;

/** Text as it is, with its line breaks. */
export const PlainText = ({ text }: { readonly text: string }) =>
  text.length > longest ? (
    <FoldedText text={text} />
  ) : (
    <div className="min-w-0 break-words whitespace-pre-wrap">
      <ExactText text={text} />
    </div>
  );

/** Text of a model. It is plain until the parser of Markdown is loaded. */
export const MessageText = ({ text }: { readonly text: string }) => (
  <Suspense fallback={<PlainText text={text} />}>
    <Markdown text={text} />
  </Suspense>
);
