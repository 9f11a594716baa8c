import { useEffect, useId, useImperativeHandle, useReducer, useRef } from "react";
import type { FormEvent, Ref } from "react";
import { flushSync } from "react-dom";
import { ServerRefusal } from "undangle/client";

import { useKeyName } from "../api/people.ts";
import { decide, refusedCall } from "../card/decide.ts";
import type { Decision, FailedDecision } from "../card/decide.ts";
import { GuardedButton } from "../parts/controls/guarded-button.tsx";
import { inputLook, progressLook } from "../parts/looks.ts";
import { toolCounts } from "../card/call-rows.tsx";
import { DestructiveBadge, isDestructive } from "../card/contents/card-details.tsx";
import { useConfirmAll } from "../card/panel.tsx";
import { Button } from "../parts/controls/button.tsx";
import { ExactText } from "../parts/text/exact-text.tsx";
import { cardTexts } from "../texts/card-texts.ts";
import type { CardTexts } from "../texts/card-texts.ts";
import { inboxTexts } from "../texts/inbox-texts.ts";
import { useList, useTexts } from "../texts/language.tsx";
import { shellTexts } from "../texts/shell-texts.ts";
import { stateTexts } from "../texts/state-texts.ts";
import type { CallPhase } from "../texts/state-texts.ts";
import { bulkPhaseAfter } from "./bulk-phase.ts";
import type { BulkPhase, BulkReport } from "./bulk-phase.ts";
import { versionOf } from "./inbox-lines.ts";
import type { InboxLine } from "./inbox-lines.ts";

/** What the keys A and R do. */
export interface BulkHandle {
  readonly approve: () => void;
  readonly reject: () => void;
}

interface BulkBarProps {
  /** The selected lines. */
  readonly lines: readonly InboxLine[];
  readonly onDeselect: (lines: readonly InboxLine[]) => void;
  readonly ref?: Ref<BulkHandle>;
}

/** Requests at a time. Each decides all selected calls of one thread. */
const lanes = 4;

/** One decision for the selected calls. Failures of single calls are listed. */
export function BulkBar({ lines, onDeselect, ref }: BulkBarProps) {
  const texts = useTexts(inboxTexts);
  const { untitled } = useTexts(shellTexts);
  const listOf = useList();
  const toolsOf = (wanted: readonly InboxLine[]): string =>
    listOf([...new Set(wanted.map(({ call }) => call.name))].slice(0, 8));
  const [phase, act] = useReducer(bulkPhaseAfter, { type: "choosing" } satisfies BulkPhase);
  const [approveButton, rejectButton] = [useRef<HTMLButtonElement>(null), useRef<HTMLButtonElement>(null)];
  const inputId = useId();
  const input = useRef<HTMLInputElement>(null);
  const section = useRef<HTMLElement>(null);
  const approvable = lines.filter(({ call }) => call.decisions.includes("approve"));
  const rejectable = lines.filter(({ call }) => call.decisions.includes("reject"));
  const hasRejectable = rejectable.length > 0;
  const isSending = phase.type === "sending";
  const isWriting = phase.type === "writing" && hasRejectable;
  const report = isSending ? undefined : phase.report;
  useEffect(() => {
    const { activeElement } = document;
    const isHere = activeElement === document.body || activeElement === section.current; // and not elsewhere meanwhile
    if (isHere) (isWriting ? input.current : section.current)?.focus();
  }, [isWriting]);
  const startWriting = (): void => {
    if (!hasRejectable || isSending) return;
    flushSync(() => act({ type: "write" }));
    input.current?.focus();
  };
  useImperativeHandle(ref, () => ({ approve: () => approveButton.current?.click(), reject: startWriting }));
  useEffect(() => {
    if (!hasRejectable) act({ type: "drop-reason" }); // a reason belongs to the calls that were selected when it was written
  }, [hasRejectable]);
  const isOutdated = report?.failures.length === 0 && lines.length > 0;
  if (isOutdated) act({ type: "dismiss-report" }); // the person continues with other calls
  const send = async (decision: Decision, wanted: readonly InboxLine[]): Promise<void> => {
    act({ type: "send", all: wanted.length });
    const refused = new Set<InboxLine["call"]>();
    const byThread = Object.values(Object.groupBy(wanted, ({ threadId }) => threadId));
    const groups = byThread.values(); // one iterator for all lanes
    const work = async (): Promise<void> => {
      for (const group of groups) {
        const [first] = group ?? [];
        if (group === undefined || first === undefined) continue;
        const calls = group.map(({ call }) => ({ call, decision }));
        const failed = await decide(first.threadId, calls);
        for (const { call } of failed) refused.add(call);
        const failures = failed.map((each) => ({ ...each, title: first.threadTitle ?? untitled }));
        act({ type: "decided", count: calls.length, failures });
      }
    };
    await Promise.all(Array.from({ length: lanes }, work));
    onDeselect(wanted.filter(({ call }) => !refused.has(call))); // what was refused can be sent again
    act({ type: "finish" });
  };
  const approveName = texts.approveSelected(approvable.length, toolsOf(approvable));
  const confirm = useConfirmAll(
    approvable.map(({ call }) => call),
    approveName,
  );
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    rejectButton.current?.click();
  };
  if (lines.length === 0 && !isSending && report === undefined) return null;
  return (
    <section
      ref={section}
      tabIndex={-1}
      aria-label={texts.selected(lines.length)}
      className="max-h-[60%] flex-none overflow-auto border-t border-line bg-surface outline-none"
    >
      <div className="mx-auto flex max-w-6xl flex-col gap-2 p-3 sm:px-4">
        {lines.length > 0 && !isSending && (
          <div className="flex flex-wrap items-center gap-2">
            <SelectedTools lines={lines} />
            {approvable.length > 0 && (
              <GuardedButton
                key={approvable.map(versionOf).join()}
                ref={approveButton}
                look="main"
                name={approveName}
                confirm={confirm}
                onAct={() => void send({ type: "approve" }, approvable)}
              >
                {texts.approve(approvable.length)}
              </GuardedButton>
            )}
            {hasRejectable && phase.type === "choosing" && (
              <Button aria-label={texts.rejectSelected(rejectable.length, toolsOf(rejectable))} onClick={startWriting}>
                {texts.reject(rejectable.length)} …
              </Button>
            )}
            <Button look="quiet" onClick={() => onDeselect(lines)}>
              {texts.clear}
            </Button>
          </div>
        )}
        {isWriting && (
          <form className="flex flex-wrap items-end gap-2" onSubmit={onSubmit}>
            <label htmlFor={inputId} className="w-full text-sm">
              {texts.reason}
            </label>
            <input
              id={inputId}
              ref={input}
              className={`${inputLook} max-w-md flex-1`}
              autoComplete="off"
              value={phase.reason}
              onChange={({ target }) => act({ type: "edit", reason: target.value })}
              onKeyDown={(event) => {
                if (event.key === "Enter" && event.repeat) event.preventDefault();
                if (event.key === "Escape") act({ type: "drop-reason" });
              }}
            />
            <GuardedButton
              key={rejectable.map(versionOf).join()}
              ref={rejectButton}
              look="danger"
              name={texts.rejectSelected(rejectable.length, toolsOf(rejectable))}
              onAct={() => void send(rejection(phase.reason), rejectable)}
            >
              {texts.reject(rejectable.length)}
            </GuardedButton>
          </form>
        )}
        {isSending && <Progress done={phase.done} all={phase.all} />}
        {report !== undefined && <Report report={report} onDismiss={() => act({ type: "dismiss-report" })} />}
      </div>
    </section>
  );
}

