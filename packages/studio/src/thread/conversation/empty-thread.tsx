import { useEffect } from "react";

import { isDeepDemo, isDemo, usePersonas } from "../../api/personas.ts";
import { Button } from "../../parts/controls/button.tsx";
import { ExactText } from "../../parts/text/exact-text.tsx";
import { useList, useTexts } from "../../texts/language.tsx";
import { threadTexts } from "../../texts/thread-texts.ts";
import { writeDraft } from "../composer/draft.ts";

/** What a person can do in a thread without messages. */
export function EmptyThread({ threadId, persona }: { readonly threadId: string; readonly persona: string }) {
  const texts = useTexts(threadTexts);
  const listOf = useList();
  const chosen = usePersonas().find(({ id }) => id === persona);
  const isKnown = persona !== "";
  const examples =
    chosen === undefined ? [] : isDemo(chosen) ? texts.demoExamples : isDeepDemo(chosen) ? texts.deepExamples : [];
  const choose = (text: string): void => {
    writeDraft(threadId, text);
    focusComposer();
  };
  useEffect(() => {
    // After a click on "New thread", Space would create another one.
    if (document.activeElement?.matches("input, select") !== true) focusComposer();
  }, [threadId, isKnown]); // the composer appears together with the persona
  return (
    <div className="pointer-events-none absolute inset-0 flex flex-col overflow-auto">
      <div className="pointer-events-auto m-auto flex max-w-xl flex-col gap-3 px-6 py-4 text-center">
        <p className="text-muted">{texts.empty}</p>
        {chosen !== undefined && chosen.tools.length > 0 && (
          <p className="text-sm text-muted">
            <ExactText text={texts.canUse(listOf(chosen.tools))} />
          </p>
        )}
        {examples.length > 0 && <p className="text-sm">{texts.tryThis}</p>}
        {examples.map((text) => (
          <Button key={text} onClick={() => choose(text)}>
            {text}
          </Button>
        ))}
      </div>
    </div>
  );
}

const focusComposer = (): void => document.querySelector<HTMLElement>("[data-composer]")?.focus();
