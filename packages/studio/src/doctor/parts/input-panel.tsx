import { FileUp, Stethoscope } from "lucide-react";
import { useEffect, useRef } from "react";
import type { ClipboardEvent } from "react";

import { Button } from "../../parts/controls/button.tsx";
import { FilePicker } from "../../parts/controls/file-picker.tsx";
import { sizeText } from "../../parts/text/size-text.ts";
import { useLanguage, useTexts } from "../../texts/language.tsx";
import { doctorTexts } from "../../texts/doctor-texts.ts";
import { sampleNames, samples } from "../samples.ts";
import type { Sample } from "../samples.ts";
import type { Doctor } from "../use-doctor.ts";
import type { Given } from "../use-drop.ts";

export interface InputPanelProps {
  readonly doctor: Doctor;
  readonly take: Given;
}

/** Where a person pastes or opens something, or chooses a sample. */
export function InputPanel({ doctor: { state, draft, write, read, prepare }, take }: InputPanelProps) {
  const texts = useTexts(doctorTexts);
  const field = useRef<HTMLTextAreaElement>(null);
  const language = useLanguage();
  const isReturn = state.phase === "failed" || (state.phase === "empty" && state.isReturn);
  useEffect(() => {
    if (isReturn) field.current?.focus();
  }, [isReturn]);
  const examine = (): void => {
    if (draft.trim() !== "") read(draft, texts.opened(texts.paste, sizeText(draft.length, language)));
  };
  const paste = (event: ClipboardEvent): void => {
    const hasFile = event.clipboardData.files.length > 0;
    if (!hasFile && (draft !== "" || event.clipboardData.getData("text").trim() === "")) return;
    event.preventDefault();
    take(event.clipboardData);
  };
  return (
    <div className="contents" onFocus={prepare} onPointerDown={prepare}>
      <section aria-label={texts.input} className="rounded-lg border border-line bg-surface p-3">
        <textarea
          ref={field}
          value={draft}
          onChange={({ target }) => write(target.value)}
          onPaste={paste}
          onKeyDown={({ key, ctrlKey, metaKey }) => {
            if (key === "Enter" && (ctrlKey || metaKey)) examine();
          }}
          aria-label={texts.input}
          placeholder={texts.placeholder}
          spellCheck={false}
          rows={9}
          className="block w-full resize-y rounded-md border border-control bg-surface p-3 font-mono text-sm placeholder:text-muted"
        />
        <div className="mt-3 flex flex-wrap items-center gap-2">
          <Button look="main" onClick={examine} disabled={draft.trim() === ""}>
            <Stethoscope size={16} aria-hidden /> {texts.examine}
          </Button>
          <FilePicker
            label={texts.open}
            onPick={(file) => read(file, texts.opened(file.name, sizeText(file.size, language)))}
          >
            <FileUp size={16} aria-hidden /> {texts.open}
          </FilePicker>
          <p className="text-sm text-muted pointer-coarse:hidden">{texts.dropHint}</p>
        </div>
      </section>
      <section aria-labelledby="samples">
        <h2 id="samples" className="mb-2 font-semibold">
          {texts.samples}
        </h2>
        <ul className="grid gap-2 sm:grid-cols-2 xl:grid-cols-3">
          {sampleNames.map((name) => (
            <li key={name}>
              <button
                type="button"
                className="h-full w-full rounded-md border border-line bg-surface px-3 py-2 text-left text-sm hover:border-control hover:bg-raised"
                onClick={() => {
                  const { text: sample, provider }: Sample = samples[name];
                  read(sample, texts.sampleNames[name], { provider });
                }}
              >
                {texts.sampleNames[name]}
              </button>
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}
