import type { CallView, PendingCall } from "undangle/client";

import { useScopes } from "../api/session.ts";
import { ExactText } from "../parts/text/exact-text.tsx";
import { progressLook } from "../parts/looks.ts";
import { StateBadge } from "../parts/state-badge.tsx";
import { cardTexts } from "../texts/card-texts.ts";
import { useList, useTexts } from "../texts/language.tsx";
import { decide, isDecidedHere, usePhaseHere } from "./decide.ts";
import type { Decision } from "./decide.ts";
import { GuardedButton } from "../parts/controls/guarded-button.tsx";
import { CallRows } from "./call-rows.tsx";
import { useConfirmAll } from "./panel.tsx";
import { summaryOf } from "./edit/schema-fields.ts";

interface GroupBarProps {
  readonly threadId: string;
  /** The pending calls of the thread. */
  readonly calls: readonly PendingCall[];
  /** All calls of the same turn, in any state. Those that do not wait are shown beside the cards. */
  readonly turn: readonly CallView[];
}

/** The calls of the turn that waits, without those whose sub-agents wait: the pending calls of these are in the list. */
export const waitingTurn = (entries: readonly { readonly calls: readonly CallView[] }[]): readonly CallView[] =>
  entries.findLast(({ calls }) => calls.length > 0)?.calls.filter(({ status }) => status !== "delegated") ?? [];

/** True if a person had to decide about a call, and not for one that ran by itself. */
const neededDecision = ({ decision, status }: CallView): boolean => decision !== undefined || status === "expired";

const isApprovedOrRejected = ({ decisions }: PendingCall): boolean =>
  decisions.includes("approve") || decisions.includes("reject");

/** How many calls of a turn are decided, the calls that do not wait, and one decision for the others. */
export function GroupBar({ threadId, calls, turn }: GroupBarProps) {
  const texts = useTexts(cardTexts);
  const listOf = useList();
  const { mayDecide } = useScopes();
  const phaseHere = usePhaseHere();
  const waiting = new Set(calls.map(({ id }) => id));
  const others = turn.filter(({ id }) => !waiting.has(id));
  const needed = calls.length + others.filter(neededDecision).length;
  const accepted = calls.filter((call) => phaseHere(threadId, call) === "accepted"); // a decision on its way may never arrive
  const decided = accepted.length + others.filter(({ decision }) => decision !== undefined).length;
  const open = calls.filter((call) => !isDecidedHere(threadId, call));
  const approvable = open.filter(({ decisions }) => decisions.includes("approve"));
  const rejectable = open.filter(({ decisions }) => decisions.includes("reject"));
  /** Other calls under the same button start its protection again. */
  const versions = (list: readonly PendingCall[]): string => list.map(({ id, digest }) => `${id} ${digest}`).join();
  const names = (list: readonly PendingCall[]): string => listOf([...new Set(list.map(({ name }) => name))]);
  const approveName = `${texts.approveAll(approvable.length)}: ${names(approvable)}`;
  const confirm = useConfirmAll(approvable, approveName);
  if (calls.length + others.length < 2) return null;
  const hasButtons = mayDecide && (approvable.length > 1 || rejectable.length > 1);
  const decideAll = (list: readonly PendingCall[], decision: Decision): void =>
    void decide(
      threadId,
      list.map((call) => ({ call, decision })),
    );
  return (
    <section aria-label={texts.group} className="flex flex-col gap-2 rounded-lg border border-line bg-surface p-3">
      {hasButtons && <CallRows calls={open.filter(isApprovedOrRejected)} />}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <label className="flex min-w-52 flex-1 items-center gap-2 text-sm max-sm:basis-full">
          <progress value={decided} max={needed} className={`${progressLook} w-24 flex-none`} />
          {texts.progress(decided, needed)}
        </label>
        {mayDecide && approvable.length > 1 && (
          <GuardedButton
            key={`approve ${versions(approvable)}`}
            className={`self-stretch max-sm:flex-1 sm:max-w-72 ${confirm === undefined ? "" : "max-sm:basis-full"}`}
            name={approveName}
            confirm={confirm}
            onAct={() => decideAll(approvable, { type: "approve" })}
          >
            {texts.approveAll(approvable.length)}
          </GuardedButton>
        )}
        {mayDecide && rejectable.length > 1 && (
          <GuardedButton
            key={`reject ${versions(rejectable)}`}
            className="self-stretch max-sm:flex-1"
            name={`${texts.rejectAll(rejectable.length)}: ${names(rejectable)}`}
            onAct={() => decideAll(rejectable, { type: "reject" })}
          >
            {texts.rejectAll(rejectable.length)}
          </GuardedButton>
        )}
      </div>
      {others.length > 0 && (
        <ul aria-label={texts.siblings} className="flex flex-col gap-1 text-sm">
          {others.map((call) => (
            <li key={call.id} className="flex min-w-0 flex-wrap items-center gap-x-2">
              <code className="font-mono">
                <ExactText text={call.name} />
              </code>
              <StateBadge call={call} />
              <span className="min-w-0 flex-1 truncate text-muted">
                <ExactText text={summaryOf(call.arguments, 100)} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
