import { useTexts } from "../../texts/language.tsx";
import { doctorTexts } from "../../texts/doctor-texts.ts";
import { anyPrevention } from "../prevention.ts";
import type { Prevention } from "../prevention.ts";

export interface PreventionPanelProps {
  readonly prevention: Prevention;
  /** What the line does, if it does not repair requests. */
  readonly lead?: string;
}

/** The line of code that prevents the problem. */
export function PreventionPanel({ prevention, lead }: PreventionPanelProps) {
  const texts = useTexts(doctorTexts);
  const hasOther = lead === undefined && prevention.code !== anyPrevention.code;
  return (
    <section aria-labelledby="prevention" className="min-w-0 rounded-lg border border-line bg-surface p-4">
      <h2 id="prevention" className="font-semibold">
        {texts.prevent}
      </h2>
      <p className="mt-1 text-sm">{lead ?? texts.preventLead}</p>
      <Code prevention={prevention} />
      {hasOther && (
        <>
          <p className="mt-3 text-sm">{texts.inEveryProgram}</p>
          <Code prevention={anyPrevention} />
        </>
      )}
    </section>
  );
}

function Code({ prevention: { code, page } }: { readonly prevention: Prevention }) {
  const texts = useTexts(doctorTexts);
  return (
    <>
      <pre
        tabIndex={0}
        role="group"
        aria-label={texts.prevent}
        className="mt-2 overflow-x-auto rounded-md bg-raised p-3 font-mono text-xs"
      >
        {code}
      </pre>
      <p className="mt-1 text-xs text-muted">{texts.documentation(page)}</p>
    </>
  );
}
