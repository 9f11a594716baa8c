import { KeyRound } from "lucide-react";
import { useEffect, useId, useRef, useState } from "react";
import type { SubmitEvent } from "react";
import { ServerRefusal } from "undangle/client";
import { Link } from "wouter";

import { server } from "../api/server.ts";
import { messageOf } from "../parts/error-message.ts";
import { announceSession } from "../api/session.ts";
import { Button } from "../parts/controls/button.tsx";
import { ExactText } from "../parts/text/exact-text.tsx";
import { keyTexts } from "../texts/key-texts.ts";
import { useTexts } from "../texts/language.tsx";

/**
 * Asks for a key, in place of the page: what the last person saw is not shown to the next one. The key leaves the page
 * with the request.
 */
export function KeyDialog() {
  const texts = useTexts(keyTexts);
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [key, setKey] = useState("");
  const [failure, setFailure] = useState("");
  const [isOpening, setIsOpening] = useState(false);
  useEffect(() => {
    document.title = "Undangle";
    input.current?.focus();
  }, []);
  const open = async (): Promise<void> => {
    setFailure("");
    setIsOpening(true);
    try {
      await server.session.open(key.trim());
      announceSession();
      location.reload(); // nothing of the last session stays in memory
    } catch (error) {
      const isWrong = error instanceof ServerRefusal && error.status === 401;
      setFailure(isWrong ? texts.wrong : texts.failed(messageOf(error)));
      setIsOpening(false);
      input.current?.select();
    }
  };
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (!isOpening && key.trim() !== "") void open();
  };
  return (
    <main className="flex min-h-full items-center justify-center p-4">
      <form
        onSubmit={onSubmit}
        aria-labelledby={`${id}-title`}
        className="flex w-full max-w-md flex-col gap-3 rounded-lg border border-line bg-surface p-5"
      >
        <h1 id={`${id}-title`} className="flex items-center gap-2 text-lg font-semibold">
          <KeyRound size={20} aria-hidden /> {texts.title}
        </h1>
        <p id={`${id}-lead`} className="text-muted">
          {texts.lead}
        </p>
        <label htmlFor={`${id}-key`} className="text-sm font-medium">
          {texts.key}
        </label>
        <input
          id={`${id}-key`}
          ref={input}
          type="password"
          autoComplete="current-password"
          spellCheck={false}
          required
          maxLength={200}
          placeholder="ud_…"
          value={key}
          onChange={({ target }) => setKey(target.value)}
          aria-invalid={failure !== ""}
          aria-describedby={failure === "" ? `${id}-lead` : `${id}-failure`}
          className="min-h-10 w-full rounded-md border border-control bg-surface px-2 py-1 font-mono text-sm aria-invalid:border-bad"
        />
        {failure !== "" && (
          <p id={`${id}-failure`} role="alert" className="text-sm text-bad">
            <ExactText text={failure} />
          </p>
        )}
        <Button type="submit" look="main" aria-disabled={isOpening || key.trim() === ""}>
          {isOpening ? texts.opening : texts.open}
        </Button>
        <div className="border-t border-line pt-3 text-sm text-muted">
          <p>{texts.how}</p>
          <pre className="mt-1 rounded-md bg-raised p-2 font-mono text-xs break-words whitespace-pre-wrap text-ink">
            undangle keys create --name Ann --scopes threads,approve
          </pre>
          <Link href="/doctor" className="mt-3 inline-block text-accent underline">
            {texts.doctor}
          </Link>
        </div>
      </form>
    </main>
  );
}
