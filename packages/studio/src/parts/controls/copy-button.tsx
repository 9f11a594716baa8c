import { Check, Copy, TriangleAlert } from "lucide-react";
import { useEffect, useState } from "react";

import type { Texts } from "../../texts/language.tsx";
import { useTexts } from "../../texts/language.tsx";
import { Alternatives } from "./alternatives.tsx";
import { Button } from "./button.tsx";
import { copyText } from "./copy-text.ts";

const texts: Texts<{ readonly copied: string; readonly failed: string }> = {
  en: { copied: "Copied", failed: "The browser refused to copy" },
  zh: { copied: "已复制", failed: "浏览器拒绝复制" },
};

/** Copies a text. For two seconds the label and the icon report what happened. */
export function useCopy(text: string, label: string) {
  const words = useTexts(texts);
  const [state, setState] = useState<"ready" | "copied" | "failed">("ready");
  useEffect(() => {
    if (state === "ready") return;
    const timer = setTimeout(() => setState("ready"), 2_000);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async (): Promise<void> => {
    try {
      await copyText(text);
      setState("copied");
    } catch {
      setState("failed");
    }
  };
  return {
    copy: () => void copy(),
    label: state === "ready" ? label : words[state],
    Icon: { ready: Copy, copied: Check, failed: TriangleAlert }[state],
  };
}

export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const { copy, label: shown, Icon } = useCopy(text, label);
  return (
    <Button onClick={copy}>
      <Icon size={16} aria-hidden />
      <span aria-live="polite">
        <Alternatives isSecond={shown !== label} one={label} other={shown} />
      </span>
    </Button>
  );
}

/** The same as an icon in the corner of what it copies, which is positioned. */
export function CopyIcon({ text, label, className = "" }: CopyIconProps) {
  const { copy, label: shown, Icon } = useCopy(text, label);
  return (
    <button
      type="button"
      aria-label={shown}
      title={shown}
      onClick={copy}
      className={`absolute top-0.5 right-0.5 grid size-7 place-items-center rounded bg-raised text-muted hover:text-ink pointer-coarse:size-10 ${className}`}
    >
      <Icon size={14} aria-hidden />
    </button>
  );
}

interface CopyIconProps {
  readonly text: string;
  readonly label: string;
  readonly className?: string;
}
