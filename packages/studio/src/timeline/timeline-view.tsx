import { useQuery } from "@tanstack/react-query";
import { Download, FileDown, FolderOpen } from "lucide-react";
import type { LucideIcon } from "lucide-react";
import { useState } from "react";
import type { Trace } from "undangle/client";
import { useLocation } from "wouter";

import { importThread } from "../api/import-thread.ts";
import { server } from "../api/server.ts";
import { messageOf } from "../parts/error-message.ts";
import { useThread } from "../api/thread.ts";
import { saveFile } from "../parts/controls/save-file.ts";
import { Badge } from "../parts/badge.tsx";
import { Button } from "../parts/controls/button.tsx";
import { ExactText } from "../parts/text/exact-text.tsx";
import { Failure, FailureText } from "../parts/failure.tsx";
import { FilePicker } from "../parts/controls/file-picker.tsx";
import { useReadAgain } from "../parts/use-read-again.ts";
import { ThreadHeader } from "../shell/thread-header.tsx";
import { threadPlace } from "../shell/address.ts";
import { useTexts } from "../texts/language.tsx";
import { shellTexts } from "../texts/shell-texts.ts";
import { timelineTexts } from "../texts/timeline-texts.ts";
import { useClock } from "./details/span-details.tsx";
import { Timeline } from "./timeline.tsx";
import { IsAThread, NotATrace, readTrace } from "./trace-file.ts";

const runs = ({ spans }: Trace): boolean => spans.some(({ type, end }) => end === null && type !== "wait");
const isLive = ({ spans }: Trace): boolean => spans.some(({ end }) => end === null);

/** How often the trace is read while bars grow, in milliseconds. */
const often = 2_000;
/** How often it is read while a person is awaited or nothing happens. */
const seldom = 30_000;

/** A file that contains a thread instead of a trace. */
interface ThreadFile {
  readonly name: string;
  readonly history: unknown;
}

/** Where the time of a thread went. It is read again when the thread has new events: it is large, and waits may last for days. */
export function TimelineView({ id }: { readonly id: string }) {
  const texts = useTexts(timelineTexts);
  const { loading } = useTexts(shellTexts);
  const { data: current, error: lost, refetch: check } = useThread(id);
  const reading = useQuery({
    queryKey: ["trace", id],
    queryFn: () => server.threads.trace(id),
    refetchInterval: ({ state }) => (state.data !== undefined && runs(state.data) ? often : seldom),
    staleTime: 0,
    enabled: current !== undefined,
  });
  const { data, error: unread, refetch: read } = reading;
  useReadAgain(current?.last_event, reading);
  const error = lost ?? unread;
  const refetch = (): void => void Promise.all([check(), read()]);
  const [file, setFile] = useState<{ readonly name: string; readonly trace: Trace }>();
  const [failure, setFailure] = useState("");
  const [thread, setThread] = useState<ThreadFile>();
  const [, go] = useLocation();
  const trace = file?.trace ?? data;
  const clock = useClock();

  const open = async (chosen: File): Promise<void> => {
    setThread(undefined);
    setFailure("");
    try {
      setFile({ name: chosen.name, trace: readTrace(await chosen.text()) });
    } catch (cause) {
      if (cause instanceof IsAThread) return setThread({ name: chosen.name, history: cause.thread });
      setFailure(cause instanceof NotATrace ? texts.notATrace(chosen.name, cause.message) : messageOf(cause));
    }
  };
  const importFile = async (chosen: ThreadFile): Promise<void> => {
    setThread(undefined); // a double click imports once
    try {
      go(threadPlace(await importThread({ history: chosen.history })));
    } catch (cause) {
      setThread(chosen);
      setFailure(messageOf(cause));
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
        {trace !== undefined && file === undefined && error === null && isLive(trace) && (
          <Badge tone="accent">{texts.live}</Badge>
        )}
        <div className="flex">
          {trace !== undefined && (
            <Action
              icon={Download}
              text={texts.exportTrace}
              onClick={() => saveFile(`trace-${trace.thread_id}.json`, trace)}
            />
          )}
          <Action icon={FileDown} text={texts.exportThread} onClick={() => void exportThread()} />
          <FilePicker
            {...actionLook(texts.openTrace)}
            label={texts.openTrace}
            accept=".json,application/json"
            onPick={(chosen) => void open(chosen)}
          >
            <ActionText icon={FolderOpen} text={texts.openTrace} />
          </FilePicker>
        </div>
      </ThreadHeader>
      <FailureText text={failure} className="mx-4 mt-3 rounded-md bg-bad-soft p-2" />
      {thread !== undefined && (
        <p
          role="status"
          className="mx-4 mt-3 flex flex-wrap items-center gap-2 rounded-md bg-accent-soft p-2 text-sm text-accent"
        >
          <ExactText text={texts.isThread(thread.name)} />
          <Button onClick={() => void importFile(thread)}>{texts.importThread}</Button>
        </p>
      )}
      {file === undefined && trace !== undefined && error !== null && (
        <p
          role="alert"
          className="mx-4 mt-3 flex flex-wrap items-center gap-2 rounded-md bg-warn-soft p-2 text-sm text-warn"
        >
          <ExactText text={texts.stale(clock(trace.at), messageOf(error))} />
          <Button onClick={refetch}>{texts.again}</Button>
        </p>
      )}
      {file !== undefined && (
        <p className="mx-4 mt-3 flex flex-wrap items-center gap-2 rounded-md bg-accent-soft p-2 text-sm text-accent">
          <ExactText text={texts.fromFile(file.name)} />
          <Button onClick={() => setFile(undefined)}>{texts.backToThread}</Button>
        </p>
      )}
      {trace === undefined && error === null && <p className="p-6 text-muted">{loading}</p>}
      {trace === undefined && error !== null && <Failure error={error} onRetry={refetch} />}
      {trace !== undefined && trace.spans.length + trace.marks.length === 0 && (
        <div className="m-auto max-w-md p-6 text-center">
          <p className="font-medium">{texts.empty}</p>
          <p className="mt-1 text-muted">{texts.emptyHint}</p>
        </div>
      )}
      {trace !== undefined && trace.spans.length + trace.marks.length > 0 && (
        <Timeline key={file?.name} trace={trace} threadId={file === undefined ? id : undefined} />
      )}
    </div>
  );
}

interface ActionTextProps {
  readonly icon: LucideIcon;
  readonly text: string;
}

/** What a button of the header shows. Narrow screens show its icon only. */
const ActionText = ({ icon: Icon, text }: ActionTextProps) => (
  <>
    <Icon size={16} aria-hidden /> <span className="sr-only xl:not-sr-only">{text}</span>
  </>
);

const actionLook = (title: string) => ({ look: "quiet", className: "px-2", title }) as const;

interface ActionProps extends ActionTextProps {
  readonly onClick: () => void;
}

const Action = ({ icon, text, onClick }: ActionProps) => (
  <Button {...actionLook(text)} onClick={onClick}>
    <ActionText icon={icon} text={text} />
  </Button>
);
