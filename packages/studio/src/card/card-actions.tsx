import { Check, MessageSquareReply, Pencil, ShieldCheck, X } from "lucide-react";
import { useEffect, useRef } from "react";
import type { ReactNode, Ref, RefObject } from "react";
import type { PendingCall } from "undangle/client";

import { Button } from "../parts/controls/button.tsx";
import { ExactText } from "../parts/text/exact-text.tsx";
import { LineDiff } from "../parts/text/line-diff.tsx";
import { cardTexts } from "../texts/card-texts.ts";
import { useTexts } from "../texts/language.tsx";
import { isInTask, requestersOf } from "./contents/card-details.tsx";
import type { Drafting } from "./card-drafts.ts";
import { CallOutcome, Decided, pretty } from "./call-outcome.tsx";
import { CallSummary } from "./call-summary.tsx";
import type { Decision } from "./decide.ts";
import { AlwaysPanel, RejectPanel, RespondPanel } from "./decision-panels.tsx";
import { EditPanel, isEditable } from "./edit/edit-panel.tsx";
import { GuardedButton } from "../parts/controls/guarded-button.tsx";
import { useConfirm } from "./panel.tsx";
import { whyNotAccepted } from "./decide.ts";
import type { CardState } from "./card-state.ts";

export type PanelName = "reject" | "edit" | "respond" | "always";

interface CardActionsProps extends Drafting {
  readonly call: PendingCall;
  readonly cardState: CardState;
  /** The tools that can run in place of that of the call. */
  readonly tools: readonly string[];
  readonly panel: PanelName | undefined;
  readonly onPanel: (panel: PanelName | undefined) => void;
  readonly onDecide: (decision: Decision) => void;
  /** Called with the newer version of a call that changed. */
  readonly onShowNew: (call: PendingCall) => void;
  /** Present if a card that no longer waits can be removed. */
  readonly onDismiss?: (() => void) | undefined;
  readonly approve: RefObject<HTMLButtonElement | null>;
}

/** The decisions that are possible now, or why there are none. */
export function CardActions(props: CardActionsProps) {
  const texts = useTexts(cardTexts);
  const { call, cardState, onShowNew, onDismiss } = props;
  switch (cardState.phase) {
    case "open":
    case "sending":
      return <OpenActions {...props} cardState={cardState} />;
    case "gone":
      return (
        <Notice>
          <Gone call={call} cardState={cardState} />
          {onDismiss !== undefined && (
            <Button className="mt-2" aria-label={texts.names.dismiss(call.name, call.id)} onClick={onDismiss}>
              {texts.dismiss}
            </Button>
          )}
        </Notice>
      );
    case "changed":
      return (
        <Notice>
          <p>{texts.changed}</p>
          <LineDiff before={pretty(call.arguments)} after={pretty(cardState.now.arguments)} label={texts.changedDiff} />
          <Button className="mt-2" onClick={() => onShowNew(cardState.now)}>
            {texts.showNew(call.name, call.id)}
          </Button>
        </Notice>
      );
    case "expired":
      return <Notice>{texts.expired}</Notice>;
    case "forbidden":
      return <Notice>{texts.noScope}</Notice>;
    case "unknown":
      return null;
  }
}

interface GoneProps {
  readonly call: PendingCall;
  readonly cardState: Extract<CardState, { readonly phase: "gone" }>;
}

/** What became of a call, as far as it is known. */
function Gone({ call, cardState: { outcome, decision, isHere } }: GoneProps) {
  const texts = useTexts(cardTexts);
  if (outcome !== undefined && outcome.status !== "awaiting") return <CallOutcome call={outcome} isHere={isHere} />;
  if (decision === undefined) return texts.gone;
  return <Decided decision={decision} isHere={isHere} isInTask={isInTask(call)} />;
}

interface OpenActionsProps extends CardActionsProps {
  readonly cardState: Extract<CardState, { readonly phase: "open" | "sending" }>;
}

