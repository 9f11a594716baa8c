import { ChevronDown, ChevronRight, Clock } from "lucide-react";
import { memo } from "react";
import type { Ref } from "react";
import { Link } from "wouter";

import { useQueue } from "../api/queue.ts";
import { ApprovalCard } from "../card/approval-card.tsx";
import type { CardHandle } from "../card/approval-card.tsx";
import { Countdown } from "../card/card-details.tsx";
import { useDeciding } from "../card/decide.ts";
import { summaryOf } from "../card/schema-fields.ts";
import { ThreadCalls } from "../card/thread-calls.tsx";
import { Badge } from "../parts/badge.tsx";
import { ExactText } from "../parts/exact-text.tsx";
import { AgoAt } from "../parts/moment.tsx";
import { threadPlace } from "../shell/thread-list.tsx";
import { inboxTexts } from "../texts/inbox-texts.ts";
import { useTexts } from "../texts/language.tsx";
import { soon } from "./inbox-lines.ts";
import type { InboxLine } from "./inbox-lines.ts";

export interface LineProps {
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
  const { call, threadId, threadTitle, agents, since } = line;
  const { id, name, title, rule, deadline, decisions } = call;
  const deciding = useDeciding(threadId, call);
  const Chevron = isOpen ? ChevronDown : ChevronRight;
  return (
    <li
      data-line={line.key}
      className={`border-b border-line last:border-b-0 ${isOpen ? "bg-accent-soft/40" : isSelected ? "bg-accent-soft" : ""}`}
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
          <div className="flex min-w-0 flex-col gap-x-3 lg:flex-row lg:items-baseline">
            <button
              type="button"
              aria-expanded={isOpen}
              className="group flex min-w-0 flex-1 flex-wrap items-baseline gap-2 rounded py-1 text-left sm:flex-nowrap"
              onClick={() => onOpen(line)}
            >
              <span className="sr-only">{texts.openCall(name, id)}</span>
              <Chevron size={16} aria-hidden className="flex-none self-center text-muted" />
              <span className="max-w-[60%] flex-none truncate font-medium">
                <ExactText text={title ?? name} />
              </span>
              {!isOpen && (
                <span className="min-w-0 flex-1 truncate text-sm text-muted">
                  <ExactText text={summaryOf(call.arguments)} />
                </span>
              )}
              {!isOpen && isWaiting && mayDecide && deciding === undefined && (
                <span className="max-sm:basis-full max-sm:pl-6">
                  <span className="inline-block rounded-md border border-control bg-surface px-2 py-0.5 text-sm whitespace-nowrap group-hover:bg-raised max-sm:py-1.5">
                    {decisions.includes("approve") ? texts.decide : texts.decideOther}
                  </span>
                </span>
              )}
            </button>
            <span className="flex flex-none items-center gap-2 pl-6 text-sm text-muted tabular-nums lg:pl-0">
              {line.risk !== "other" && (
                <Badge tone={line.risk === "destructive" ? "bad" : line.risk === "edits" ? "accent" : "good"}>
                  {texts.risks[line.risk]}
                </Badge>
              )}
              {deciding?.phase === "sending" && <Badge tone="accent">{texts.sending}</Badge>}
              {!isOpen && deadline !== undefined && (
                <span className={`inline-flex items-center gap-1 ${deadline - now <= soon ? "text-warn" : ""}`}>
                  <Clock size={13} aria-hidden /> <Countdown at={deadline} />
                </span>
              )}
              <AgoAt at={since} now={Math.max(now, since)} />
            </span>
          </div>
          <p className="flex min-w-0 flex-wrap items-baseline gap-x-2 pl-6 text-sm text-muted">
            <Link
              href={`${threadPlace(threadId)}#${encodeURIComponent(id)}`}
              className="max-w-full truncate py-0.5 text-accent underline-offset-2 hover:underline pointer-coarse:py-2"
            >
              <ExactText text={threadTitle ?? texts.untitled} />
            </Link>
            <span className="max-w-full truncate">
              <ExactText text={texts.by(agents.join(" › "))} />
            </span>
            {rule !== undefined && (
              <span className="max-w-full truncate">
                <ExactText text={rule.reason ?? texts.rule(rule.from)} />
              </span>
            )}
          </p>
        </div>
      </div>
      {isOpen && (
        <div className="flex flex-col gap-3 px-2 pb-3 sm:px-3 sm:pl-12">
          <ApprovalCard threadId={threadId} call={call} ref={card} />
          <OpenThreadCalls threadId={threadId} />
        </div>
      )}
    </li>
  );
});

/** The calls of the thread of an open card. */
function OpenThreadCalls({ threadId }: { readonly threadId: string }) {
  const pending = useQueue().threads.find(({ id }) => id === threadId)?.pending ?? [];
  return <ThreadCalls threadId={threadId} pending={pending} />;
}