function rejection(written: string): Decision {
  const reason = written.trim();
  return { type: "reject", ...(reason !== "" && { reason }) };
}

/** The tools of the selected calls with their counts, and those that one of the buttons leaves out. */
function SelectedTools({ lines }: Pick<BulkBarProps, "lines">) {
  const texts = useTexts(inboxTexts);
  const listOf = useList();
  const calls = lines.map(({ call }) => call);
  const tools = [...Map.groupBy(calls, ({ name }) => name).values()].sort((one, other) => other.length - one.length);
  const without = (decision: "approve" | "reject"): string =>
    listOf(toolCounts(calls.filter(({ decisions }) => !decisions.includes(decision))));
  const [unapproved, unrejected] = [without("approve"), without("reject")];
  return (
    <div tabIndex={0} className="max-h-15 w-full overflow-auto text-sm">
      <div className="flex flex-wrap gap-x-3">
        <p className="font-medium">{texts.selected(lines.length)}</p>
        <ul className="contents">
          {tools.map((same) => (
            <li key={same[0]?.name} className="inline-flex min-w-0 items-center gap-1 break-all">
              <ExactText text={toolCounts(same).join("")} />
              <DestructiveBadge call={same.find(isDestructive) ?? {}} />
            </li>
          ))}
        </ul>
      </div>
      <p className="text-warn empty:hidden">
        {unapproved !== "" && <ExactText text={texts.cannotApprove(unapproved)} />}
      </p>
      <p className="text-warn empty:hidden">
        {unrejected !== "" && <ExactText text={texts.cannotReject(unrejected)} />}
      </p>
    </div>
  );
}

function Progress({ done, all }: { readonly done: number; readonly all: number }) {
  const texts = useTexts(inboxTexts);
  return (
    <label className="flex items-center gap-2 text-sm" aria-live="polite">
      <progress value={done} max={all} className={`${progressLook} w-32`} /> {texts.progress(done, all)}
    </label>
  );
}

function Report({ report, onDismiss }: { readonly report: BulkReport; readonly onDismiss: () => void }) {
  const texts = useTexts(inboxTexts);
  const words = useTexts(cardTexts);
  const { states } = useTexts(stateTexts);
  const nameOf = useKeyName();
  const { all, failures } = report;
  return (
    <div role="status" className="flex flex-col gap-1 text-sm">
      <div className="flex items-center gap-2">
        <span className="mr-auto">{texts.finished(all - failures.length)}</span>
        <Button look="quiet" onClick={onDismiss}>
          {texts.dismiss}
        </Button>
      </div>
      {failures.length > 0 && (
        <>
          <p className="text-bad">{texts.failures(failures.length)}</p>
          <ul className="max-h-40 overflow-auto" tabIndex={0}>
            {failures.map(({ title, ...failed }, i) => (
              <li key={i}>
                <ExactText
                  text={`${failed.call.name} (${failed.call.id}), ${title}: ${reasonOf(failed, { words, states, nameOf })}`}
                />
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

interface Words {
  readonly words: CardTexts;
  readonly states: Readonly<Record<CallPhase, string>>;
  readonly nameOf: (by: string) => string;
}

/** Why a decision was not accepted: what was decided before and by whom, if another person was faster. */
function reasonOf({ call, error }: FailedDecision, { words, states, nameOf }: Words): string {
  const { decision, status } = refusedCall(error, call) ?? {};
  if (decision !== undefined)
    return words.decided(decision.type, { by: decision.by && nameOf(decision.by), isHere: false });
  if (status !== undefined && status !== "awaiting") return states[status];
  return error instanceof ServerRefusal ? error.message : words.notConfirmed;
}
