import { Braces, Clock, ListTree } from "lucide-react";
import { useEffect, useImperativeHandle, useRef, useState } from "react";
import type { FocusEvent, KeyboardEvent, Ref, RefObject } from "react";
import type { PendingCall } from "undangle/client";

import { usePersonas } from "../api/personas.ts";
import { useQueue } from "../api/queue.ts";
import { Badge } from "../parts/badge.tsx";
import { Button } from "../parts/controls/button.tsx";
import { ExactText } from "../parts/text/exact-text.tsx";
import { JsonText } from "../parts/text/folded-text.tsx";
import { isPageKey, meantKey } from "../parts/controls/page-keys.ts";
import { leavesElement } from "../parts/focus.ts";
import { isInSight } from "../parts/in-sight.ts";
import { cardTexts } from "../texts/card-texts.ts";
import { useTexts } from "../texts/language.tsx";
import { CardActions } from "./card-actions.tsx";
import type { PanelName } from "./card-actions.tsx";
import { dropDrafts, useDrafts } from "./card-drafts.ts";
import { AuthorText } from "./contents/author-text.tsx";
import { Countdown, DestructiveBadge, isInTask, Requester } from "./contents/card-details.tsx";
import { decide } from "./decide.ts";
import { isEditable } from "./edit/edit-panel.tsx";
import { RenderedCall } from "./contents/rendered-call.tsx";
import { isRecord } from "../parts/json-record.ts";
import { ShownArguments } from "./contents/shown-arguments.tsx";
import { isKnownDecided, useCardState } from "./card-state.ts";
import { WhyStopped } from "./contents/why-stopped.tsx";

/** What keys do with a card. Each does the same as its button. */
export interface CardHandle {
  readonly approve: () => void;
  readonly reject: () => void;
  readonly edit: () => void;
  readonly toggleRaw: () => void;
}

interface ApprovalCardProps {
  readonly threadId: string;
  readonly call: PendingCall;
  readonly ref?: Ref<CardHandle>;
  /** False if the title is right above the card. */
  readonly hasTitle?: boolean;
  /** Called when the person removes a card that no longer waits. */
  readonly onDismiss?: (() => void) | undefined;
  /** Called after the form of a decision opened. */
  readonly onForm?: (() => void) | undefined;
}

