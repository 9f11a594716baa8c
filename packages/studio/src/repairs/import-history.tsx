import { FileUp } from "lucide-react";
import { useRef, useState } from "react";
import type { ClipboardEvent, SyntheticEvent } from "react";
import { flushSync } from "react-dom";
import { useLocation } from "wouter";

import { importThread } from "../api/import-thread.ts";
import { Button } from "../parts/controls/button.tsx";
import { ExactText } from "../parts/text/exact-text.tsx";
import { FailureText } from "../parts/failure.tsx";
import { longestDraft } from "../parts/controls/longest-draft.ts";
import { FilePicker } from "../parts/controls/file-picker.tsx";
import { messageOf } from "../parts/error-message.ts";
import { sizeText } from "../parts/text/size-text.ts";
import { threadPlace } from "../shell/address.ts";
import { useLanguage, useTexts } from "../texts/language.tsx";
import { repairsTexts } from "../texts/repairs-texts.ts";

interface LongText {
  readonly name: string;
  readonly text: string;
}

/** Imports a pasted or dropped history as a new thread, and shows its repairs. */
export function ImportHistory() {
  const texts = useTexts(repairsTexts);
  const language = useLanguage();
  const [, go] = useLocation();
  const [text, setText] = useState("");
  const [long, setLong] = useState<LongText>(); // instead of a text in the field
  const [failure, setFailure] = useState("");
  const [isBusy, setIsBusy] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);

  const take = (given: string, name: string): void => {
    const isLong = given.length > longestDraft;
    setText(isLong ? "" : given);
    setLong(isLong ? { name, text: given } : undefined);
    setFailure("");
  };
  const read = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    try {
      take(await file.text(), file.name);
    } catch (cause) {
      setFailure(texts.unreadable(file.name, messageOf(cause)));
    }
  };
  const paste = (event: ClipboardEvent): void => {
    const pasted = event.clipboardData.getData("text");
    if (pasted.length <= longestDraft) return;
    event.preventDefault();
    take(pasted, texts.paste);
  };
  const send = async (): Promise<void> => {
    const written = long?.text ?? text;
    if (written.trim() === "") return setFailure(texts.nothing);
    let history: unknown;
    try {
      history = JSON.parse(written);
    } catch (cause) {
      return setFailure(texts.notJson(messageOf(cause)));
    }
    setIsBusy(true);
    setFailure("");
    try {
      go(`${threadPlace(await importThread({ history }))}/repairs`);
    } catch (cause) {
      setFailure(messageOf(cause));
      setIsBusy(false);
    }
  };
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    void send();
  };
  return (
    <form
      onSubmit={submit}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void read(event.dataTransfer.files[0]);
      }}
      className="flex flex-col gap-2 rounded-lg border border-line bg-surface p-4 text-left"
    >
      <h2 className="font-semibold">{texts.importTitle}</h2>
      <p className="text-sm text-muted">{texts.importHint}</p>
      {long === undefined ? (
        <textarea
          ref={field}
          value={text}
          onChange={({ target }) => setText(target.value)}
          onPaste={paste}
          aria-label={texts.history}
          aria-invalid={failure !== ""}
          placeholder={texts.placeholder}
          rows={6}
          spellCheck={false}
          className="w-full rounded-md border border-control bg-surface p-2 font-mono text-xs"
        />
      ) : (
        <p role="status" className="flex flex-wrap items-center gap-2 text-sm break-words">
          <ExactText text={texts.opened(long.name, sizeText(long.text.length, language))} />
          <Button
            look="quiet"
            onClick={() => {
              flushSync(() => take("", ""));
              field.current?.focus(); // this button is gone
            }}
          >
            {texts.discard}
          </Button>
        </p>
      )}
      <FailureText text={failure} />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="main" disabled={isBusy}>
          {isBusy ? texts.importing : texts.import}
        </Button>
        <FilePicker label={texts.choose} accept=".json,application/json" onPick={(file) => void read(file)}>
          <FileUp size={16} aria-hidden /> {texts.choose}
        </FilePicker>
      </div>
    </form>
  );
}
