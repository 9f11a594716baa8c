import { useTexts } from "../../texts/language.tsx";
import { doctorTexts } from "../../texts/doctor-texts.ts";
import type { JsonPlace } from "../input/found.ts";
import type { NotJsonReport, RefusalReport } from "../work/examination.ts";
import { Verdict } from "./verdict.tsx";

/** An input that cannot be examined: the place where it stops being JSON, or the reason of the library. */
export function NotJson({ report }: { readonly report: NotJsonReport | RefusalReport }) {
  const texts = useTexts(doctorTexts);
  if (report.type === "refusal")
    return (
      <Verdict tone="bad" title={report.message}>
        <p>{report.mayChooseFormat ? texts.noMessagesHint : texts.refusedHint}</p>
      </Verdict>
    );
  return (
    <Verdict tone="bad" title={texts.notJson}>
      <FaultPlace place={report} />
      <p className="mt-2">{texts.notJsonNext}</p>
    </Verdict>
  );
}

/** The line with the fault, and a caret under the first character that is not JSON. */
export function FaultPlace({ place }: { readonly place: JsonPlace & { readonly sentence: string } }) {
  const texts = useTexts(doctorTexts);
  const { line, column, excerpt, caret, sentence } = place;
  return (
    <>
      <p>
        {texts.place(line, column)}: {sentence}
      </p>
      <pre
        tabIndex={0}
        role="group"
        aria-label={texts.place(line, column)}
        className="mt-2 overflow-x-auto rounded-md bg-raised p-3 font-mono text-sm text-ink"
      >
        {excerpt.replaceAll("\t", " ")}
        {"\n"}
        <span className="font-bold text-bad">{`${spaces(excerpt, caret)}^`}</span>
      </pre>
    </>
  );
}

/** Blanks as wide as the text before the caret. Wide characters take two columns of a monospaced font. */
const spaces = (excerpt: string, caret: number): string =>
  excerpt
    .slice(0, caret)
    .replaceAll(/\p{Script=Han}|[\u3000-\u30ff\uff01-\uff60]/gu, "  ")
    .replaceAll(/[^ ]/gu, " ");