/** A pending call: what will happen, why it was stopped, and the decisions that its rule permits. */
export function ApprovalCard({ threadId, call: given, ref, hasTitle = true, onDismiss, onForm }: ApprovalCardProps) {
  const texts = useTexts(cardTexts);
  const [shown, setCall] = useState(given); // stays as it was shown, until the person asks for the new version
  const call = given.digest === shown.digest ? given : shown; // the accepted decisions change with the agent of the thread
  const cardState = useCardState(threadId, call, given);
  const [isRaw, setIsRaw] = useState(false);
  const [panel, setPanel] = useState<PanelName>();
  const drafting = useDrafts(threadId, call);
  const isDecided = isKnownDecided(cardState);
  useEffect(() => {
    if (isDecided) dropDrafts(threadId, call); // another person or tab decided
  }, [isDecided]);
  useEffect(() => {
    if (panel !== undefined) onForm?.();
  }, [panel]);
  const approve = useRef<HTMLButtonElement>(null);
  const section = useRef<HTMLElement>(null);
  const tools = useToolsOf(threadId, call);
  const isOpen = cardState.phase === "open";
  const isOver = cardState.phase === "gone" || cardState.phase === "expired";
  /** A person decides what the card shows: a key about a card out of sight brings it into view. */
  const isShown = (): boolean => {
    if (section.current === null || isInSight(section.current)) return true;
    section.current.scrollIntoView({ block: "nearest" });
    return false;
  };
  const openPanel = (name: "reject" | "edit"): void => {
    const isOffered = name === "edit" ? isEditable(call, tools) : call.decisions.includes(name);
    if (isOpen && isOffered && isShown()) setPanel(name);
  };
  const handle: CardHandle = {
    approve: () => isOpen && isShown() && approve.current?.click(),
    reject: () => openPanel("reject"),
    edit: () => openPanel("edit"),
    toggleRaw: () => setIsRaw(!isRaw),
  };
  useImperativeHandle(ref, () => handle);
  const focus = useKeptFocus(section, `${cardState.phase} ${call.decisions.join()}`);
  const onKeyDown = (event: KeyboardEvent): void => {
    const act = cardKeys[meantKey(event.nativeEvent)];
    if (act === undefined || !isPageKey(event.nativeEvent)) return;
    event.preventDefault();
    handle[act]();
  };
  const { id, name, title, description, annotations, render, inexact = [], deadline } = call;
  return (
    <section
      ref={section}
      tabIndex={-1}
      data-card={id}
      aria-label={texts.card(name, id)}
      onKeyDown={onKeyDown}
      {...focus}
      className="flex min-w-0 scroll-mt-20 flex-col gap-3 rounded-lg border border-line bg-surface p-3 shadow-xs sm:p-4"
    >
      <header className="flex flex-col gap-1">
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <h2 className={hasTitle ? "min-w-0 text-base font-semibold break-words" : "sr-only"}>
            <ExactText text={title ?? name} />
          </h2>
          <DestructiveBadge call={call} />
          {annotations?.edits === true && <Badge tone="accent">{texts.edits}</Badge>}
          {annotations?.readOnly === true && <Badge tone="good">{texts.readOnly}</Badge>}
          {deadline !== undefined && isOpen && (
            <span className="ml-auto inline-flex items-center gap-1 text-sm text-warn tabular-nums">
              <Clock size={14} aria-hidden /> <Countdown at={deadline} />
            </span>
          )}
        </div>
        <p className="flex flex-wrap items-center gap-x-2 text-sm text-muted">
          {title !== undefined && (
            <code className="font-mono break-all">
              <ExactText text={name} />
            </code>
          )}
          <span>
            <ExactText text={id.replaceAll("/", " › ")} />
          </span>
          <Requester call={call} />
        </p>
        {description !== undefined && (
          <div className="text-sm text-muted">
            <AuthorText text={description} />
          </div>
        )}
      </header>

      <div className="flex flex-col gap-2">
        <div className="flex items-center justify-between gap-2">
          <h3 className="text-sm font-medium">{isOver ? texts.arguments : texts.what}</h3>
          <Button
            look="quiet"
            aria-label={texts.names[isRaw ? "form" : "raw"](name, id)}
            aria-pressed={isRaw}
            aria-keyshortcuts="v"
            onClick={handle.toggleRaw}
          >
            {isRaw ? <ListTree size={14} aria-hidden /> : <Braces size={14} aria-hidden />}
            {isRaw ? texts.form : texts.raw}
          </Button>
        </div>
        {isRaw ? (
          <JsonText value={call.raw ?? call.arguments} />
        ) : (
          <>
            {render !== undefined && <RenderedCall render={render} />}
            {!isWholeCall(call) && (
              <ShownArguments
                schema={call.schema}
                value={call.arguments}
                empty={isOver ? texts.noneGiven : texts.noArguments}
              />
            )}
          </>
        )}
        {inexact.map(({ path, written, runs }) => (
          <p key={path} role="note" className="rounded-md bg-warn-soft px-2 py-1 text-sm text-warn">
            <ExactText text={texts.inexact(path, written.slice(0, 80), runs)} />
          </p>
        ))}
      </div>

      {!isOver && <WhyStopped call={call} />}
      <CardActions
        call={call}
        cardState={cardState}
        tools={tools}
        panel={panel}
        {...drafting}
        onPanel={(next) => {
          if (next === undefined) section.current?.focus({ preventScroll: true }); // the input with the focus goes away
          setPanel(next);
        }}
        approve={approve}
        onDecide={(decision) => {
          section.current?.focus({ preventScroll: true });
          void decide(threadId, [{ call, decision }]);
        }}
        onShowNew={(next) => {
          setCall(next);
          setPanel(undefined);
        }}
        onDismiss={onDismiss}
      />
    </section>
  );
}

/** What keys do with the card that has the focus. */
const cardKeys: Readonly<Partial<Record<string, keyof CardHandle>>> = {
  a: "approve",
  r: "reject",
  e: "edit",
  v: "toggleRaw",
};

/** True if the shown command is all that the arguments contain. Others, such as a folder or a flag, change what it does. */
const isWholeCall = ({ render, arguments: value }: PendingCall): boolean =>
  render?.type === "command" && isRecord(value) && Object.values(value).every((each) => each === render.command);

/** The tools of the agent that requests a call. Those of sub-agents are unknown. */
function useToolsOf(threadId: string, call: PendingCall): readonly string[] {
  const thread = useQueue().threads.find(({ id }) => id === threadId);
  const persona = usePersonas().find(({ id }) => id === thread?.persona);
  return isInTask(call) ? [] : (persona?.tools ?? []);
}

/** An input disappears when its call was decided elsewhere, or accepts other decisions. The card then gets the focus that the input had. */
function useKeptFocus(section: RefObject<HTMLElement | null>, state: string) {
  const hasFocus = useRef(false);
  useEffect(() => {
    const isLost = hasFocus.current && section.current?.contains(document.activeElement) !== true;
    if (isLost) section.current?.focus({ preventScroll: true });
  }, [section, state]);
  return {
    onFocus: (): void => {
      hasFocus.current = true;
    },
    onBlur: (event: FocusEvent): void => {
      if (leavesElement(event)) hasFocus.current = false;
    },
  };
}
