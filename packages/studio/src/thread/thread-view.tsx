import { useQuery } from "@tanstack/react-query";
import { PanelRight, Wrench } from "lucide-react";
import { useCallback, useEffect, useRef, useState } from "react";
import type { PendingCall } from "undangle/client";
import { Link, useLocation } from "wouter";

import { newIdempotencyKey } from "../api/idempotency-key.ts";
import { useQueue } from "../api/queue.ts";
import { queries, server } from "../api/server.ts";
import { messageOf } from "../parts/error-message.ts";
import { useSession } from "../api/session.ts";
import { waitingTurn } from "../card/call-group.tsx";
import { Badge } from "../parts/badge.tsx";
import { Button } from "../parts/controls/button.tsx";
import { FailureText } from "../parts/failure.tsx";
import { usePageTitle } from "../shell/page-title.ts";
import { threadPlace } from "../shell/address.ts";
import { ThreadBar } from "../shell/thread-header.tsx";
import { connectionTexts } from "../texts/connection-texts.ts";
import { useTexts } from "../texts/language.tsx";
import { shellTexts } from "../texts/shell-texts.ts";
import { threadTexts } from "../texts/thread-texts.ts";
import { Announcer } from "./announcer.tsx";
import { Composer } from "./composer/composer.tsx";
import { Conversation } from "./conversation/conversation.tsx";
import { LostBadge, lostInTree, LostReport, useReadLost } from "./lost-calls.tsx";
import { PendingCalls } from "./pending-calls.tsx";
import { SidePanel } from "./side-panel.tsx";
import { useThreadFeed } from "./feed/thread-feed.ts";
import { ThreadRefusal } from "./thread-refusal.tsx";
import { ThreadTitle } from "./thread-title.tsx";

const noCalls: readonly PendingCall[] = [];

const tones = { idle: "neutral", running: "accent", waiting: "warn" } as const;

