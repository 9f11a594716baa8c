import { useState } from "react";
import { FileText, Pencil, RotateCcw, X } from "lucide-react";

import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/controls/button.tsx";
import { ExactText } from "../../parts/text/exact-text.tsx";
import { useTexts } from "../../texts/language.tsx";
import { doctorTexts } from "../../texts/doctor-texts.ts";
import type { Doctor, DoctorState } from "../use-doctor.ts";
import type { InputView } from "../work/examination.ts";

/** The input while it is read and examined: its name, its progress, and what to choose. */
export function InputSummary({ doctor }: { readonly doctor: Doctor }) {
  const texts = useTexts(doctorTexts);
  const { state, draft, write, leave } = doctor;
  if (state.phase !== "read" && state.phase !== "working") return null;
  const isWorking = state.phase === "working" || state.examination === undefined;
  return (
    <section aria-label={texts.input} className="flex flex-col gap-3 rounded-lg border border-line bg-surface p-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <FileText size={18} className="flex-none text-muted" aria-hidden />
        <p className="min-w-0 flex-1 basis-48 font-medium break-words">
          <ExactText text={state.name} />
        </p>
        {isWorking ? (
          <Button onClick={leave}>
            <X size={16} aria-hidden /> {texts.cancel}
          </Button>
        ) : (
          <>
            {draft !== "" && (
              <Button onClick={leave}>
                <Pencil size={16} aria-hidden /> {texts.editInput}
              </Button>
            )}
            <Button
              onClick={() => {
                write("");
                leave();
              }}
            >
              <RotateCcw size={16} aria-hidden /> {texts.clear}
            </Button>
          </>
        )}
      </div>
      {isWorking && (
        <div role="status" className="flex items-center gap-3 text-sm text-muted">
          {state.phase === "working" && (
            <progress
              max={1}
              value={state.share}
              aria-label={texts.reading(Math.round(state.share * 100))}
              className="h-2 w-40 accent-accent"
            />
          )}
          <span>
            {state.phase === "working" && state.share < 1
              ? texts.reading(Math.round(state.share * 100))
              : texts.examining}
          </span>
        </div>
      )}
      {state.phase === "read" && state.inputs.length > 1 && <InputChoice state={state} doctor={doctor} />}
      {state.phase === "read" && canChooseFormat(state) && <TargetChoice state={state} doctor={doctor} />}
    </section>
  );
}

type ReadState = Extract<DoctorState, { readonly phase: "read" }>;

interface ChoiceProps {
  readonly state: ReadState;
  readonly doctor: Doctor;
}

const canChooseFormat = ({ examination }: ReadState): boolean =>
  examination?.type === "history" ||
  (examination !== undefined && "mayChooseFormat" in examination && examination.mayChooseFormat);

/** The number of choices that are shown at first, and that one click adds. */
const step = 100;

function InputChoice({ state: { inputs, index }, doctor: { choose } }: ChoiceProps) {
  const texts = useTexts(doctorTexts);
  const [shown, setShown] = useState(Math.max(step, index + 1));
  const rest = inputs.length - shown;
  return (
    <fieldset>
      <legend className="mb-1 text-sm text-muted">{texts.choose(inputs.length)}</legend>
      <ul className="flex max-h-56 flex-col gap-1 overflow-auto">
        {inputs.slice(0, shown).map((input, i) => (
          <li key={i}>
            <button
              type="button"
              aria-pressed={i === index}
              className="flex w-full flex-wrap items-center gap-2 rounded-md px-2 py-1 text-left text-sm hover:bg-raised aria-pressed:bg-accent-soft"
              onClick={() => choose({ index: i, target: {} })}
            >
              <InputName input={input} />
            </button>
          </li>
        ))}
        {rest > 0 && (
          <li>
            <Button look="quiet" onClick={() => setShown(shown + step)}>
              {texts.showMore(Math.min(step, rest))}
            </Button>
          </li>
        )}
      </ul>
    </fieldset>
  );
}

function InputName({ input: { type, line, path, messages, problems } }: { readonly input: InputView }) {
  const { choice } = useTexts(doctorTexts);
  return (
    <>
      {line !== undefined && <span>{choice.line(line)}</span>}
      {path !== "" && (
        <code className="font-mono text-xs break-all">
          <ExactText text={path} />
        </code>
      )}
      {type === "error-text" && <span>{choice.errorText}</span>}
      {type === "stream" && <span>{choice.stream}</span>}
      {type === "not-json" && <Badge tone="bad">{choice.notJson}</Badge>}
      {messages !== undefined && <span className="text-muted">{choice.history(messages)}</span>}
      {problems !== undefined && (
        <Badge tone={problems > 0 ? "bad" : "good"}>{problems > 0 ? choice.problems(problems) : choice.valid}</Badge>
      )}
    </>
  );
}

/** The format and the provider. The detected format is preselected. */
function TargetChoice({ state: { target, formats, examination }, doctor: { choose } }: ChoiceProps) {
  const texts = useTexts(doctorTexts);
  const shown = examination?.type === "history" ? examination.format : target.format;
  const guessed = examination?.type === "history" && examination.isProviderDetected ? examination.provider : undefined;
  const providers = formats.find(({ format }) => format === shown)?.providers ?? [];
  const look = "min-h-9 rounded-md border border-control bg-surface px-2 py-1 text-sm pointer-coarse:min-h-11";
  return (
    <div className="flex flex-wrap gap-x-4 gap-y-2 text-sm">
      <label className="flex flex-wrap items-center gap-2">
        <span className="text-muted">{texts.format}</span>
        <select
          className={look}
          value={target.format ?? ""}
          onChange={({ currentTarget: { value } }) => {
            choose({ target: { format: formats.find(({ format }) => format === value)?.format } });
          }}
        >
          <option value="">
            {target.format === undefined && shown !== undefined ? texts.detected(shown) : texts.detect}
          </option>
          {formats.map(({ format }) => (
            <option key={format} value={format}>
              {format}
            </option>
          ))}
        </select>
      </label>
      {providers.length > 1 && (
        <label className="flex flex-wrap items-center gap-2">
          <span className="text-muted">{texts.provider}</span>
          <select
            className={look}
            value={target.provider ?? ""}
            onChange={({ currentTarget: { value } }) => {
              choose({ target: { format: target.format, provider: value === "" ? undefined : value } });
            }}
          >
            <option value="">{guessed === undefined ? texts.ofFormat : texts.detected(guessed)}</option>
            {providers.map((provider) => (
              <option key={provider} value={provider}>
                {provider}
              </option>
            ))}
          </select>
        </label>
      )}
    </div>
  );
}
