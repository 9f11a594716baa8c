import type { Trace } from "undangle/client";

import { durationText } from "../parts/duration.ts";
import { useLanguage, useTexts } from "../texts/language.tsx";
import { timelineTexts } from "../texts/timeline-texts.ts";
import { idleTimeIn } from "./layout/time-scale.ts";
import { idleLook, looks } from "./chart/bar-looks.ts";
import { costText, useTokenParts } from "./span-words.ts";

/** Where the time went, with the fill of the bars as their legend, the tokens and their costs. */
export function Totals({ trace }: { readonly trace: Trace }) {
  const { totals, spans } = trace;
  const responses = spans.filter(({ type, end }) => type === "model" && end !== null).length;
  const texts = useTexts(timelineTexts);
  const language = useLanguage();
  const partsOf = useTokenParts();
  const { idle, whole } = idleTimeIn(trace);
  const times = [
    { name: "whole", time: whole, look: undefined },
    { name: "runs", time: totals.runs, look: looks.run.bar },
    { name: "model", time: totals.model, look: looks.model.bar },
    { name: "tools", time: totals.tools, look: looks.call.bar },
    { name: "waits", time: totals.waits, look: looks.wait.bar },
    { name: "idle", time: idle, look: idleLook },
  ] as const;
  return (
    <dl aria-label={texts.totals} className="grid grid-cols-2 gap-x-6 gap-y-2 sm:flex sm:flex-wrap">
      {times.map(({ name, time, look }) => (
        <div key={name}>
          <dt className="flex items-center gap-1.5 text-xs text-muted" title={texts.totalMeans[name]}>
            {look !== undefined && (
              <span aria-hidden className={`inline-block w-4 flex-none forced-color-adjust-none ${look} max-h-3`} />
            )}
            {texts.total[name]}
          </dt>
          <dd className="text-lg leading-6 font-medium tabular-nums" data-total={name}>
            {durationText(time, language)}
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
