import { ChevronDown, Hourglass } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { CallView, PendingCall } from "undangle/client";

import { ApprovalCard } from "../card/approval-card.tsx";
import { usePhaseHere } from "../card/decide.ts";
import { ThreadCalls } from "../card/thread-calls.tsx";
import { useKeptInPlace } from "../card/use-kept-in-place.ts";
import { leavesElement } from "../parts/focus.ts";
import { replaceHash } from "../parts/use-hash.ts";
import { isPointerInUse } from "../parts/controls/page-keys.ts";
import { useLinkedCall } from "../shell/address.ts";
import { useTexts } from "../texts/language.tsx";
import { threadTexts } from "../texts/thread-texts.ts";

interface PendingCallsProps {
  readonly threadId: string;
  readonly calls: readonly PendingCall[];
  /** All calls of the same turn, in any state. */
  readonly turn: readonly CallView[];
  /** Called when the focus was in the last card, which is gone. */
  readonly onDone: () => void;
}

/** The cards of the pending calls, above the composer. They get more height while a person writes in one. */
export function PendingCalls({ threadId, calls, turn, onDone }: PendingCallsProps) {
  const texts = useTexts(threadTexts);
  const [held, setHeld] = useState<PendingCall>(); // the call whose card has the focus
  const { shown, place } = useKeptInPlace(calls, held, idOf);
  const linked = useLinkedCard(shown);
  const { isFolded, setIsFolded } = useFold(calls);
  const section = useRef<HTMLElement>(null);
  const leave = (): void => {
    const next = calls[Math.min(place.current, calls.length - 1)];
    setHeld(undefined);
    if (next === undefined) return onDone();
    const card = cardOf(next.id);
    // After a press of the mouse, what the person types next is not about the card that came into its place.
    (isPointerInUse() ? section.current : card)?.focus({ preventScroll: true });
    card?.parentElement?.scrollIntoView({ block: "start" }); // from its title on
  };
  const phaseHere = usePhaseHere();
  const isGone = held !== undefined && !calls.some(({ id }) => id === held.id);
  const isDone = isGone && phaseHere(threadId, held) === "accepted";
  useEffect(() => {
    if (isDone) leave(); // the conversation shows what became of it. A decision of another person stays in its card
  });
  if (shown.length === 0) return null;
  return (
    <section
      ref={section}
      tabIndex={-1}
      aria-label={texts.needsDecision(calls.length)}
      className="flex max-h-[60dvh] min-h-12 flex-none shrink flex-col border-t border-line bg-page has-data-panel:max-h-[75dvh] [@media(height<36rem)]:max-h-none [@media(height<36rem)]:shrink-0"
    >
      <button
        type="button"
        data-fold
        aria-expanded={!isFolded}
        title={isFolded ? texts.unfold : texts.fold}
        onClick={() => setIsFolded(!isFolded)}
        className="mx-auto flex min-h-8 w-full max-w-3xl flex-none items-center gap-2 px-4 text-left text-sm font-medium text-warn hover:bg-raised pointer-coarse:min-h-10"
      >
        <Hourglass size={14} aria-hidden className="flex-none" />
        <span className="min-w-0 flex-1">{texts.needsDecision(calls.length)}</span>
        <ChevronDown size={16} aria-hidden className={isFolded ? "rotate-180" : ""} />
      </button>
      <div hidden={isFolded} className="min-h-0 overflow-auto">
        <div className="mx-auto flex w-full max-w-3xl flex-col gap-3 px-4 pb-2">
          <div className="empty:hidden max-sm:order-last">
            <ThreadCalls threadId={threadId} pending={calls} turn={turn} />
          </div>
          {/* The highlight of a link moves to the call of an open form, so that no other call looks like it. */}
          {shown.map((call) => (
            <div
              key={call.id}
              className={`scroll-mt-2 rounded-lg ${call.id === linked ? "ring-2 ring-accent" : ""}`}
              onFocus={() => setHeld(call)}
              onBlur={(event) => leavesElement(event) && setHeld((now) => (now?.id === call.id ? undefined : now))}
            >
              <ApprovalCard
                threadId={threadId}
                call={call}
                onDismiss={leave}
                onForm={() => linked !== "" && linked !== call.id && replaceHash(`#${encodeURIComponent(call.id)}`)}
              />
            </div>
          ))}
        </div>
      </div>
    </section>
  );
}

/** The card of a pending call. */
const cardOf = (id: string): HTMLElement | null => document.querySelector<HTMLElement>(`[data-card=${CSS.escape(id)}]`);

/** Moves the focus to the card of a pending call, also if the cards are folded. */
export function showCard(id: string): void {
  document.querySelector<HTMLElement>("[data-fold][aria-expanded=false]")?.click();
  requestAnimationFrame(() => cardOf(id)?.focus()); // it is not focusable before it is shown
}

/** The call that the address names. Its card comes into view, so that a person does not decide about another one in its place. */
function useLinkedCard(shown: readonly PendingCall[]): string {
  const linked = useLinkedCall();
  const isShown = shown.some(({ id }) => id === linked);
  useEffect(() => {
    const card = isShown ? cardOf(linked) : null;
    if (card?.contains(document.activeElement) === false) card.parentElement?.scrollIntoView({ block: "start" });
  }, [linked, isShown]);
  return linked;
}

/** Whether the cards are folded, so that the conversation has the whole page. A call that is new unfolds them. */
function useFold(calls: readonly PendingCall[]) {
  const [folded, setFolded] = useState<readonly string[]>();
  const isFolded = folded !== undefined && calls.every(({ id }) => folded.includes(id));
  return {
    isFolded,
    setIsFolded: (isWanted: boolean): void => setFolded(isWanted ? calls.map(({ id }) => id) : undefined),
  };
}

const idOf = ({ id }: PendingCall): string => id;
