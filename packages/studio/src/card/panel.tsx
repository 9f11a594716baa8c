import { useEffect, useRef } from "react";
import type { KeyboardEvent, ReactNode } from "react";
import type { PendingCall } from "undangle/client";

import { Button } from "../parts/controls/button.tsx";
import { isWritingOutside } from "../parts/controls/page-keys.ts";
import { ExactText } from "../parts/text/exact-text.tsx";
import { cardTexts } from "../texts/card-texts.ts";
import { useList, useTexts } from "../texts/language.tsx";
import { CallSummary } from "./call-summary.tsx";
import { DestructiveBadge, isDestructive } from "./contents/card-details.tsx";

interface PanelLayout {
  readonly call: PendingCall;
  /** It names the tool. */
  readonly title: string;
  readonly hint?: string;
  readonly onCancel: () => void;
  readonly children: ReactNode;
}

/**
 * The second part of a decision, in the card. The first input gets the focus, and Escape closes it. A form that appears
 * again, because its decision is accepted again, leaves the focus to what a person writes elsewhere.
 */
export function Panel({ call, title, hint, onCancel, children }: PanelLayout) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isWritingOutside(element.current?.closest("[data-card]") ?? null)) return;
    element.current?.querySelector<HTMLElement>("input, textarea, select")?.focus({ preventScroll: true });
    element.current?.scrollIntoView({ block: "nearest" }); // with its buttons
  }, []);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || event.nativeEvent.isComposing) return;
    event.stopPropagation();
    onCancel();
  };
  return (
    <div
      ref={element}
      role="group"
      data-panel
      aria-label={title}
      onKeyDown={onKeyDown}
      className="flex flex-col gap-3 rounded-md border border-line bg-page p-3"
    >
      <div>
        <p className="flex flex-wrap items-center gap-x-2 font-medium">
          <span className="min-w-0 break-words">
            <ExactText text={title} />
          </span>
          <DestructiveBadge call={call} />
        </p>
        {hint !== undefined && <p className="text-sm text-muted">{hint}</p>}
      </div>
      {children}
    </div>
  );
}

interface PanelButtonsProps {
  readonly call: PendingCall;
  /** Instead of the summary of the call. */
  readonly summary?: ReactNode;
  readonly onCancel: () => void;
  /** The button that decides. */
  readonly children: ReactNode;
}

/**
 * The end of a panel: what the button decides about, and the button. It stays in sight while a long panel is read, unless
 * it would cover a low window.
 */
export function PanelButtons({ call, summary = <CallSummary call={call} />, onCancel, children }: PanelButtonsProps) {
  const texts = useTexts(cardTexts);
  return (
    <div className="-mx-3 -mb-3 flex flex-wrap gap-2 rounded-b-md border-t border-line bg-page p-3 [@media(height>=36rem)]:sticky [@media(height>=36rem)]:bottom-0">
      {summary}
      {children}
      <Button aria-label={texts.names.cancel(call.name, call.id)} onClick={onCancel}>
        {texts.cancel}
      </Button>
    </div>
  );
}

interface Confirmation {
  readonly name: string;
  readonly text: string;
}

/** The texts of the second press, which destructive tools need. */
export function useConfirm(call: Pick<PendingCall, "annotations">, name: string): Confirmation | undefined {
  const texts = useTexts(cardTexts);
  return isDestructive(call) ? { name: texts.againName(name), text: texts.again } : undefined;
}

/** The destructive tools that a second press names. */
const mostNamed = 3;

/** The same for one approval of many calls. */
export function useConfirmAll(calls: readonly PendingCall[], name: string): Confirmation | undefined {
  const texts = useTexts(cardTexts);
  const listOf = useList();
  const tools = [...new Set(calls.filter(isDestructive).map((call) => call.name))];
  if (tools.length === 0) return undefined;
  const named = [...tools.slice(0, mostNamed), ...(tools.length > mostNamed ? ["…"] : [])];
  const text = texts.againAll(calls.length, listOf(named), tools.length);
  return { name: `${name}; ${text}`, text };
}
