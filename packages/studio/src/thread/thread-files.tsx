import { useQuery } from "@tanstack/react-query";
import { Download, FileText } from "lucide-react";
import { useState } from "react";
import type { RemoteFile } from "undangle/client";

import { server } from "../api/server.ts";
import { messageOf } from "../parts/error-message.ts";
import { ExactText } from "../parts/text/exact-text.tsx";
import { Failure, FailureText } from "../parts/failure.tsx";
import { FoldedText } from "../parts/text/folded-text.tsx";
import { saveFile } from "../parts/controls/save-file.ts";
import { sizeText } from "../parts/text/size-text.ts";
import { useReadAgain } from "../parts/use-read-again.ts";
import { useLanguage, useTexts } from "../texts/language.tsx";
import { threadTexts } from "../texts/thread-texts.ts";

interface ThreadFilesProps {
  readonly id: string;
  /** The files are listed again when this number changes. */
  readonly at: number;
}

/** The files of a thread with their sizes. A text can be read here; everything can be saved. */
export function ThreadFiles({ id, at }: ThreadFilesProps) {
  const { side: texts } = useTexts(threadTexts);
  const reading = useQuery({ queryKey: ["files", id], queryFn: () => server.threads.files(id), staleTime: 0 });
  useReadAgain(at, reading);
  const { data, error } = reading;
  if (error !== null) return <Failure error={error} />;
  if (data?.length === 0) return <p className="text-muted">{texts.noFiles}</p>;
  return (
    <ul className="flex min-w-0 flex-col gap-1">
      {data?.map((file) => (
        <FileRow key={file.path} id={id} file={file} />
      ))}
    </ul>
  );
}

function FileRow({ id, file: { path, size, modifiedAt } }: { readonly id: string; readonly file: RemoteFile }) {
  const { side: texts } = useTexts(threadTexts);
  const language = useLanguage();
  const [isOpen, setIsOpen] = useState(false);
  const [failure, setFailure] = useState("");
  const save = async (): Promise<void> => {
    try {
      saveFile(path.split("/").at(-1) ?? "file", await server.threads.readFile(id, path));
    } catch (error) {
      setFailure(messageOf(error));
    }
  };
  return (
    <li className="min-w-0">
      <div className="flex min-w-0 items-center gap-1">
        <button
          type="button"
          aria-expanded={isOpen}
          title={isOpen ? texts.hide(path) : texts.show(path)}
          onClick={() => setIsOpen(!isOpen)}
          className="flex min-h-8 min-w-0 flex-1 pointer-coarse:min-h-11 items-center gap-2 rounded px-1 text-left hover:bg-raised"
        >
          <FileText size={14} aria-hidden className="flex-none text-muted" />
          <span className="min-w-0 flex-1 truncate font-mono text-xs">
            <ExactText text={path} />
          </span>
          <span className="flex-none text-xs text-muted">{sizeText(size, language)}</span>
        </button>
        <button
          type="button"
          aria-label={texts.download(path)}
          title={texts.download(path)}
          onClick={() => void save()}
          className="grid size-8 flex-none place-items-center rounded text-muted hover:bg-raised pointer-coarse:size-11"
        >
          <Download size={14} aria-hidden />
        </button>
      </div>
      <FailureText text={failure} />
      {isOpen && <FileContent id={id} path={path} at={modifiedAt} />}
    </li>
  );
}

function FileContent({ id, path, at }: { readonly id: string; readonly path: string; readonly at: string }) {
  const { side: texts } = useTexts(threadTexts);
  const { data, error } = useQuery({
    queryKey: ["file", id, path, at],
    queryFn: async () => textIn(await server.threads.readFile(id, path)),
  });
  if (error !== null) return <Failure error={error} />;
  if (data === undefined) return null;
  return data === null ? <p className="text-muted">{texts.binary}</p> : <FoldedText text={data} />;
}

/** The text of a file; null if it is not UTF-8. */
function textIn(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.includes("\0") ? null : text;
  } catch {
    return null;
  }
}
