import { Copy, Download } from "lucide-react";
import { useState } from "react";

import { Button } from "../../parts/controls/button.tsx";
import { copyText } from "../../parts/controls/copy-text.ts";
import { saveFile } from "../../parts/controls/save-file.ts";
import { messageOf } from "../../parts/error-message.ts";
import { useTexts } from "../../texts/language.tsx";
import { doctorTexts } from "../../texts/doctor-texts.ts";
import type { DoctorWorker } from "../work/worker-client.ts";

/** A longer output would block the page while it is copied. */
const longestCopy = 10_000_000;

export interface OutputActionsProps {
  readonly request: DoctorWorker["request"];
  /** The name of the file that was read, if it is one. */
  readonly file: string | undefined;
  /** What is written: the word in the name of the file. */
  readonly word: "repaired" | "response";
}

/** Copies or downloads the repaired history, or the response of a stream. */
export function OutputActions({ request, file, word }: OutputActionsProps) {
  const texts = useTexts(doctorTexts);
  const [status, setStatus] = useState("");
  const copy = async (): Promise<void> => {
    const { file: output } = await request("output", {});
    if (output.size > longestCopy) {
      setStatus(texts.tooLongToCopy);
      return;
    }
    await copyText(await output.text());
    setStatus(texts.copied);
  };
  const download = async (): Promise<void> => {
    const { file: output, extension } = await request("output", {});
    const name = nameOf(file, word, extension);
    saveFile(name, output);
    setStatus(texts.downloaded(name));
  };
  const run = (action: () => Promise<void>): void => {
    action().catch((error: unknown) => setStatus(messageOf(error)));
  };
  return (
    <div className="mt-3 flex flex-wrap items-center gap-2">
      <Button look="main" onClick={() => run(copy)}>
        <Copy size={16} aria-hidden /> {texts.copy[word]}
      </Button>
      <Button onClick={() => run(download)} aria-label={texts.download[word]}>
        <Download size={16} aria-hidden /> {texts.downloadShort}
      </Button>
      <p role="status" className="text-sm break-all text-muted empty:hidden">
        {status}
      </p>
    </div>
  );
}

/** `chat.json` becomes `chat.repaired.json`. */
function nameOf(file: string | undefined, word: string, extension: string): string {
  const stem = file?.replace(/(?:\.(?:json|jsonl|ndjson|txt|log|har|gz))+$/iu, "") ?? "";
  return [stem, word, extension].filter((part) => part !== "").join(".");
}
