import { SendHorizontal, SlidersHorizontal, Square } from "lucide-react";
import { useId, useRef, useState } from "react";
import type { ClipboardEvent, DragEvent, KeyboardEvent } from "react";
import { ServerRefusal } from "undangle/client";
import type { QueuedThread, SendOptions } from "undangle/client";

import { usePersonas } from "../../api/personas.ts";
import { server } from "../../api/server.ts";
import { messageOf } from "../../parts/error-message.ts";
import { useScopes } from "../../api/session.ts";
import { Button } from "../../parts/controls/button.tsx";
import { Choice } from "../../parts/controls/choice.tsx";
import { ExactText } from "../../parts/text/exact-text.tsx";
import { composerTexts } from "../../texts/composer-texts.ts";
import { useTexts } from "../../texts/language.tsx";
import { AttachButton, AttachedImages, hasFiles, hasImage, useAttachments } from "./attachments.tsx";
import { attemptKey, dropAttempt, dropSent, useDraft, writeDraft } from "./draft.ts";
import { ModeNote, RunChoices } from "./run-choices.tsx";
import type { Mode } from "./run-choices.tsx";

interface ComposerProps {
  readonly thread: QueuedThread;
  readonly isRunning: boolean;
  /** False while the server cannot be reached: the run may be over. */
  readonly isConnected: boolean;
  /** The mode of the last run. */
  readonly lastMode: Mode | undefined;
  /** Called after a command changed the thread. */
  readonly onChange: () => void;
  /** Called after a message was sent. */
  readonly onSent: () => void;
}

type Policy = NonNullable<SendOptions["onInput"]>;

const policies: readonly Policy[] = ["supersede", "queue", "refuse"];

