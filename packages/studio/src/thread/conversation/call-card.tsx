import {
  Ban,
  CircleCheck,
  CircleHelp,
  CircleX,
  Clock,
  Hourglass,
  Link2,
  LoaderCircle,
  PencilLine,
  Play,
  UserCheck,
} from "lucide-react";
import type { LucideIcon } from "lucide-react";
import { memo, useState } from "react";
import type { ReactNode } from "react";
import type { PendingCall } from "undangle/client";

import { useKeyName } from "../../api/people.ts";
import { useScopes } from "../../api/session.ts";
import { Decided } from "../../card/call-outcome.tsx";
import { isInTask } from "../../card/contents/card-details.tsx";
import { summaryOf } from "../../card/edit/schema-fields.ts";
import { isRecord } from "../../parts/json-record.ts";
import { ExactText } from "../../parts/text/exact-text.tsx";
import { FoldedText, JsonText } from "../../parts/text/folded-text.tsx";
import { LineDiff } from "../../parts/text/line-diff.tsx";
import { mediaKinds } from "../../parts/text/media.tsx";
import { StateBadge } from "../../parts/state-badge.tsx";
import { durationText } from "../../parts/duration.ts";
import { Time, useNow } from "../../parts/moment.tsx";
import { resultLine, ResultValue } from "../../parts/text/result-value.tsx";
import { useLanguage, useTexts } from "../../texts/language.tsx";
import { stateTexts } from "../../texts/state-texts.ts";
import type { CallPhase } from "../../texts/state-texts.ts";
import { threadTexts } from "../../texts/thread-texts.ts";
import { showCard } from "../pending-calls.tsx";
import type { ShownCall } from "../feed/thread-state.ts";

const icons: Readonly<Record<CallPhase, LucideIcon>> = {
  writing: PencilLine,
  proposed: Play,
  awaiting: Hourglass,
  approved: Play,
  running: LoaderCircle,
  delegated: Hourglass,
  rejected: Ban,
  responded: UserCheck,
  superseded: Ban,
  expired: Clock,
  succeeded: CircleCheck,
  failed: CircleX,
  "timed-out": Clock,
  stopped: Ban,
  lost: CircleHelp,
  unanswered: CircleHelp,
};

interface CallCardProps {
  readonly call: ShownCall;
  /** True for a call of an imported turn. It has no times. */
  readonly isImported: boolean;
  /** The pending call, if it waits for a decision. */
  readonly pending?: PendingCall | undefined;
  /** True if the address names this call. */
  readonly isLinked: boolean;
  /** Its sub-agent. */
  readonly children?: ReactNode;
}

/** A call at its place in the conversation: what it does, its state in words, who decided, and its outcome. */
export const CallCard = memo(function CallCard({ call, isImported, pending, isLinked, children }: CallCardProps) {
  const { call: texts } = useTexts(threadTexts);
  const { mayDecide } = useScopes();
  const phase = phaseOf(call, isImported);
  const { states } = useTexts(stateTexts);
  const Icon = icons[phase];
  const { name } = call;
  const hasStarted = call.startedAt !== undefined;
  const explanation = (hasStarted ? texts.explainedStarted[phase] : undefined) ?? texts.explained[phase];
  return (
    <article
      id={call.id}
      tabIndex={-1}
      aria-label={texts.label(name, states[phase])}
      className={`my-2 min-w-0 rounded-lg border bg-surface ${isLinked ? "border-accent ring-2 ring-accent" : "border-line"}`}
    >
      <header className="flex min-w-0 items-start gap-2 px-3 py-2">
        <div className="flex min-h-7 min-w-0 flex-1 flex-wrap items-center gap-x-2 gap-y-1">
          <Icon
            size={16}
            aria-hidden
            className={`flex-none ${phase === "running" ? "animate-spin text-accent" : "text-muted"}`}
          />
          <span className="max-w-full min-w-0 truncate font-mono text-sm font-semibold">
            <ExactText text={name} />
          </span>
          {pending?.title !== undefined && (
            <span className="max-w-full min-w-0 truncate text-sm text-muted">
              <ExactText text={pending.title} />
            </span>
          )}
          <StateBadge call={call} phase={phase} />
          <Duration call={call} />
          {phase === "awaiting" && (
            <button
              type="button"
              className="min-h-6 rounded text-xs text-accent underline pointer-coarse:min-h-11"
              onClick={() => showCard(call.id)}
            >
              {mayDecide ? texts.decideBelow : texts.shownBelow}
            </button>
          )}
        </div>
        <a
          href={`#${call.id}`}
          aria-label={texts.link(name)}
          title={texts.link(name)}
          className="grid size-7 flex-none place-items-center rounded text-muted hover:bg-raised pointer-coarse:-my-2 pointer-coarse:size-11"
        >
          <Link2 size={14} aria-hidden />
        </a>
      </header>
      <div className="flex min-w-0 flex-col gap-2 border-t border-line px-3 py-2 text-sm empty:hidden">
        {call.written !== undefined && <Written text={call.written} />}
        {explanation !== undefined && <p className="text-muted">{explanation}</p>}
        <Permission call={call} />
        {phase === "failed" && call.error !== undefined && <ErrorText text={call.error} />}
        {phase === "unanswered" && call.error !== undefined && <FoldedText text={call.error} shown={300} />}
        {call.progress !== undefined && (
          <div data-transient>
            <p className="text-muted">{texts.progress}</p>
            <JsonText value={call.progress} shown={500} />
          </div>
        )}
        {call.written === undefined && <Details call={call} name={name} />}
        {children}
      </div>
    </article>
  );
});

