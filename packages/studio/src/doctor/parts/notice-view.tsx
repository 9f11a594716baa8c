import { useTexts } from "../../texts/language.tsx";
import { doctorNoticeTexts } from "../../texts/doctor-notice-texts.ts";
import type { NoticeReport } from "../work/examination.ts";
import { Verdict } from "./verdict.tsx";

/** An input without anything to examine: what it is, and what to do instead. */
export function NoticeView({ report: { notice, detail = "" } }: { readonly report: NoticeReport }) {
  const { title, next } = useTexts(doctorNoticeTexts)[notice];
  return (
    <Verdict tone="bad" title={title(detail)}>
      <p>{next}</p>
    </Verdict>
  );
}