/** Where a person writes. It states what sending does now. Enter sends a message and never decides about a call. */
export function Composer({ thread, isRunning, isConnected, lastMode, onChange, onSent }: ComposerProps) {
  const texts = useTexts(composerTexts);
  const { id, pending } = thread;
  const { isKnown, mayDecide } = useScopes();
  const personas = usePersonas();
  const persona = personas.find((each) => each.id === thread.persona);
  const isPersonaGone = personas.length > 0 && persona === undefined;
  const text = useDraft(id);
  const [chosen, setChosen] = useState<Policy>();
  const [mode, setMode] = useState<Mode>();
  const [hasChoices, setHasChoices] = useState(false); // on phones
  const [failure, setFailure] = useState("");
  const [isBusy, setIsBusy] = useState(false);
  const { images, add, remove, drop } = useAttachments((fault) => setFailure(texts.imageFaults[fault]));
  const field = useRef<HTMLTextAreaElement>(null);
  const form = useRef<HTMLFormElement>(null);
  const ids = { field: useId(), effect: useId() };

  const policy = chosen ?? (isKnown && !mayDecide ? "queue" : (persona?.onInput ?? "supersede")); // cancelling a call decides about it
  const isOpen = isRunning || pending.length > 0;
  const effect = isPersonaGone
    ? texts.personaGone(thread.persona)
    : pending.length > 0
      ? texts.whilePending[policy](pending.length)
      : isRunning
        ? texts.whileRunning[policy]
        : texts.keys;
  const isTight = pending.length > 0 && images.length === 0; // on phones the cards need the place
  const isEmpty = text.trim() === "" && images.length === 0;
  const maySend = !isEmpty && !isBusy && !isPersonaGone && !(isOpen && policy === "refuse");

  const run = async (work: () => Promise<unknown>, describe: (error: unknown) => string): Promise<boolean> => {
    setIsBusy(true);
    setFailure("");
    try {
      await work();
      return true;
    } catch (error) {
      setFailure(describe(error));
      return false;
    } finally {
      setIsBusy(false);
      onChange();
    }
  };
  const send = async (): Promise<void> => {
    if (!maySend) return;
    const attempt = JSON.stringify([text, policy, mode, images.map(({ name, url }) => `${name} ${url.length}`)]);
    const options: SendOptions = {
      idempotencyKey: attemptKey(id, attempt),
      onInput: policy,
      ...(mode !== undefined && { mode }),
    };
    const describe = (error: unknown): string => {
      if (!isRefused(error)) return texts.notConfirmed;
      if (error.code !== "idempotency-unknown") return texts.notSent(error.message);
      dropAttempt(id);
      return texts.mayHaveArrived;
    };
    const content = images.length === 0 ? text : partsOf(text, images);
    if (await run(() => server.threads.start.send(id, content, options), describe)) {
      dropSent(id, text);
      drop(images);
      onSent();
    }
    const { activeElement } = document;
    const isHere = activeElement === document.body || form.current?.contains(activeElement) === true;
    if (isHere) field.current?.focus();
  };
  const stop = (): void =>
    void run(
      () => server.threads.stop(id),
      (error) => texts.notStopped(messageOf(error)),
    );
  const change = (next: { readonly persona?: string; readonly model?: string | null }): void =>
    void run(
      () => server.threads.update(id, next),
      (error) => texts.notChanged(messageOf(error)),
    );
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || event.shiftKey || isComposing(event)) return;
    event.preventDefault();
    if (!event.repeat) void send();
  };
  const onPaste = (event: ClipboardEvent): void => {
    if (!hasImage(event.clipboardData) || event.clipboardData.types.includes("text/plain")) return; // cells of a table
    event.preventDefault();
    add(event.clipboardData.files);
  };
  const onDrop = (event: DragEvent): void => {
    if (!hasFiles(event.dataTransfer)) return;
    event.preventDefault();
    add(event.dataTransfer.files);
  };

  return (
    <form
      ref={form}
      className="mx-auto flex w-full max-w-3xl min-w-0 flex-col gap-1 px-4 pt-2 pb-2"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
      onDragOver={(event) => {
        if (hasFiles(event.dataTransfer)) event.preventDefault(); // else the browser would open the file
      }}
      onDrop={onDrop}
    >
      {failure !== "" && (
        <p role="alert" className="rounded-md bg-bad-soft px-3 py-2 text-sm break-words text-bad">
          <ExactText text={failure} />
        </p>
      )}
      <div
        className={`flex min-w-0 flex-col rounded-xl border border-control bg-surface p-1.5 focus-within:border-accent has-[textarea:focus-visible]:outline-2 has-[textarea:focus-visible]:outline-accent ${isTight ? "max-sm:flex-row max-sm:items-end" : ""}`}
      >
        <AttachedImages images={images} onRemove={remove} />
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
          onPaste={onPaste}
          className="field-sizing-content max-h-48 min-h-9 min-w-0 flex-auto resize-none bg-transparent px-2 py-1.5 outline-none"
        />
        <div className="flex min-w-0 flex-wrap items-center gap-1.5">
          <span className={`flex items-center gap-1.5 ${isTight ? "max-sm:hidden" : ""}`}>
            <AttachButton onFiles={add} />
            <button
              type="button"
              aria-expanded={hasChoices}
              aria-label={texts.choices}
              title={texts.choices}
              onClick={() => setHasChoices(!hasChoices)}
              className="grid size-8 flex-none place-items-center rounded text-muted hover:bg-raised hover:text-ink sm:hidden pointer-coarse:size-11"
            >
              <SlidersHorizontal size={16} aria-hidden />
            </button>
          </span>
          <span
            className={`min-w-0 flex-1 items-center gap-1.5 sm:flex ${hasChoices && !isTight ? "max-sm:order-last max-sm:flex max-sm:basis-full max-sm:flex-col max-sm:items-stretch" : "max-sm:hidden"}`}
          >
            <RunChoices
              thread={thread}
              mode={mode}
              isReadOnly={lastMode === "read-only"}
              onMode={setMode}
              onChange={change}
            />
          </span>
          <span className="ml-auto flex items-center gap-1.5">
            {isRunning && isConnected && (
              <Button aria-label={texts.stop} title={texts.stop} onClick={stop}>
                <Square size={14} aria-hidden className="fill-current" />
              </Button>
            )}
            <Button look="main" type="submit" disabled={!maySend} aria-label={texts.send} title={texts.send}>
              <SendHorizontal size={16} aria-hidden />
            </Button>
          </span>
        </div>
      </div>
      <ModeNote mode={mode} lastMode={lastMode} />
      <div className="flex min-h-7 min-w-0 flex-wrap items-center gap-x-3 text-xs text-muted pointer-coarse:min-h-11">
        <p
          id={ids.effect}
          className={`min-w-0 flex-1 basis-40 ${isOpen || isPersonaGone ? "font-medium text-warn" : "pointer-coarse:invisible"}`} // a touch keyboard has its own keys
        >
          <ExactText text={effect} />
        </p>
        {isOpen && !isPersonaGone && (
          <Choice
            label={texts.policy}
            value={policy}
            options={policies.map((value) => ({ value, text: texts.policies[value] }))}
            onChange={setChosen}
          />
        )}
      </div>
    </form>
  );
}

/** False if the message may have arrived: no response came, that of a proxy, or the server still handles the message. */
const isRefused = (error: unknown): error is ServerRefusal =>
  error instanceof ServerRefusal && error.code !== "unknown" && error.code !== "idempotency-pending";

/** Enter accepts a proposal of an input method. Safari ends the composition before it reports the key, with the code 229. */
const isComposing = ({ nativeEvent, keyCode }: KeyboardEvent): boolean => nativeEvent.isComposing || keyCode === 229;

/** A message in the form of OpenAI. */
const partsOf = (text: string, images: readonly { readonly url: string }[]): readonly object[] => [
  ...(text.trim() === "" ? [] : [{ type: "text", text }]),
  ...images.map(({ url }) => ({ type: "image_url", image_url: { url } })),
];