/** An imported call without a result may never have been started: its state `lost` does not mean a crash. */
function phaseOf({ written, status }: ShownCall, isImported: boolean): CallPhase {
  if (written !== undefined) return "writing";
  return isImported && status === "lost" ? "unanswered" : status;
}

/** The end of the arguments while the model writes them, in a place of constant height. */
const Written = ({ text }: { readonly text: string }) => (
  <pre className="h-12 overflow-hidden rounded-md bg-raised p-2 font-mono text-xs break-words whitespace-pre-wrap">
    <ExactText text={text.slice(-160)} />
  </pre>
);

function Duration({ call: { startedAt, endedAt, status } }: { readonly call: ShownCall }) {
  const { took } = useTexts(stateTexts);
  const language = useLanguage();
  if (startedAt === undefined) return null;
  if (endedAt === undefined) return status === "running" ? <RunningSince at={startedAt} /> : null;
  return <span className="text-xs text-muted">{took(durationText(endedAt - startedAt, language))}</span>;
}

function RunningSince({ at }: { readonly at: number }) {
  const language = useLanguage();
  const now = useNow();
  return (
    <span className="text-xs text-muted" data-transient>
      {durationText(Math.max(0, Math.round((now - at) / 1000) * 1000), language)}
    </span>
  );
}

/** Who decided and when, or which allowance made a decision unnecessary. */
function Permission({ call }: { readonly call: ShownCall }) {
  const { call: texts } = useTexts(threadTexts);
  const nameOf = useKeyName();
  const { decision, allowance } = call;
  if (decision !== undefined)
    return (
      <div className="text-muted">
        <Decided decision={decision} isInTask={isInTask(call)} />
      </div>
    );
  if (allowance === undefined) return null;
  return (
    <p className="text-muted">
      <ExactText text={texts.allowed(nameOf(allowance.by ?? texts.unnamedPerson))} /> · <Time at={allowance.at} />
    </p>
  );
}

const ErrorText = ({ text }: { readonly text: string }) => (
  <p className="break-words whitespace-pre-wrap text-bad">
    <ExactText text={text.length > 300 ? `${text.slice(0, 300)} …` : text} />
  </p>
);

/** Arguments, what the model proposed instead, and the result. Folded to a line of each. */
function Details({ call, name }: { readonly call: ShownCall; readonly name: string }) {
  const { call: texts } = useTexts(threadTexts);
  const kinds = useTexts(mediaKinds);
  const [isOpen, setIsOpen] = useState(false); // large values are written out when they are needed
  const proposed = call.proposed ?? call.decision?.proposed;
  const result = call.result === undefined ? "" : summaryOf(resultLine(call.result, kinds), 200);
  const hasArguments = call.raw !== undefined || !isRecord(call.arguments) || Object.keys(call.arguments).length > 0;
  if (!hasArguments && proposed === undefined && call.result === undefined && call.error === undefined) return null;
  return (
    <details
      className="group min-w-0"
      onToggle={({ currentTarget, target }) => target === currentTarget && setIsOpen(currentTarget.open)}
    >
      <summary
        onClick={() => setIsOpen(true)} // before the browser opens it, so that the list does not shrink for a moment
        className="flex min-h-6 min-w-0 items-start gap-2 rounded font-mono text-xs text-muted hover:text-ink"
      >
        <span aria-hidden className="transition-transform group-open:rotate-90">
          ›
        </span>
        <span className="sr-only">{texts.details(name)}</span>
        <span className="flex min-w-0 flex-1 flex-col gap-1">
          {hasArguments && (
            <span className="truncate">
              <ExactText text={summaryOf(call.arguments, 200) || texts.arguments} />
            </span>
          )}
          {!hasArguments && result === "" && (call.error === undefined ? texts.result : texts.error)}
          {result !== "" && (
            <span className={`truncate text-ink ${hasArguments ? "group-open:hidden" : ""}`}>
              <span aria-hidden>→ </span>
              <span className="sr-only">{texts.result}: </span>
              <ExactText text={result} />
            </span>
          )}
        </span>
      </summary>
      {isOpen && (
        <div className="mt-2 flex min-w-0 flex-col gap-2">
          {proposed !== undefined && (
            <>
              <p>{texts.proposed}</p>
              <LineDiff
                before={`${proposed.name} ${jsonOf(proposed.arguments)}`}
                after={`${call.name} ${jsonOf(call.arguments)}`}
                label={texts.changed}
              />
            </>
          )}
          {hasArguments && (
            <Part title={texts.arguments}>
              <JsonText value={call.raw ?? call.arguments} />
            </Part>
          )}
          {call.result !== undefined && (
            <Part title={texts.result}>
              <ResultValue value={call.result} />
            </Part>
          )}
          {call.error !== undefined && (
            <Part title={texts.error}>
              <FoldedText text={call.error} />
            </Part>
          )}
        </div>
      )}
    </details>
  );
}

const Part = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <section className="min-w-0">
    <p className="mb-1 text-xs font-medium text-muted">{title}</p>
    {children}
  </section>
);

const jsonOf = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? ""));
