import { useEffect, useRef, useState } from "react";

import { messageOf } from "../error-message.ts";
import type { Texts } from "../../texts/language.tsx";
import { useTexts } from "../../texts/language.tsx";
import { Button } from "./button.tsx";
import { FailureText } from "../failure.tsx";
import { focusSection } from "../focus.ts";
import { GuardedButton } from "./guarded-button.tsx";

const words: Texts<{ readonly colon: string; readonly cancel: string }> = {
  en: { colon: ": ", cancel: "Keep it" },
  zh: { colon: "：", cancel: "保留" },
};

interface ConfirmButtonProps {
  readonly text: string;
  /** The text of the button that acts. */
  readonly sure: string;
  /** The accessible name: the action and what it affects. */
  readonly name: string;
  /** What else happens. It is shown with the question. */
  readonly warning?: string | undefined;
  readonly onConfirm: () => Promise<void>;
}

/**
 * A button for what cannot be undone. It is replaced by two others: the one that keeps things as they are has the focus,
 * and the one that acts does nothing in its first moment, so neither a double click nor a held key confirms.
 */
export function ConfirmButton({ text, sure, name, warning, onConfirm }: ConfirmButtonProps) {
  const texts = useTexts(words);
  const [isAsking, setIsAsking] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  const [failure, setFailure] = useState("");
  const first = useRef<HTMLButtonElement>(null);
  const keep = useRef<HTMLButtonElement>(null);
  const group = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isAsking) keep.current?.focus();
  }, [isAsking]);
  const cancel = (): void => {
    setIsAsking(false);
    requestAnimationFrame(() => first.current?.focus());
  };
  const confirm = async (): Promise<void> => {
    setIsBusy(true);
    setFailure("");
    focusSection(group.current);
    try {
      await onConfirm();
    } catch (error) {
      setFailure(messageOf(error));
    } finally {
      setIsBusy(false);
      setIsAsking(false);
    }
  };
  return (
    <div className="flex flex-col items-start gap-1">
      {isAsking ? (
        <div
          ref={group}
          role="group"
          aria-label={`${sure}${texts.colon}${name}`}
          className="flex flex-wrap items-center gap-2"
          onKeyDown={({ key }) => key === "Escape" && cancel()}
        >
          {warning !== undefined && <p className="w-full text-sm text-warn">{warning}</p>}
          <Button ref={keep} onClick={cancel}>
            {texts.cancel}
          </Button>
          <GuardedButton
            look="danger"
            name={`${sure}${texts.colon}${name}`}
            isBlocked={isBusy}
            onAct={() => void confirm()}
          >
            {sure}
          </GuardedButton>
        </div>
      ) : (
        <Button ref={first} aria-label={name} onClick={() => setIsAsking(true)}>
          {text}
        </Button>
      )}
      <FailureText text={failure} />
    </div>
  );
}
