import { useTexts } from "../../texts/language.tsx";
import { doctorTexts } from "../../texts/doctor-texts.ts";
import { preventionInCode, preventionInSdk, preventionOverHttp } from "../prevention.ts";
import type { Prevention, Sent } from "../prevention.ts";
import type { HistoryReport } from "../work/examination.ts";

export interface PreventionPanelProps {
  /** What the code does. */
  readonly lead: string;
  readonly prevention: Prevention;
  /** The same for other programs, folded. */
  readonly others?: readonly { readonly lead: string; readonly prevention: Prevention }[];
}

/** The line of code that prevents a problem. */
export function PreventionPanel({ lead, prevention, others = [] }: PreventionPanelProps) {
  const texts = useTexts(doctorTexts);
  return (
    <section aria-labelledby="prevention" className="min-w-0 rounded-lg border border-line bg-surface p-4">
      <h2 id="prevention" className="font-semibold">
        {texts.prevent}
      </h2>
      <Code lead={lead} prevention={prevention} />
      {others.length > 0 && (
        <details className="mt-2">
          <summary className="min-h-9 py-1.5 text-sm text-accent pointer-coarse:min-h-11">
            {texts.inOtherPrograms}
          </summary>
          {others.map((each) => (
            <Code key={each.lead} {...each} />
          ))}
        </details>
      )}
    </section>
  );
}

/** How a program prevents broken histories. With a report, in the SDK of its format and for its provider. */
export function RequestPrevention({ report }: { readonly report?: HistoryReport }) {
  const texts = useTexts(doctorTexts);
  const chosen: Sent = {
    format: report?.isDetected === false ? report.format : undefined,
    provider: report?.isProviderDetected === false ? report.provider : undefined,
  };
  const sent = { ...chosen, provider: report?.provider };
  const inCode = preventionInCode(sent);
  const overHttp = { lead: texts.inOtherLanguages, prevention: preventionOverHttp(sent) };
  if (report === undefined) return <PreventionPanel lead={texts.preventLead} prevention={inCode} others={[overHttp]} />;
  const others = [{ lead: texts.inEveryProgram, prevention: inCode }, overHttp];
  return (
    <PreventionPanel lead={texts.preventLead} prevention={preventionInSdk(report.format, chosen)} others={others} />
  );
}

function Code({ lead, prevention: { code, page } }: { readonly lead: string; readonly prevention: Prevention }) {
  const texts = useTexts(doctorTexts);
  return (
    <div className="mt-2">
      <p className="text-sm">{lead}</p>
      <pre
        role="group"
        aria-label={`${texts.prevent}: ${lead}`}
        className="mt-1 rounded-md bg-raised p-3 font-mono text-xs break-words whitespace-pre-wrap"
      >
        {code}
      </pre>
      <p className="mt-1 text-xs text-muted">{texts.documentation(page)}</p>
    </div>
  );
}
