import { GitFork, RotateCcw } from "lucide-react";
import { memo } from "react";
import type { ReactNode } from "react";
import type { PendingCall, RemotePart } from "undangle/client";

import { Badge } from "../../parts/badge.tsx";
import { isImported } from "../../parts/call-states.ts";
import { useCopy } from "../../parts/controls/copy-button.tsx";
import { ExactText } from "../../parts/text/exact-text.tsx";
import { Media } from "../../parts/text/media.tsx";
import { Time } from "../../parts/moment.tsx";
import { useTexts } from "../../texts/language.tsx";
import { runTexts } from "../../texts/run-texts.ts";
import { threadTexts } from "../../texts/thread-texts.ts";
import { CallCard } from "./call-card.tsx";
import { MessageText, PlainText } from "./message-text.tsx";
import { Thinking } from "./run-notes.tsx";
import { SubAgent } from "./sub-agent.tsx";
import type { ShownCall, ShownEntry } from "../feed/thread-state.ts";

interface EntryViewProps {
  readonly threadId: string;
  readonly entry: ShownEntry;
  /** True while the model writes it. */
  readonly isLive: boolean;
  readonly discarded: readonly string[];
  readonly activity: Readonly<Record<string, string>>;
  readonly pending: readonly PendingCall[];
  /** The id of the call that the address names. */
  readonly linked: string;
  /** How often the thread was read. */
  readonly reads: number;
  readonly onFork?: ((entry: number) => void) | undefined;
  /** Present on the last turn of a thread at rest. */
  readonly onRetry?: (() => void) | undefined;
}

/** A message or a turn of the conversation. */
export const EntryView = memo(function EntryView(props: EntryViewProps) {
  const texts = useTexts(threadTexts);
  const { entry, linked } = props;
  if (entry.retracted === true)
    return (
      <details
        open={entry.calls.some(({ id }) => id === linked)}
        className="rounded-lg border border-dashed border-line px-3 py-2 text-sm text-muted"
      >
        <summary>{texts.retracted}</summary>
        <div className="mt-2">
          <Content {...props} />
        </div>
      </details>
    );
  return <Content {...props} />;
});

function Content(props: EntryViewProps) {
  const texts = useTexts(threadTexts);
  const { entry } = props;
  switch (entry.type) {
    case "system":
      return (
        <details className="rounded-lg border border-line px-3 py-2 text-sm text-muted">
          <summary>{texts.system}</summary>
          <PlainText text={textOf(entry)} />
        </details>
      );
    case "input":
      return <Message {...props} />;
    case "turn":
      return <Turn {...props} />;
  }
}

function Message({ entry, onFork }: EntryViewProps) {
  const texts = useTexts(threadTexts);
  const isEngine = entry.by_engine === true;
  return (
    <div
      role="group"
      aria-label={isEngine ? texts.engine : texts.you}
      className={`group flex min-w-0 flex-col ${isEngine ? "items-start" : "items-end"}`}
    >
      <div
        className={`max-w-[min(100%,42rem)] min-w-0 rounded-2xl px-4 py-2 ${
          isEngine ? "border border-line bg-surface text-muted" : "bg-accent-soft"
        } ${entry.queued === true ? "border border-dashed border-control bg-surface" : ""}`}
      >
        {isEngine && <p className="text-xs font-medium">{texts.engine}</p>}
        {entry.parts.map((part, i) =>
          part.type === "media" ? (
            <Media key={i} kind={part.kind} url={part.url} name={part.name} />
          ) : (
            "text" in part && <PlainText key={i} text={part.text} />
          ),
        )}
      </div>
      {entry.queued === true ? (
        <p className="mt-1">
          <Badge tone="warn">{texts.queued}</Badge>
        </p>
      ) : (
        <Actions entry={entry} onFork={onFork} />
      )}
    </div>
  );
}

function Turn({
  threadId,
  entry,
  isLive,
  discarded,
  activity,
  pending,
  linked,
  reads,
  onFork,
  onRetry,
}: EntryViewProps) {
  const texts = useTexts(threadTexts);
  const part = (each: RemotePart, i: number): ReactNode => {
    switch (each.type) {
      case "text":
        return <MessageText key={i} text={each.text} />;
      case "reasoning":
        return <Reasoning key={i} text={each.text} isWriting={isLive && i === entry.parts.length - 1} />;
      case "media":
        return <Media key={i} kind={each.kind} url={each.url} name={each.name} />;
      case "call": {
        const call = entry.calls.find(({ id }) => id === each.id);
        if (call === undefined) return null;
        return (
          <CallCard
            key={each.id}
            call={call}
            isImported={isImported(entry)}
            pending={pending.find(({ id }) => id === each.id)}
            isLinked={linked === each.id}
          >
            {isDelegated(call, activity) && (
              <SubAgent threadId={threadId} call={call} activity={activity[each.id]} reads={reads} show={EntryView} />
            )}
          </CallCard>
        );
      }
    }
  };
  return (
    <div role="group" aria-label={entry.model} className="group min-w-0">
      {discarded.map((reason, i) => (
        <p key={i} className="text-sm text-muted">
          <ExactText text={texts.discarded(reason)} />
        </p>
      ))}
      <div className="flex min-w-0 flex-col gap-2">{entry.parts.map(part)}</div>
      {isLive && entry.parts.length === 0 && <Thinking />}
      {!isLive && <Ending entry={entry} />}
      {!isLive && <Actions entry={entry} onFork={onFork} onRetry={onRetry} />}
    </div>
  );
}

