import { useQuery } from "@tanstack/react-query";
import { Download, FileDown, FolderOpen } from "lucide-react";
import type { LucideIcon } from "lucide-react";
import { useMemo, useRef, useState } from "react";
import type { Trace } from "undangle/client";

import { messageOf, server } from "../api/server.ts";
import { saveFile } from "../parts/save-file.ts";
import { Badge } from "../parts/badge.tsx";
import { Button } from "../parts/button.tsx";
import { Failure } from "../parts/failure.tsx";
import { useNow } from "../parts/moment.tsx";
import { ThreadHeader } from "../shell/thread-header.tsx";
import { useTexts } from "../texts/language.tsx";
import { shellTexts } from "../texts/shell-texts.ts";
import { timelineTexts } from "../texts/timeline-texts.ts";
import { Timeline } from "./timeline.tsx";
import { NotATrace, readTrace } from "./trace-file.ts";

const isLive = ({ spans }: Trace): boolean => spans.some(({ end }) => end === null);

/** Where the time of a thread went. It is read again every two seconds while something runs or waits. */
export function TimelineView({ id }: { readonly id: string }) {
  const texts = useTexts(timelineTexts);
  const { loading } = useTexts(shellTexts);
  const { data, error, refetch } = useQuery({
    queryKey: ["trace", id],
    queryFn: () => server.threads.trace(id),
    refetchInterval: ({ state }) => (state.data !== undefined && isLive(state.data) ? 2_000 : 10_000),
  });
  const [file, setFile] = useState<{ readonly name: string; readonly trace: Trace }>();
  const [failure, setFailure] = useState("");
  const picker = useRef<HTMLInputElement>(null);
  const trace = file?.trace ?? data;

  const open = async (chosen: File | undefined): Promise<void> => {
    if (chosen === undefined) return;
    try {
      setFile({ name: chosen.name, trace: readTrace(await chosen.text()) });
      setFailure("");
    } catch (cause) {
      setFailure(cause instanceof NotATrace ? texts.notATrace(chosen.name, cause.message) : messageOf(cause));
    }
  };
  const exportThread = async (): Promise<void> => {
    try {
      saveFile(`thread-${id}.json`, await server.threads.export(id));
      setFailure("");
    } catch (cause) {
      setFailure(messageOf(cause));
    }
  };

  return (
    <div className="flex min-h-full flex-col md:h-full">
      <ThreadHeader id={id} view={texts.title}>
        {trace !== undefined && file === undefined && isLive(trace) && <Badge tone="accent">{texts.live}</Badge>}
        <div className="flex">
          {trace !== undefined && (
            <Action
              icon={Download}
              text={texts.exportTrace}
              onClick={() => saveFile(`trace-${trace.thread_id}.json`, trace)}
            />
          )}
          <Action icon={FileDown} text={texts.exportThread} onClick={() => void exportThread()} />
          <Action icon={FolderOpen} text={texts.openTrace} onClick={() => picker.current?.click()} />
          <input
            ref={picker}
            type="file"
            accept=".json,application/json"
            aria-label={texts.openTrace}
            className="hidden"
            onChange={({ target }) => {
              void open(target.files?.[0]);
              target.value = ""; // the same file can be chosen again
            }}
          />
        </div>
      </ThreadHeader>
      {failure !== "" && (
        <p role="alert" className="mx-4 mt-3 rounded-md bg-bad-soft p-2 text-sm text-bad">
          {failure}
        </p>
      )}
      {file !== undefined && (
        <p className="mx-4 mt-3 flex flex-wrap items-center gap-2 rounded-md bg-accent-soft p-2 text-sm text-accent">
          {texts.fromFile(file.name)}
          <Button onClick={() => setFile(undefined)}>{texts.backToThread}</Button>
        </p>
      )}
      {trace === undefined && error === null && <p className="p-6 text-muted">{loading}</p>}
      {trace === undefined && error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {trace !== undefined && trace.spans.length + trace.marks.length === 0 && (
        <div className="m-auto max-w-md p-6 text-center">
          <p className="font-medium">{texts.empty}</p>
          <p className="mt-1 text-muted">{texts.emptyHint}</p>
        </div>
      )}
      {trace !== undefined && trace.spans.length + trace.marks.length > 0 && (
        <TimedTrace key={file?.name} trace={trace} threadId={file === undefined ? id : undefined} />
      )}
    </div>
  );
}

interface ActionProps {
  readonly icon: LucideIcon;
  readonly text: string;
  readonly onClick: () => void;
}

/** A button of the header. Narrow screens show its icon only. */
const Action = ({ icon: Icon, text, onClick }: ActionProps) => (
  <Button look="quiet" className="px-2" title={text} onClick={onClick}>
    <Icon size={16} aria-hidden /> <span className="sr-only xl:not-sr-only">{text}</span>
  </Button>
);

/** A trace whose open spans last until now. Those of a file lasted until its latest time. */
function TimedTrace({ trace, threadId }: { readonly trace: Trace; readonly threadId: string | undefined }) {
  const isOpen = isLive(trace) && threadId !== undefined;
  const clock = useNow(isOpen ? 1_000 : 600_000);
  const latest = useMemo(
    () => trace.spans.reduce((most, { start, end }) => Math.max(most, start, end ?? start), 0),
    [trace],
  );
  return <Timeline trace={trace} threadId={threadId} now={isOpen ? Math.max(clock, latest) : latest} />;
}
