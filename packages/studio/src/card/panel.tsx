import { useEffect, useRef } from "react";
import type { KeyboardEvent, ReactNode, RefObject } from "react";
import type { PendingCall } from "undangle/client";

import { cardTexts } from "../texts/card-texts.ts";
import { useTexts } from "../texts/language.tsx";

export interface PanelLayout {
  readonly title: string;
  readonly hint?: string;
  readonly onCancel: () => void;
  readonly place?: RefObject<HTMLDivElement | null>;
  readonly children: ReactNode;
}

/** The second part of a decision, in the card. The first input gets the focus, and Escape closes it. */
export function Panel({ title, hint, onCancel, place, children }: PanelLayout) {
  const own = useRef<HTMLDivElement>(null);
  const element = place ?? own;
  useEffect(() => {
    element.current?.querySelector<HTMLElement>("input, textarea, select")?.focus();
  }, [element]);
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
        <p className="font-medium">{title}</p>
        {hint !== undefined && <p className="text-sm text-muted">{hint}</p>}
      </div>
      {children}
    </div>
  );
}

/** The texts of the second press, which destructive tools need. */
export function useConfirm(
  { annotations }: Pick<PendingCall, "annotations">,
  name: string,
): { readonly name: string; readonly text: string } | undefined {
  const texts = useTexts(cardTexts);
  return annotations?.destructive === true ? { name: texts.againName(name), text: texts.again } : undefined;
}
