import { SendHorizontal, Square } from "lucide-react";
import { useId, useRef, useState } from "react";
import type { KeyboardEvent } from "react";
import type { QueuedThread, SendOptions } from "undangle/client";

import { usePersonas } from "../api/personas.ts";
import { messageOf, server } from "../api/server.ts";
import { useScopes } from "../api/session.ts";
import { Button } from "../parts/button.tsx";
import { Choice } from "../parts/choice.tsx";
import { useTexts } from "../texts/language.tsx";
import { threadTexts } from "../texts/thread-texts.ts";
import { attemptKey, dropSent, useDraft, writeDraft } from "./draft.ts";

export interface ComposerProps {
  readonly thread: QueuedThread;
  readonly isRunning: boolean;
  /** Called after a command changed the thread. */
  readonly onChange: () => void;
}

type Policy = NonNullable<SendOptions["onInput"]>;
type Mode = NonNullable<SendOptions["mode"]>;

const policies: readonly Policy[] = ["supersede", "queue", "refuse"];

/** Where a person writes. It states what sending does now. Enter sends a message and never decides about a call. */
export function Composer({ thread, isRunning, onChange }: ComposerProps) {
  const { composer: texts } = useTexts(threadTexts);
  const { mayDecide } = useScopes();
  const { id, pending } = thread;
  const personas = usePersonas();
  const persona = personas.find((each) => each.id === thread.persona);
  const text = useDraft(id);
  const [chosen, setChosen] = useState<Policy>();
  const [mode, setMode] = useState<Mode>();
  const [failure, setFailure] = useState("");
  const [isBusy, setIsBusy] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const ids = { field: useId(), effect: useId() };

  const policy = chosen ?? persona?.onInput ?? "supersede";
  const isOpen = isRunning || pending.length > 0;
  const effect =
    pending.length > 0
      ? texts.whilePending[policy](pending.length)
      : isRunning
        ? texts.whileRunning[policy]
        : texts.keys;
  const maySend = text.trim() !== "" && !isBusy && !(isOpen && policy === "refuse");

  const run = async (work: () => Promise<unknown>, describe: (message: string) => string): Promise<boolean> => {
    setIsBusy(true);
    setFailure("");
    try {
      await work();
      return true;
    } catch (error) {
      setFailure(describe(messageOf(error)));
      return false;
    } finally {
      setIsBusy(false);
      onChange();
    }
  };
  const send = async (): Promise<void> => {
    if (!maySend) return;
    const options: SendOptions = {
      idempotencyKey: attemptKey(id, JSON.stringify([text, policy, mode])),
      onInput: policy,
      ...(mode !== undefined && { mode }),
    };
    if (await run(() => server.threads.start.send(id, text, options), texts.notSent)) dropSent(id, text);
    field.current?.focus();
  };
  const stop = (): void => void run(() => server.threads.stop(id), texts.notStopped);
  const change = (next: { readonly persona: string }): void =>
    void run(() => server.threads.update(id, next), texts.notChanged);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing || event.repeat) return;
    event.preventDefault();
    void send();
  };

  return (
    <form
      className="mx-auto flex w-full max-w-3xl min-w-0 flex-col gap-2 px-4 pt-2 pb-3"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {failure !== "" && (
        <p role="alert" className="rounded-md bg-bad-soft px-3 py-2 text-sm text-bad">
          {failure}
        </p>
      )}
      <div className="flex min-w-0 items-end gap-2 rounded-xl border border-control bg-surface p-2 focus-within:border-accent has-[textarea:focus-visible]:outline-2 has-[textarea:focus-visible]:outline-accent">
        <label htmlFor={ids.field} className="sr-only">
          {texts.label}
        </label>
        <textarea
          ref={field}
          id={ids.field}
          data-composer
          aria-describedby={ids.effect}
          rows={1}
          value={text}
          placeholder={texts.placeholder}
          onChange={({ target }) => writeDraft(id, target.value)}
          onKeyDown={onKeyDown}
          className="field-sizing-content max-h-48 min-h-9 min-w-0 flex-1 resize-none bg-transparent px-2 py-1.5 outline-none"
        />
        {isRunning && (
          <Button aria-label={texts.stop} title={texts.stop} onClick={stop}>
            <Square size={14} aria-hidden className="fill-current" />
          </Button>
        )}
        <Button look="main" type="submit" disabled={!maySend} aria-label={texts.send} title={texts.send}>
          <SendHorizontal size={16} aria-hidden />
        </Button>
      </div>
      <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted">
        <p id={ids.effect} className={isOpen ? "font-medium text-warn" : ""}>
          {effect}
        </p>
        {isOpen && (
          <Choice
            label={texts.policy}
            value={policy}
            options={policies.map((value) => ({ value, text: texts.policies[value] }))}
            onChange={setChosen}
          />
        )}
        <span
          className={`ml-auto flex min-w-0 flex-wrap items-center gap-2 ${pending.length > 0 ? "max-sm:hidden" : ""}`}
        >
          <Choice<Mode | "">
            label={texts.mode}
            value={mode ?? ""}
            options={[
              { value: "", text: texts.modeDefault },
              { value: "ask", text: texts.modes.ask },
              ...(mayDecide ? [{ value: "accept-edits" as const, text: texts.modes["accept-edits"] }] : []),
              { value: "plan", text: texts.modes.plan },
              { value: "read-only", text: texts.modes["read-only"] },
            ]}
            onChange={(value) => setMode(value === "" ? undefined : value)}
          />
          {personas.length > 0 && (
            <Choice
              label={texts.persona}
              value={thread.persona}
              options={personas.map((each) => ({ value: each.id, text: `${each.name} · ${each.model}` }))}
              onChange={(value) => change({ persona: value })}
            />
          )}
        </span>
      </div>
    </form>
  );
}
