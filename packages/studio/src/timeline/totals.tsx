import type { Trace } from "undangle/client";

import { useLanguage, useTexts } from "../texts/language.tsx";
import { timelineTexts } from "../texts/timeline-texts.ts";
import { exactDuration } from "./layout/duration.ts";
import { looks } from "./bar-looks.ts";
import { costText, useTokenParts } from "./span-words.ts";

/** The time in models, tools and waits, with the fill of their bars, the tokens and their costs. */
export function Totals({ trace: { totals, spans } }: { readonly trace: Trace }) {
  const responses = spans.filter(({ type, end }) => type === "model" && end !== null).length;
  const texts = useTexts(timelineTexts);
  const language = useLanguage();
  const partsOf = useTokenParts();
  const times = [
    { name: "runs", look: looks.run.bar },
    { name: "model", look: looks.model.bar },
    { name: "tools", look: looks.call.bar },
    { name: "waits", look: looks.wait.bar },
  ] as const;
  return (
    <dl aria-label={texts.totals} className="grid grid-cols-2 gap-x-6 gap-y-2 sm:flex sm:flex-wrap">
      {times.map(({ name, look }) => (
        <div key={name}>
          <dt className="flex items-center gap-1.5 text-xs text-muted" title={texts.totalMeans[name]}>
            <span aria-hidden className={`inline-block w-4 flex-none forced-color-adjust-none ${look} max-h-3`} />
            {texts.total[name]}
          </dt>
          <dd className="text-lg leading-6 font-medium tabular-nums" data-total={name}>
            {exactDuration(totals[name], language)}
          </dd>
        </div>
      ))}
      <div className="col-span-2">
        <dt className="text-xs text-muted">{texts.total.tokens}</dt>
        <dd className="leading-6 tabular-nums">
          {totals.tokens.totalTokens === 0 && responses > 0 ? (
            <span className="text-sm text-muted">{texts.noTokens}</span>
          ) : (
            <>
              <span className="text-lg font-medium">{totals.tokens.totalTokens.toLocaleString(language)}</span>{" "}
              <span className="text-sm text-muted">{partsOf(totals.tokens)}</span>
            </>
          )}
        </dd>
      </div>
      {totals.cost !== undefined && (
        <div>
          <dt className="text-xs text-muted">{texts.total.cost}</dt>
          <dd className="leading-6 tabular-nums" data-total="cost">
            <span className="text-lg font-medium">{costText(totals.cost, language)}</span>{" "}
            {!totals.cost.complete && <span className="text-sm text-muted">{texts.partOfCost}</span>}
          </dd>
        </div>
      )}
    </dl>
  );
}
