import { Copy, Download } from "lucide-react";
import { useState } from "react";

import { Button } from "../../parts/button.tsx";
import { useTexts } from "../../texts/language.tsx";
import { doctorTexts } from "../../texts/doctor-texts.ts";
import type { DoctorWorker } from "../work/worker-client.ts";

/** A longer output would block the page while it is copied. */
const longestCopy = 10_000_000;

/** Copies or downloads the repaired history. */
export function OutputActions({ ask }: { readonly ask: DoctorWorker["ask"] }) {
  const texts = useTexts(doctorTexts);
  const [status, setStatus] = useState("");
  const copy = async (): Promise<void> => {
    const file = await ask("output", {});
    if (file.size > longestCopy) {
      setStatus(texts.tooLongToCopy);
      return;
    }
    await navigator.clipboard.writeText(await file.text());
    setStatus(texts.copied);
  };
  const run = (action: () => Promise<void>): void => {
    action().catch((error: unknown) => setStatus(texts.failed(String(error))));
  };
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button onClick={() => run(copy)}>
        <Copy size={16} aria-hidden /> {texts.copy}
      </Button>
      <Button onClick={() => run(async () => save(await ask("output", {}), "repaired.json"))}>
        <Download size={16} aria-hidden /> {texts.download}
      </Button>
      <p role="status" className="w-full text-sm text-muted empty:hidden">
        {status}
      </p>
    </div>
  );
}

/** Offers a file for download. Nothing is sent: the address points into the memory of the page. */
function save(file: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
