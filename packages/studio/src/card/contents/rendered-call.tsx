import { lazy, Suspense } from "react";
import type { PendingCall } from "undangle/client";

import { ExactText } from "../../parts/text/exact-text.tsx";
import { FoldedText } from "../../parts/text/folded-text.tsx";
import { cardTexts } from "../../texts/card-texts.ts";
import { useLanguage, useTexts } from "../../texts/language.tsx";

const Markdown = lazy(async () => ({ default: (await import("../../parts/text/markdown.tsx")).Markdown }));

type Rendered = NonNullable<PendingCall["render"]>;

/** What the call will do, as the tool describes it. It is data, never code. */
export function RenderedCall({ render }: { readonly render: Rendered }) {
  const texts = useTexts(cardTexts);
  return (
    <figure className="min-w-0">
      <figcaption className="mb-1 flex flex-wrap gap-x-2 text-sm text-muted">
        {texts.rendered[render.type]}
        {render.type === "diff" && (
          <code className="font-mono break-all text-ink">
            <ExactText text={render.path} />
          </code>
        )}
      </figcaption>
      <Content render={render} />
    </figure>
  );
}

function Content({ render }: { readonly render: Rendered }) {
  switch (render.type) {
    case "diff":
      return <UnifiedDiff text={render.text} />;
    case "command":
      return <FoldedText text={render.command} />;
    case "table":
      return <Table {...render} />;
    case "markdown":
      return (
        <div className="max-h-96 overflow-auto rounded-md border border-line p-3" tabIndex={0}>
          <Suspense fallback={<FoldedText text={render.text} />}>
            <Markdown text={render.text} isExact />
          </Suspense>
        </div>
      );
  }
}

const mostLines = 2_000;
const longestDiff = 200_000;

/** A unified diff with coloured lines. Its signs stay, so that it reads without colours. */
function UnifiedDiff({ text }: { readonly text: string }) {
  const lines = text.split("\n");
  if (lines.length > mostLines || text.length > longestDiff) return <FoldedText text={text} />;
  const hunk = lines.findIndex((line) => line.startsWith("@@"));
  const head = hunk === -1 ? lines.findIndex((line) => !/^(?:---|\+\+\+)/u.test(line)) : hunk; // later, a removed line may start with ---
  return (
    <pre
      tabIndex={0}
      className="max-h-96 overflow-auto rounded-md border border-line p-2 font-mono text-xs whitespace-pre-wrap"
    >
      {lines.map((line, i) => (
        <div key={i} className={toneOf(line, i < head)}>
          <ExactText text={line === "" ? " " : line} />
        </div>
      ))}
    </pre>
  );
}

function toneOf(line: string, isHead: boolean): string {
  if (isHead) return "text-muted";
  if (line.startsWith("+")) return "bg-good-soft text-good";
  if (line.startsWith("-")) return "bg-bad-soft text-bad";
  return line.startsWith("@@") ? "text-accent" : "text-ink";
}

const mostRows = 100;
const mostCells = 1_000;
const longestCell = 400;

function Table({ columns, rows }: Extract<Rendered, { readonly type: "table" }>) {
  const texts = useTexts(cardTexts);
  const language = useLanguage();
  const count = Math.min(mostRows, Math.max(1, Math.floor(mostCells / columns.length)));
  return (
    <div className="max-h-96 overflow-auto rounded-md border border-line" tabIndex={0}>
      <table className="w-full text-left text-sm">
        <thead className="bg-raised">
          <tr>
            {columns.map((column, i) => (
              <th key={i} scope="col" className="px-2 py-1 font-medium">
                <ExactText text={column} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, count).map((row, i) => (
            <tr key={i} className="border-t border-line align-top">
              {row.map((cell, at) => (
                <td key={at} className="px-2 py-1 break-words">
                  {cell.length > longestCell ? (
                    <FoldedText text={cell} shown={longestCell} />
                  ) : (
                    <ExactText text={cell} />
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > count && (
        <p className="px-2 py-1 text-sm text-muted">
          {texts.rows(String(count), rows.length.toLocaleString(language))}
        </p>
      )}
    </div>
  );
}
