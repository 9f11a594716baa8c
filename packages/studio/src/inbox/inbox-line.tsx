import { ChevronDown, ChevronRight, Clock } from "lucide-react";
import { memo } from "react";
import type { Ref } from "react";
import type { PendingCall } from "undangle/client";
import { Link } from "wouter";

import { useQueue } from "../api/queue.ts";
import { useScopes } from "../api/session.ts";
import { ApprovalCard } from "../card/approval-card.tsx";
import type { CardHandle } from "../card/approval-card.tsx";
import { Countdown } from "../card/contents/card-details.tsx";
import { useDeciding } from "../card/decide.ts";
import { summaryOf } from "../card/edit/schema-fields.ts";
import { ThreadCalls } from "../card/thread-calls.tsx";
import { Badge } from "../parts/badge.tsx";
import { ExactText } from "../parts/text/exact-text.tsx";
import { AgoAt } from "../parts/moment.tsx";
import { threadPlace } from "../shell/address.ts";
import { inboxTexts } from "../texts/inbox-texts.ts";
import { useList, useTexts } from "../texts/language.tsx";
import { shellTexts } from "../texts/shell-texts.ts";
import { CallContext } from "./call-context.tsx";
import { soon } from "./inbox-lines.ts";
import type { InboxLine } from "./inbox-lines.ts";

interface LineProps {
  readonly line: InboxLine;
  readonly now: number;
  readonly isOpen: boolean;
  readonly isSelected: boolean;
  /** False if it no longer waits, and is shown only because its card is open. */
  readonly isWaiting: boolean;
  readonly mayDecide: boolean;
  readonly onOpen: (line: InboxLine) => void;
  readonly onSelect: (line: InboxLine) => void;
  /** The open card. */
  readonly card: Ref<CardHandle>;
}

/** A pending call in one line. Opening it shows its card in place. */
export const Line = memo(function Line(props: LineProps) {
  const { line, now, isOpen, isSelected, isWaiting, mayDecide, onOpen, onSelect, card } = props;
  const texts = useTexts(inboxTexts);
  const { untitled } = useTexts(shellTexts);
  const listOf = useList();
  const { call, threadId, threadTitle, agents, since } = line;
  const { id, name, title, rule, deadline, decisions } = call;
  const deciding = useDeciding(threadId, call);
  const { mayRead } = useScopes();
  const Chevron = isOpen ? ChevronDown : ChevronRight;
  return (
    <li
      data-line={line.key}
      className={`@container border-b border-line last:border-b-0 ${isOpen ? "bg-accent-soft/40" : isSelected ? "bg-accent-soft" : ""}`}
    >
      <div className="flex items-start gap-1 px-2 sm:px-3">
        <label className="flex min-h-11 w-8 flex-none items-center justify-center">
          <input
            type="checkbox"
            className="size-4"
            aria-label={texts.select(name, id)}
            disabled={!isWaiting}
            checked={isSelected}
            onChange={() => onSelect(line)}
          />
        </label>
        <div className="min-w-0 flex-1 py-1.5">
          <button
            type="button"
            aria-expanded={isOpen}
            className="group flex w-full min-w-0 flex-wrap items-start gap-x-2 gap-y-1 rounded py-1 text-left @lg:flex-nowrap"
            onClick={() => onOpen(line)}
          >
            <span className="sr-only">{texts.openCall(name, id)}</span>
            <Chevron size={16} aria-hidden className="mt-1 flex-none text-muted" />
            <span className="line-clamp-4 min-w-0 flex-1 break-words">
              <span className="mr-2 font-medium">
                <ExactText text={title ?? name} />
              </span>
              {!isOpen && (
                <span className="text-sm text-muted">
                  <ExactText text={summaryOf(call.arguments)} />
                </span>
              )}
            </span>
            {!isOpen && isWaiting && mayDecide && decisions.length > 0 && deciding === undefined && (
              <span className="flex-none @max-lg:basis-full @max-lg:pl-6">
                <span className="inline-block rounded-md border border-control bg-surface px-2 py-0.5 text-sm whitespace-nowrap group-hover:bg-raised max-sm:py-1.5">
                  {decisions.includes("approve") ? texts.decide : texts.decideOther}
                </span>
              </span>
            )}
          </button>
          <p className="flex min-w-0 flex-wrap items-center gap-x-2 pl-6 text-sm text-muted">
            {!isOpen && line.risk !== "other" && (
              <Badge tone={line.risk === "destructive" ? "bad" : line.risk === "edits" ? "accent" : "good"}>
                {texts.risks[line.risk]}
              </Badge>
            )}
            {deciding?.phase === "sending" && <Badge tone="accent">{texts.sending}</Badge>}
            {mayRead ? (
              <Link
                href={`${threadPlace(threadId)}#${encodeURIComponent(id)}`}
                className="max-w-full truncate py-0.5 text-accent underline-offset-2 hover:underline pointer-coarse:py-2"
              >
                <ExactText text={threadTitle ?? untitled} />
              </Link>
            ) : (
              <span className="max-w-full truncate py-0.5 pointer-coarse:py-2">
                <ExactText text={threadTitle ?? untitled} />
              </span>
            )}
            {!isOpen && (
              <>
                <span className="max-w-full truncate">
                  <ExactText text={texts.by(agents.join(" › "))} />
                </span>
                {rule !== undefined && (
                  <span className="max-w-full truncate">
                    <ExactText text={texts.stoppedBy(rule.from, ruleDetail(call, listOf))} />
                  </span>
                )}
                {deadline !== undefined && (
                  <span
                    className={`inline-flex items-center gap-1 tabular-nums ${deadline - now <= soon ? "text-warn" : ""}`}
                  >
                    <Clock size={13} aria-hidden /> <Countdown at={deadline} />
                  </span>
                )}
              </>
            )}
            <span className="ml-auto tabular-nums">
              <AgoAt at={since} now={Math.max(now, since)} />
            </span>
          </p>
        </div>
      </div>
      {isOpen && (
        <div className="flex flex-col gap-3 px-2 pb-3 sm:px-3 sm:pl-12">
          <CallContext threadId={threadId} call={call} />
          <ApprovalCard threadId={threadId} call={call} ref={card} hasTitle={false} />
          <OpenThreadCalls threadId={threadId} />
        </div>
      )}
    </li>
  );
});

/** Why the rule stopped the call: its reason, or the tools that it is about if it names more than this one. */
function ruleDetail({ rule, name }: PendingCall, listOf: (names: readonly string[]) => string): string | undefined {
  if (rule === undefined || rule.reason !== undefined) return rule?.reason;
  return rule.from === "tool" || rule.tools.every((tool) => tool === name) ? undefined : listOf(rule.tools);
}

/** The calls of the thread of an open card. */
function OpenThreadCalls({ threadId }: { readonly threadId: string }) {
  const pending = useQueue().threads.find(({ id }) => id === threadId)?.pending ?? [];
  return <ThreadCalls threadId={threadId} pending={pending} />;
}
