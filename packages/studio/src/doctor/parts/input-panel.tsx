import { FileUp, Stethoscope } from "lucide-react";
import { useRef, useState } from "react";
import type { ClipboardEvent, DragEvent } from "react";

import { Button } from "../../parts/button.tsx";
import { useTexts } from "../../texts/language.tsx";
import { doctorTexts } from "../../texts/doctor-texts.ts";
import { sampleNames, samples } from "../samples.ts";
import type { Sample } from "../samples.ts";
import type { Doctor } from "../use-doctor.ts";

/** A longer text is examined without being shown in the field, which would slow the page down. */
const longestShown = 200_000;

/** Where a person pastes, drops or opens something, or chooses a sample. */
export function InputPanel({ doctor: { read } }: { readonly doctor: Doctor }) {
  const texts = useTexts(doctorTexts);
  const [text, setText] = useState("");
  const [isOver, setIsOver] = useState(false);
  const picker = useRef<HTMLInputElement>(null);
  const open = (file: File | undefined): void => {
    if (file !== undefined) read(file, texts.opened(file.name, sizeText(file.size)));
  };
  const examine = (): void => {
    if (text.trim() !== "") read(text, texts.opened(texts.paste, sizeText(text.length)));
  };
  const paste = (event: ClipboardEvent): void => {
    const [file] = event.clipboardData.files;
    const pasted = event.clipboardData.getData("text");
    if (file === undefined && (text !== "" || pasted.trim() === "")) return;
    event.preventDefault();
    if (file !== undefined) open(file);
    else {
      if (pasted.length <= longestShown) setText(pasted);
      read(pasted, texts.opened(texts.paste, sizeText(pasted.length)));
    }
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setIsOver(false);
    const dropped = event.dataTransfer.getData("text");
    const [file] = event.dataTransfer.files;
    if (file !== undefined) open(file);
    else if (dropped !== "") read(dropped, texts.opened(texts.paste, sizeText(dropped.length)));
  };
  return (
    <>
      <section
        aria-label={texts.input}
        onDragOver={(event) => {
          event.preventDefault();
          setIsOver(true);
        }}
        onDragLeave={() => setIsOver(false)}
        onDrop={drop}
        className={`rounded-lg border bg-surface p-3 ${isOver ? "border-accent ring-2 ring-accent" : "border-line"}`}
      >
        <textarea
          value={text}
          onChange={({ target }) => setText(target.value)}
          onPaste={paste}
          onKeyDown={({ key, ctrlKey, metaKey }) => {
            if (key === "Enter" && (ctrlKey || metaKey)) examine();
          }}
          aria-label={texts.input}
          placeholder={isOver ? texts.drop : texts.placeholder}
          spellCheck={false}
          rows={9}
          className="block w-full resize-y rounded-md border border-control bg-surface p-3 font-mono text-sm placeholder:text-muted"
        />
        <div className="mt-3 flex flex-wrap gap-2">
          <Button look="main" onClick={examine} disabled={text.trim() === ""}>
            <Stethoscope size={16} aria-hidden /> {texts.examine}
          </Button>
          <Button onClick={() => picker.current?.click()}>
            <FileUp size={16} aria-hidden /> {texts.open}
          </Button>
          <input
            ref={picker}
            type="file"
            className="hidden"
            aria-label={texts.open}
            onChange={({ target }) => open(target.files?.[0])}
          />
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
    </>
  );
}

function sizeText(size: number): string {
  if (size < 1000) return `${size} B`;
  return size < 1e6 ? `${Math.round(size / 1000)} kB` : `${(size / 1e6).toFixed(1)} MB`;
}
