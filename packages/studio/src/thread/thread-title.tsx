import { Pencil } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { KeyboardEvent } from "react";

import { ExactText } from "../parts/text/exact-text.tsx";
import { shellTexts } from "../texts/shell-texts.ts";
import { threadTexts } from "../texts/thread-texts.ts";
import { useTexts } from "../texts/language.tsx";

interface ThreadTitleProps {
  readonly title: string | null | undefined;
  readonly onRename: (title: string) => void;
}

const longest = 200;

/** The title of a thread, which a person can change in its place. */
export function ThreadTitle({ title, onRename }: ThreadTitleProps) {
  const { rename: texts } = useTexts(threadTexts);
  const { untitled } = useTexts(shellTexts);
  const [draft, setDraft] = useState<string>();
  const button = useRef<HTMLButtonElement>(null);
  const isBack = useRef(false); // the button gets the focus again
  useEffect(() => {
    if (draft !== undefined || !isBack.current) return;
    isBack.current = false;
    button.current?.focus();
  }, [draft]);
  const save = (): void => {
    const wanted = draft?.trim() ?? "";
    setDraft(undefined);
    if (wanted !== "" && wanted !== title) onRename(wanted);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    const { key, nativeEvent } = event;
    if (nativeEvent.isComposing || (key !== "Enter" && key !== "Escape")) return;
    event.preventDefault(); // otherwise the button would be pressed
    if (key === "Enter") save();
    else setDraft(undefined);
    isBack.current = true;
  };
  if (draft !== undefined)
    return (
      <h1 className="flex min-w-0 flex-1 basis-32">
        <input
          autoFocus
          aria-label={texts.label}
          value={draft}
          maxLength={longest}
          onChange={({ target }) => setDraft(target.value)}
          onFocus={({ target }) => target.select()}
          onKeyDown={onKeyDown}
          onBlur={save}
          className="min-h-8 min-w-0 flex-1 rounded-md border border-control bg-surface px-2 text-base font-semibold"
        />
      </h1>
    );
  return (
    <div className="flex min-w-0 flex-1 basis-32 items-center gap-1">
      <h1 className="min-w-0 truncate text-base font-semibold" title={title ?? untitled}>
        <ExactText text={title ?? untitled} />
      </h1>
      <button
        ref={button}
        type="button"
        aria-label={texts.button}
        title={texts.button}
        onClick={() => setDraft(title ?? "")}
        className="grid size-8 flex-none place-items-center rounded text-muted hover:bg-raised hover:text-ink pointer-coarse:size-11"
      >
        <Pencil size={14} aria-hidden />
      </button>
    </div>
  );
}