/** True if an agent runs the call on a thread of its own. */
const isDelegated = ({ id, thread, status }: ShownCall, activity: Readonly<Record<string, string>>): boolean =>
  thread !== undefined || status === "delegated" || activity[id] !== undefined;

/** How a turn ended, if it did not end by itself. */
function Ending({ entry: { finish, parts } }: { readonly entry: ShownEntry }) {
  const texts = useTexts(runTexts);
  const isUsual = finish === undefined || finish === "stop" || finish === "tool_calls";
  if (isUsual) return parts.length > 0 ? null : <p className="text-sm text-muted">{texts.emptyTurn}</p>;
  return <p className="text-sm text-warn">{texts.finishes[finish] ?? texts.otherFinish(finish)}</p>;
}

/** Folded, because most people do not need it. While the model reasons, its last words are in the same line. */
function Reasoning({ text, isWriting }: { readonly text: string; readonly isWriting: boolean }) {
  const texts = useTexts(threadTexts);
  return (
    <details className="group/reasoning min-w-0 text-sm text-muted">
      <summary className="flex min-h-6 min-w-0 items-center gap-2 rounded hover:text-ink pointer-coarse:min-h-11">
        <span aria-hidden className="transition-transform group-open/reasoning:rotate-90">
          ›
        </span>
        {texts.reasoning}
        {isWriting && (
          <span dir="rtl" aria-hidden className="min-w-0 flex-1 truncate text-left group-open/reasoning:hidden">
            <ExactText text={text.slice(-120)} />
          </span>
        )}
      </summary>
      <div className="mt-1 border-l-2 border-line pl-3">
        <PlainText text={text} />
      </div>
    </details>
  );
}

interface ActionsProps {
  readonly entry: ShownEntry;
  readonly onFork: ((entry: number) => void) | undefined;
  readonly onRetry?: (() => void) | undefined;
}

/** What a person can do with an entry, and its facts. Its height does not change. */
function Actions({ entry, onFork, onRetry }: ActionsProps) {
  const texts = useTexts(threadTexts);
  const text = textOf(entry);
  const { copy, label, Icon: CopyIcon } = useCopy(text, texts.copy);
  return (
    <div
      className={`mt-1 flex min-h-8 flex-wrap items-center gap-1 text-xs text-muted ${entry.type === "input" ? "flex-row-reverse" : ""}`}
    >
      {text !== "" && (
        <IconButton label={label} onClick={copy}>
          <CopyIcon size={14} aria-hidden />
        </IconButton>
      )}
      {onFork !== undefined && (
        <IconButton label={texts.fork} onClick={() => onFork(entry.entry)}>
          <GitFork size={14} aria-hidden />
        </IconButton>
      )}
      {onRetry !== undefined && (
        <IconButton label={texts.retry} onClick={onRetry}>
          <RotateCcw size={14} aria-hidden />
        </IconButton>
      )}
      <span className="mx-1 inline-flex flex-wrap gap-x-2 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100">
        {entry.at !== undefined && <Time at={entry.at} />}
        {entry.type === "turn" && entry.model !== undefined && <ExactText text={entry.model} />}
        {entry.tokens !== undefined && <span>{texts.tokens(entry.tokens.inputTokens, entry.tokens.outputTokens)}</span>}
      </span>
    </div>
  );
}

function IconButton({
  label,
  onClick,
  children,
}: {
  readonly label: string;
  readonly onClick: () => void;
  readonly children: ReactNode;
}) {
  return (
    <button
      type="button"
      title={label}
      aria-label={label}
      onClick={({ detail }) => detail < 2 && onClick()} // a double click acts once
      className="inline-flex size-8 items-center justify-center rounded text-muted hover:bg-raised hover:text-ink pointer-coarse:size-10"
    >
      {children}
    </button>
  );
}

/** The text of an entry, without reasoning. */
export const textOf = ({ parts }: Pick<ShownEntry, "parts">): string =>
  parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
