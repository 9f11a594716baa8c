import { useEffect, useId, useRef } from "react";

import { Button } from "../parts/controls/button.tsx";
import { CopyButton } from "../parts/controls/copy-button.tsx";
import { ExactText } from "../parts/text/exact-text.tsx";
import { focusSection } from "../parts/focus.ts";
import { useTexts } from "../texts/language.tsx";
import { settingsTexts } from "../texts/settings-texts.ts";
import type { KeyText } from "./key-text.ts";

/** Shows the text of a new key, once. It is in the memory of the page only until the person closes it. */
export function CreatedKey({ created, onDone }: { readonly created: KeyText; readonly onDone: () => void }) {
  const texts = useTexts(settingsTexts).newKey;
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.select(), []);
  return (
    <div className="flex flex-col gap-2 rounded-md border border-good bg-good-soft p-3">
      <p role="status" className="font-medium text-good">
        <ExactText text={texts.made(created.name)} />
      </p>
      <p id={`${id}-once`}>{texts.once}</p>
      {created.failure !== undefined && (
        <p role="alert" className="text-sm text-bad">
          <ExactText text={texts.notSignedIn(created.failure)} />
        </p>
      )}
      <input
        ref={input}
        readOnly
        value={created.text}
        aria-label={texts.text}
        aria-describedby={`${id}-once`}
        onFocus={({ target }) => target.select()}
        className="min-h-9 w-full min-w-0 rounded-md border border-control bg-surface px-2 font-mono text-xs"
      />
      <div className="flex flex-wrap gap-2">
        <CopyButton text={created.text} label={texts.copy} />
        <Button
          onClick={({ currentTarget }) => {
            focusSection(currentTarget);
            onDone();
          }}
        >
          {texts.done}
        </Button>
      </div>
    </div>
  );
}