/** The choices stay while a decision is sent, so that what the person wrote is still there if the server refuses it. */
function OpenActions({ cardState, ...props }: OpenActionsProps) {
  const texts = useTexts(cardTexts);
  const isSending = cardState.phase === "sending";
  const isPanelOpen = props.panel !== undefined;
  const notice = useRef<HTMLDivElement>(null);
  const isSentAgain = isSending && cardState.attempt > 1;
  useEffect(() => {
    const isInUse = notice.current?.closest("[data-card]")?.contains(document.activeElement) === true;
    if (isSentAgain && isInUse) notice.current?.scrollIntoView({ block: "nearest" }); // it explains why nothing reacts
  }, [isSentAgain]);
  const message = isSending ? (
    <Notice ref={notice}>{cardState.attempt === 1 ? texts.sending : texts.sendingAgain(cardState.attempt)}</Notice>
  ) : (
    cardState.failure !== undefined && (
      <p role="alert" className="rounded-md bg-bad-soft px-2 py-1 text-sm text-bad">
        <ExactText text={whyNotAccepted(cardState.failure, texts)} />
      </p>
    )
  );
  return (
    <>
      {!isPanelOpen && message}
      <div
        inert={isSending}
        hidden={isSending && !isPanelOpen}
        className={isSending ? "flex flex-col gap-3 opacity-50" : "contents"}
      >
        <Choices {...props} cardState={cardState} />
      </div>
      {isPanelOpen && message}
    </>
  );
}

const Notice = ({ ref, children }: { readonly ref?: Ref<HTMLDivElement>; readonly children: ReactNode }) => (
  <div ref={ref} role="status" className="rounded-md bg-raised p-3">
    {children}
  </div>
);

/**
 * The buttons stay in sight while a long card is read, unless they would cover it: in a low window and with a large zoom.
 * What they are about is repeated beside them. On a phone they are large enough for two thumbs.
 */
function Choices({ call, tools, panel: wanted, onPanel, onDecide, approve, drafts, onDrafts }: CardActionsProps) {
  const texts = useTexts(cardTexts);
  const { id, name, decisions, always } = call;
  const confirm = useConfirm(call, texts.names.approve(name, id));
  const drafting = { drafts, onDrafts };
  const panelProps = { call, onDecide, onCancel: () => onPanel(undefined) };
  const others = [
    { key: "reject", icon: X, isShown: decisions.includes("reject") },
    { key: "edit", icon: Pencil, isShown: isEditable(call, tools) },
    { key: "respond", icon: MessageSquareReply, isShown: decisions.includes("respond") },
    { key: "always", icon: ShieldCheck, isShown: decisions.includes("approve") && always.length > 0 },
  ] as const;
  const rest = others.filter(({ isShown }) => isShown);
  const panel = rest.find(({ key }) => key === wanted)?.key; // another persona may accept other decisions
  return (
    <>
      {call.foreign === true && (
        <p role="note" className="rounded-md bg-warn-soft px-2 py-1 text-sm text-warn">
          <ExactText
            text={decisions.length === 0 ? texts.personaGone : texts.foreign(name, requestersOf(call).join(" › "))}
          />
        </p>
      )}
      <div
        role="group"
        aria-label={texts.actions(name, id)}
        className={`-mx-3 flex flex-wrap gap-2 border-t border-line bg-surface px-3 pt-3 pb-2 sm:-mx-4 sm:px-4 ${panel === undefined ? "[@media(height>=36rem)]:sticky [@media(height>=36rem)]:bottom-0" : ""}`}
      >
        {panel === undefined && <CallSummary call={call} />}
        {decisions.includes("approve") && (
          <GuardedButton
            ref={approve}
            look="main"
            className="max-sm:min-h-12 max-sm:min-w-[45%] max-sm:flex-1"
            name={texts.names.approve(name, id)}
            confirm={confirm}
            isBlocked={panel !== undefined}
            onAct={() => onDecide({ type: "approve" })}
          >
            <Check size={16} aria-hidden /> {texts.labels.approve}
          </GuardedButton>
        )}
        {rest.map(({ key, icon: Icon }) => (
          <Button
            key={key}
            className={`max-sm:flex-1 max-sm:px-2 ${phoneSizes[key]}`}
            aria-label={texts.names[key](name, id)}
            aria-expanded={panel === key}
            onClick={() => onPanel(panel === key ? undefined : key)}
          >
            <Icon size={16} aria-hidden /> {texts.labels[key]}
          </Button>
        ))}
      </div>
      {confirm !== undefined && decisions.includes("approve") && (
        <p className="text-sm text-muted">{texts.againHint}</p>
      )}
      {panel === "reject" && <RejectPanel {...panelProps} {...drafting} />}
      {panel === "edit" && <EditPanel {...panelProps} {...drafting} tools={tools} />}
      {panel === "respond" && <RespondPanel {...panelProps} {...drafting} />}
      {panel === "always" && <AlwaysPanel {...panelProps} />}
    </>
  );
}

/** On a phone: two buttons in a row, and one of its own for a standing permission, which must not be taken for an approval. */
const phoneSizes = {
  reject: "max-sm:min-h-12 max-sm:min-w-[45%]",
  edit: "max-sm:min-w-[45%]",
  respond: "max-sm:min-w-[45%]",
  always: "max-sm:basis-full",
} as const;
