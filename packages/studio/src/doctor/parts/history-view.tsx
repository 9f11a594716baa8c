import { useState } from "react";
import type { ComponentType } from "react";

import { Badge } from "../../parts/badge.tsx";
import { ExactText } from "../../parts/text/exact-text.tsx";
import { useTexts } from "../../texts/language.tsx";
import { doctorTexts } from "../../texts/doctor-texts.ts";
import { placeOfRule } from "../doctor-place.ts";
import type { HistoryReport, ProblemView, RuleCount } from "../work/examination.ts";
import type { DoctorWorker } from "../work/worker-client.ts";
import { EditSteps } from "./edit-steps.tsx";
import { MessageList } from "./message-list.tsx";
import { FaultPlace } from "./not-json.tsx";
import { OutputActions } from "./output-actions.tsx";
import { RequestPrevention } from "./prevention-panel.tsx";
import { Verdict } from "./verdict.tsx";

export interface HistoryViewProps {
  readonly report: HistoryReport;
  /** The name of the file that was read, if it is one. */
  readonly file: string | undefined;
  readonly request: DoctorWorker["request"];
  /** Continues the history elsewhere, once it is repaired. */
  readonly Continue: ComponentType<ContinueProps> | undefined;
}

export type ContinueProps = Pick<HistoryViewProps, "request">;

/** A history: what is wrong and why on top, then the history with its problems beside the repaired one, if it was repaired. */
export function HistoryView({ report, file, request, Continue }: HistoryViewProps) {
  const texts = useTexts(doctorTexts);
  const [chosen, setCurrent] = useState(0);
  const { problems, problemCount, edits, editCount, left, fault } = report;
  const current = Math.min(chosen, edits.length - 1); // another format has other edits
  const isValid = problemCount === 0;
  const isRepaired = editCount > 0;
  const facts = [report.format, report.provider, report.model, texts.messages(report.messages)];
  const edit = edits[current];
  const target = `${report.format} ${report.provider}`; // another one has other messages to fold and to repair
  return (
    <>
      <Verdict tone={isValid ? "good" : "bad"} title={isValid ? texts.valid : texts.verdict(problemCount)}>
        {isValid ? <p>{texts.validNext}</p> : <p>{texts.repairable(problemCount, left)}</p>}
        <p className="mt-1 text-sm break-words text-muted">
          <ExactText text={facts.filter((fact) => fact !== undefined).join(" · ")} />
        </p>
        {isRepaired && <OutputActions request={request} file={file} word="repaired" />}
        {isRepaired && Continue !== undefined && <Continue request={request} />}
      </Verdict>
      {fault !== undefined && (
        <section aria-label={texts.notJson} className="rounded-lg border border-line bg-surface p-4 text-sm">
          <p className="mb-1 font-medium">{texts.readAsSource}</p>
          <FaultPlace place={fault} />
        </section>
      )}
      {!isValid && (
        <div className="grid items-start gap-5 lg:grid-cols-2">
          <RuleCounts rules={report.rules} problems={problems} />
          <RequestPrevention report={report} />
        </div>
      )}
      <div className={`grid items-start gap-5 ${isRepaired ? "lg:grid-cols-2" : ""}`}>
        <section aria-labelledby="before" className={column}>
          <h2 id="before" className="text-lg font-semibold">
            {isValid ? texts.history : texts.before}
          </h2>
          <OutsideProblems problems={problems.filter(({ index }) => index === undefined)} />
          <MessageList
            key={target}
            side="before"
            segments={report.before}
            request={request}
            current={edit?.fromIndex}
            notes={(index) => problems.filter((problem) => problem.index === index)}
          />
          {problemCount > problems.length && (
            <p className="text-sm text-muted">{texts.moreProblems(problemCount - problems.length)}</p>
          )}
        </section>
        {isRepaired && (
          <section aria-labelledby="after" className={column}>
            <div className="flex flex-wrap items-baseline gap-x-3">
              <h2 id="after" className="text-lg font-semibold">
                {texts.after}
              </h2>
              <p className="text-sm text-muted">{`${texts.edits(editCount)} · ${texts.lossSummary(report.lossy)}`}</p>
            </div>
            <EditSteps edits={edits} current={current} onChange={setCurrent} />
            <MessageList key={target} side="after" segments={report.after} request={request} current={edit?.toIndex} />
          </section>
        )}
      </div>
    </>
  );
}

/** Both columns start their messages at the same height. */
const column = "flex min-w-0 flex-col gap-3";

/** How many problems of a rule are listed with their places. The history below marks all of them. */
const mostPlaces = 3;

interface RuleCountsProps {
  readonly rules: readonly RuleCount[];
  readonly problems: readonly ProblemView[];
}

/** The broken rules with their numbers, first places, causes and repairs. */
function RuleCounts({ rules, problems }: RuleCountsProps) {
  const texts = useTexts(doctorTexts);
  const placesOf = (rule: string): readonly ProblemView[] =>
    problems.filter((problem) => problem.rule === rule).slice(0, mostPlaces);
  return (
    <ul className="flex min-w-0 flex-col gap-3">
      {rules.map(({ rule, title, why, fix, count, isRepairable, error }) => (
        <li key={rule} className="rounded-lg border border-line bg-surface p-4">
          <h3 className="flex flex-wrap items-baseline gap-x-2 font-semibold">
            {title}
            {count > 1 && <span className="font-normal text-muted">{texts.times(count)}</span>}
            <a
              href={placeOfRule(rule)}
              aria-label={`${texts.aboutRule}: ${rule}`}
              className="ml-auto font-mono text-xs font-normal text-accent underline underline-offset-4"
            >
              {rule}
            </a>
          </h3>
          <ul className="mt-1 flex flex-col gap-1 text-sm">
            {placesOf(rule).map(({ path, message }) => (
              <li key={`${path} ${message}`} className="break-words">
                <ExactText text={message} />{" "}
                <code className="font-mono text-xs text-muted">
                  <ExactText text={path} />
                </code>
              </li>
            ))}
          </ul>
          <dl className="mt-2 grid grid-cols-[auto_1fr] gap-x-3 gap-y-1.5 text-sm">
            <dt className="text-muted">{texts.why}</dt>
            <dd className="min-w-0">{why}</dd>
            <dt className="text-muted">{texts.fix}</dt>
            <dd className="min-w-0">{isRepairable ? fix : texts.cannotRepair}</dd>
          </dl>
          {error !== undefined && (
            <p className="mt-3 border-l-2 border-bad pl-3 text-sm">
              <span className="block text-muted">{texts.exampleError}</span>
              <span className="font-mono text-xs break-words">{error}</span>
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Problems of the body, such as missing tools. */
function OutsideProblems({ problems }: { readonly problems: readonly ProblemView[] }) {
  const texts = useTexts(doctorTexts);
  if (problems.length === 0) return null;
  return (
    <div className="rounded-md border border-bad bg-surface p-3 text-sm">
      <p className="text-muted">{texts.outside}</p>
      <ul className="mt-1 flex flex-col gap-1">
        {problems.map(({ title, path, message, rule }, i) => (
          <li key={i} className="break-words">
            <Badge tone="bad">{title}</Badge>{" "}
            <code className="font-mono text-xs">
              <ExactText text={path} />
            </code>{" "}
            <ExactText text={message} />
            <a href={placeOfRule(rule)} className="ml-2 text-accent underline underline-offset-4">
              {rule}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}
