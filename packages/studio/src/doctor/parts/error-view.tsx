import { Pencil } from "lucide-react";

import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/controls/button.tsx";
import { FoldedText } from "../../parts/text/folded-text.tsx";
import { useTexts } from "../../texts/language.tsx";
import { doctorTexts } from "../../texts/doctor-texts.ts";
import { trimming } from "../prevention.ts";
import { placeOfRule } from "../doctor-place.ts";
import type { ErrorReport } from "../work/examination.ts";
import { PreventionPanel, RequestPrevention } from "./prevention-panel.tsx";
import { Verdict } from "./verdict.tsx";

interface ErrorViewProps {
  readonly report: ErrorReport;
  /** Returns to an empty field. */
  readonly onPaste: () => void;
}

/** An error text of a provider: the rules that it may refer to. */
export function ErrorView({ report: { text, isTooLong, explanations }, onPaste }: ErrorViewProps) {
  const texts = useTexts(doctorTexts);
  const isKnown = explanations.some(({ confidence }) => confidence !== "nearest");
  const { title, next } = isKnown
    ? { title: explanations[0]?.title ?? "", next: texts.errorNext }
    : isTooLong
      ? { title: texts.tooLong, next: texts.tooLongNext }
      : { title: texts.errorUnknown, next: texts.errorUnknownNext };
  return (
    <>
      <Verdict tone="bad" title={title}>
        <p>{next}</p>
        {!isTooLong && (
          <Button className="mt-2" onClick={onPaste}>
            <Pencil size={16} aria-hidden /> {texts.pasteRequest}
          </Button>
        )}
      </Verdict>
      <FoldedText text={text} />
      <div className="grid items-start gap-5 lg:grid-cols-2">
        {explanations.length > 0 && (
          <section aria-label={texts.errorTitle} className="flex min-w-0 flex-col gap-3">
            {!isKnown && explanations.length > 0 && <p>{texts.errorNearest}</p>}
            {explanations.map(({ rule, title: name, why, fix, confidence }) => (
              <div key={rule} className="rounded-lg border border-line bg-surface p-4">
                <h2 className="flex flex-wrap items-baseline gap-2 font-semibold">
                  {name}
                  {confidence === "likely" && <Badge tone="warn">{texts.likely}</Badge>}
                  <a
                    href={placeOfRule(rule)}
                    aria-label={`${texts.aboutRule}: ${rule}`}
                    className="ml-auto font-mono text-xs font-normal text-accent underline underline-offset-4"
                  >
                    {rule}
                  </a>
                </h2>
                <dl className="mt-2 grid grid-cols-[auto_1fr] gap-x-3 gap-y-1.5 text-sm">
                  <dt className="text-muted">{texts.why}</dt>
                  <dd>{why}</dd>
                  <dt className="text-muted">{texts.fix}</dt>
                  <dd>{fix}</dd>
                </dl>
              </div>
            ))}
          </section>
        )}
        {isKnown && <RequestPrevention />}
        {!isKnown && isTooLong && <PreventionPanel prevention={trimming} lead={texts.tooLongPrevent} />}
      </div>
    </>
  );
}
