import { ShieldCheck } from "lucide-react";
import { useCallback, useEffect, useRef } from "react";
import type { ComponentType } from "react";

import { sizeText } from "../parts/text/size-text.ts";
import { useLanguage, useTexts } from "../texts/language.tsx";
import { doctorTexts } from "../texts/doctor-texts.ts";
import { ErrorView } from "./parts/error-view.tsx";
import { Failed } from "./parts/failed.tsx";
import { HistoryView } from "./parts/history-view.tsx";
import type { ContinueProps } from "./parts/history-view.tsx";
import { InputPanel } from "./parts/input-panel.tsx";
import { InputSummary } from "./parts/input-summary.tsx";
import { NotJson } from "./parts/not-json.tsx";
import { NoticeView } from "./parts/notice-view.tsx";
import { RuleList, RulePage } from "./parts/rule-pages.tsx";
import { StreamView } from "./parts/stream-view.tsx";
import { takeHandover } from "./handover.ts";
import { useDoctor } from "./use-doctor.ts";
import type { Doctor, DoctorOptions } from "./use-doctor.ts";
import { useDrop } from "./use-drop.ts";
import type { Given } from "./use-drop.ts";
import { usePlace } from "./doctor-place.ts";
import type { Examination } from "./work/examination.ts";

export interface DoctorViewProps extends Partial<DoctorOptions> {
  /** The promise about the input. */
  readonly privacy?: string;
  /** Continues a repaired history elsewhere. Without it, the doctor sends nothing. */
  readonly Continue?: ComponentType<ContinueProps> | undefined;
}

/** Examines histories, streams and error texts in the browser. It needs no server. */
export function DoctorView({ loadRules = "when needed", privacy, Continue }: DoctorViewProps) {
  const texts = useTexts(doctorTexts);
  const doctor = useDoctor({ loadRules });
  const place = usePlace();
  const language = useLanguage();
  const { read, prepare, rules } = doctor;
  const name = texts.handedOver;
  useEffect(() => {
    // after a strict mount, which ends the worker once and would lose what was taken
    const timer = setTimeout(() => {
      const given = takeHandover();
      if (given !== undefined) read(given, name);
    });
    return () => clearTimeout(timer);
  }, [read, name]);
  const take = useCallback<Given>(
    (data) => {
      const [file] = data.files;
      const text = data.getData("text");
      if (file === undefined && text.trim() === "") return;
      if (location.hash !== "") location.hash = ""; // from the page of a rule
      if (file !== undefined) read(file, texts.opened(file.name, sizeText(file.size, language)));
      else read(text, texts.opened(texts.paste, sizeText(text.length, language)));
    },
    [read, texts, language],
  );
  const isOver = useDrop(take);
  useEffect(() => {
    if (isOver) prepare();
  }, [isOver, prepare]);
  return (
    <div className="mx-auto flex max-w-screen-2xl flex-col gap-5 p-4 md:p-6">
      {isOver && (
        <p className="pointer-events-none fixed inset-3 z-50 grid place-items-center rounded-xl border-2 border-dashed border-accent bg-page/90 text-xl font-semibold text-accent">
          {texts.drop}
        </p>
      )}
      {place.type === "doctor" && <Examining doctor={doctor} take={take} Continue={Continue} />}
      {place.type === "rules" && <RuleList doctor={doctor} />}
      {place.type === "rule" && <RulePage key={place.rule} rule={place.rule} doctor={doctor} />}
      <p className="flex items-start gap-2 text-sm text-muted">
        <ShieldCheck size={18} className="mt-px flex-none text-good" aria-hidden />
        <span>
          {privacy ?? texts.private}{" "}
          <span role="status">{rules === "ready" ? texts.ready : rules === "loading" && texts.loading}</span>
        </span>
      </p>
    </div>
  );
}

interface ExaminingProps extends Pick<DoctorViewProps, "Continue"> {
  readonly doctor: Doctor;
  readonly take: Given;
}

function Examining({ doctor, take, Continue }: ExaminingProps) {
  const texts = useTexts(doctorTexts);
  const { state } = doctor;
  return (
    <>
      <header className="flex flex-wrap items-start gap-x-6 gap-y-2">
        <div className="min-w-0 flex-1 basis-80">
          <h1 className="text-2xl font-semibold">{texts.title}</h1>
          <p className="mt-1 text-muted">{texts.lead}</p>
        </div>
        <a href="#rules" className="text-accent underline underline-offset-4">
          {texts.rules.all}
        </a>
      </header>
      {state.phase === "read" || state.phase === "working" ? (
        <InputSummary doctor={doctor} />
      ) : (
        <InputPanel doctor={doctor} take={take} />
      )}
      {state.phase === "failed" && <Failed message={state.message} />}
      {state.phase === "read" && state.examination !== undefined && (
        <Result
          key={`${state.name} ${state.index}`}
          examination={state.examination}
          file={state.file}
          request={doctor.request}
          Continue={Continue}
          onPaste={() => {
            doctor.write("");
            doctor.leave();
          }}
        />
      )}
    </>
  );
}

interface ResultProps extends Pick<DoctorViewProps, "Continue"> {
  readonly examination: Examination;
  readonly file: string | undefined;
  readonly request: Doctor["request"];
  /** Returns to an empty field. */
  readonly onPaste: () => void;
}

/** The report. It receives the focus, so that screen readers begin there. */
function Result({ examination, file, request, Continue, onPaste }: ResultProps) {
  const top = useRef<HTMLDivElement>(null);
  useEffect(() => top.current?.focus({ preventScroll: true }), []);
  return (
    <div ref={top} tabIndex={-1} className="flex flex-col gap-5 outline-none">
      {examination.type === "history" && (
        <HistoryView report={examination} file={file} request={request} Continue={Continue} />
      )}
      {examination.type === "stream" && <StreamView report={examination} file={file} request={request} />}
      {examination.type === "error-text" && <ErrorView report={examination} onPaste={onPaste} />}
      {examination.type === "notice" && <NoticeView report={examination} />}
      {(examination.type === "not-json" || examination.type === "refusal") && <NotJson report={examination} />}
    </div>
  );
}