/** The chat: the conversation with its calls, the pending calls, and the composer. */
export function ThreadView({ id }: { readonly id: string }) {
  const texts = useTexts(threadTexts);
  const shell = useTexts(shellTexts);
  const { lost } = useTexts(connectionTexts);
  const [, go] = useLocation();
  const [attempt, setAttempt] = useState(0);
  const { feed, source } = useThreadFeed({ id, version: attempt });
  const { state, thread, error, connection, isLoadingOlder } = feed;
  const [readLost, reportLost] = useReadLost();
  const [failure, setFailure] = useState("");
  const [sent, setSent] = useState(0);
  const onSent = useCallback(() => setSent((count) => count + 1), []);
  const hasSession = useSession().data !== undefined; // a draft belongs to the person who wrote it
  const column = useRef<HTMLDivElement>(null);
  usePageTitle(thread?.title ?? shell.untitled);
  const sideOpener = useRef<HTMLButtonElement>(null);
  const [isSideOpen, setIsSideOpen] = useState(() => matchMedia("(min-width: 90rem)").matches);
  const { data: repairs } = useQuery({
    queryKey: ["repairs", id],
    queryFn: () => server.threads.repairs(id),
    enabled: state !== undefined,
    retry: false,
  });
  const reported = state?.repairs ?? 0;
  useEffect(() => {
    if (reported > 0) void queries.invalidateQueries({ queryKey: ["repairs", id] });
  }, [id, reported]);

  const onOlder = useCallback(() => void source.loadOlder(), [source]);
  const busy = useRef(new Set<string>()); // a double click acts once, and does not stop another action
  const attemptTo = useCallback(
    async (action: string, work: () => Promise<unknown>): Promise<void> => {
      if (busy.current.has(action)) return;
      busy.current.add(action);
      setFailure("");
      try {
        await work();
      } catch (thrown) {
        setFailure(messageOf(thrown));
      } finally {
        busy.current.delete(action);
      }
      source.refresh();
    },
    [source],
  );
  const onRetry = useCallback(
    () => void attemptTo("retry", () => server.threads.start.regenerate(id, { idempotencyKey: newIdempotencyKey() })),
    [attemptTo, id],
  );
  const title = thread?.title ?? undefined;
  const onFork = useCallback(
    (at: number) =>
      void attemptTo("fork", async () => {
        const wish = { at, ...(title !== undefined && { title: texts.forkTitle(title).slice(0, 200) }) };
        const fork = await server.threads.fork(id, wish, { idempotencyKey: newIdempotencyKey() });
        await queries.invalidateQueries({ queryKey: ["threads"] });
        go(threadPlace(fork.id));
      }),
    [attemptTo, go, id, texts, title],
  );
  const onRename = useCallback(
    (wanted: string) => void attemptTo(`rename to ${wanted}`, () => server.threads.update(id, { title: wanted })),
    [attemptTo, id],
  );

  const closeSide = (): void => {
    setIsSideOpen(false);
    sideOpener.current?.focus();
  };
  const report = useQueue().threads.find((each) => each.id === id);
  useEffect(() => source.refresh(), [source, report]); // a queued message and a deletion have no event of the thread
  const pending = thread?.pending ?? noCalls;
  const isLost = connection === "lost";
  const status = pending.length > 0 ? "waiting" : state?.isRunning === true ? "running" : "idle";
  useEffect(() => void queries.invalidateQueries({ queryKey: ["threads"] }), [status, title]); // the list shows both

  if (error !== undefined) return <ThreadRefusal id={id} error={error} onRetry={() => setAttempt(attempt + 1)} />;
  return (
    <div className="flex h-full min-h-0 flex-col">
      <ThreadBar
        id={id}
        title={<ThreadTitle title={thread?.title} onRename={onRename} />}
        end={
          <Button
            ref={sideOpener}
            look="quiet"
            aria-label={texts.side.open}
            title={texts.side.open}
            aria-expanded={isSideOpen}
            onClick={() => setIsSideOpen(!isSideOpen)}
          >
            <PanelRight size={16} aria-hidden />
          </Button>
        }
      >
        {isLost ? (
          <Badge>{texts.connection.none}</Badge>
        ) : (
          state !== undefined && <Badge tone={tones[status]}>{shell.status[status]}</Badge>
        )}
        {state !== undefined && <LostBadge calls={lostInTree(state, readLost)} />}
        {repairs !== undefined && repairs.length > 0 && (
          <Link
            href={`${threadPlace(id)}/repairs`}
            className="inline-flex items-center gap-1 rounded bg-accent-soft px-1.5 py-0.5 text-xs font-medium text-accent"
          >
            <Wrench size={12} aria-hidden /> {texts.repairs(repairs.length)}
          </Link>
        )}
      </ThreadBar>
      {isLost && (
        <p role="status" className="bg-warn-soft px-4 py-2 text-sm text-warn">
          {lost}
        </p>
      )}
      <FailureText text={failure} className="bg-bad-soft px-4 py-2" />
      <div className="flex min-h-0 flex-1">
        <div
          ref={column}
          tabIndex={-1}
          className="group/column flex min-h-0 min-w-0 flex-1 flex-col outline-none [@media(height<36rem)]:overflow-auto"
        >
          {state === undefined ? (
            <p className="flex-1 p-6 text-muted">{isLost ? lost : texts.loading}</p>
          ) : (
            <LostReport value={reportLost}>
              <Conversation
                threadId={id}
                persona={thread?.persona ?? ""}
                state={state}
                pending={pending}
                isLoadingOlder={isLoadingOlder}
                follow={sent}
                onOlder={onOlder}
                onFork={onFork}
                onRetry={onRetry}
              />
            </LostReport>
          )}
          <PendingCalls
            threadId={id}
            calls={pending}
            turn={waitingTurn(state?.entries ?? [])}
            onDone={() => column.current?.focus({ preventScroll: true })}
          />
          {thread !== undefined && hasSession && (
            // on phones, the form of a decision needs its place
            <div className="border-t border-line bg-page max-sm:group-has-data-panel/column:hidden">
              <Composer
                key={id}
                thread={thread}
                isRunning={state?.isRunning === true}
                isConnected={!isLost}
                lastMode={state?.mode}
                onChange={source.refresh}
                onSent={onSent}
              />
            </div>
          )}
        </div>
        {isSideOpen && thread !== undefined && state !== undefined && (
          <SidePanel thread={thread} state={state} onClose={closeSide} onDelete={() => setAttempt(attempt + 1)} />
        )}
      </div>
      {state !== undefined && <Announcer state={state} pending={pending.length} />}
    </div>
  );
}
