import { Check, Copy, TriangleAlert } from "lucide-react";
import { useEffect, useState } from "react";

import type { Texts } from "../texts/language.tsx";
import { useTexts } from "../texts/language.tsx";
import { Button } from "./button.tsx";

const texts: Texts<{ readonly copied: string; readonly failed: string }> = {
  en: { copied: "Copied", failed: "The browser refused to copy" },
  zh: { copied: "已复制", failed: "浏览器拒绝复制" },
};

/** Copies a text. The button reports what happened for two seconds. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const words = useTexts(texts);
  const [state, setState] = useState<"ready" | "copied" | "failed">("ready");
  useEffect(() => {
    if (state === "ready") return;
    const timer = setTimeout(() => setState("ready"), 2_000);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text); // absent on pages without TLS
      setState("copied");
    } catch {
      setState("failed");
    }
  };
  const Icon = { ready: Copy, copied: Check, failed: TriangleAlert }[state];
  return (
    <Button onClick={() => void copy()}>
      <Icon size={16} aria-hidden /> <span aria-live="polite">{state === "ready" ? label : words[state]}</span>
    </Button>
  );
}
