import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useEffect, useState } from "react";
import { Link, useLocation } from "wouter";

import { isDemo, usePersonas } from "../api/personas.ts";
import { useQueue } from "../api/queue.ts";
import { queries, server } from "../api/server.ts";
import { messageOf } from "../parts/error-message.ts";
import { useIsSessionUnknown, useNeedsKey, useScopes } from "../api/session.ts";
import { Button } from "../parts/controls/button.tsx";
import { AgoAt, useNow } from "../parts/moment.tsx";
import { ExactText } from "../parts/text/exact-text.tsx";
import { Failure, FailureText } from "../parts/failure.tsx";
import { useRested } from "../parts/use-rested.ts";
import { useTexts } from "../texts/language.tsx";
import { shellTexts } from "../texts/shell-texts.ts";
import { threadPlace, usePlace } from "./address.ts";

/** The shapes differ as well: a ring while a thread runs, a dot while it waits, nothing at rest. */
const dots = {
  idle: "",
  running: "border-2 border-accent forced-colors:border-[Highlight]",
  waiting: "bg-warn forced-colors:bg-[CanvasText]",
} as const;

/** All threads, or why there are none to see. */
export function ThreadList() {
  const texts = useTexts(shellTexts);
  const { isKnown, mayRead } = useScopes();
  const needsKey = useNeedsKey();
  const isSessionUnknown = useIsSessionUnknown();
  if (needsKey || isSessionUnknown) return null; // the doctor, which is shown without a session
  return (
    <section aria-label={texts.threads} className="mt-3 flex min-h-0 flex-1 flex-col gap-2 border-t border-line pt-3">
      {isKnown && !mayRead ? <p className="px-2 text-sm text-muted">{texts.mayNotRead}</p> : <Threads />}
    </section>
  );
}

/** The latest first, with a search and a button for a new one. */
function Threads() {
  const texts = useTexts(shellTexts);
  const [, go] = useLocation();
  const place = usePlace();
  const [typed, setTyped] = useState("");
  const search = useRested(typed.trim(), 250);
  const now = useNow(30_000);
  const [failure, setFailure] = useState("");
  const [isBusy, setIsBusy] = useState(false);
  const { data, error, isPending, isError, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ["threads", search],
    queryFn: ({ pageParam }) =>
      server.threads.list({ limit: 30, q: search === "" ? undefined : search, cursor: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
    refetchInterval: 10_000,
    placeholderData: keepPreviousData,
  });
  const queued = useRested(useQueue().threads, 500);
  useEffect(() => void queries.invalidateQueries({ queryKey: ["threads"] }), [queued]);
  const demo = usePersonas().find(isDemo);
  const threads = data?.pages.flatMap((page) => page.data) ?? [];
  const create = async (): Promise<void> => {
    setFailure("");
    setIsBusy(true);
    try {
      const { id } = await server.threads.create(demo === undefined ? {} : { persona: demo.id });
      go(threadPlace(id));
      await queries.invalidateQueries({ queryKey: ["threads"] });
    } catch (thrown) {
      setFailure(messageOf(thrown));
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <>
      <Button disabled={isBusy} onClick={({ detail }) => detail < 2 && void create()}>
        <Plus size={16} aria-hidden /> {texts.newThread}
      </Button>
      <FailureText text={failure} />
      <input
        type="search"
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
        placeholder={texts.search}
        aria-label={texts.search}
        className="min-h-9 rounded-md border border-control bg-surface px-2 py-1 text-sm"
      />
      <ul className="min-h-0 flex-1 overflow-auto">
        {threads.map(({ id, title, status, updated_at: updated }) => (
          <li key={id}>
            <Link
              href={threadPlace(id)}
              aria-current={place === threadPlace(id) || place.startsWith(`${threadPlace(id)}/`) ? "page" : undefined}
              className="flex min-h-9 items-center gap-2 rounded-md px-2 py-1 text-sm -outline-offset-2 hover:bg-raised aria-[current=page]:bg-accent-soft pointer-coarse:min-h-11 forced-colors:aria-[current=page]:underline"
            >
              <span
                className={`size-2.5 flex-none rounded-full forced-color-adjust-none ${dots[status]}`}
                title={texts.status[status]}
              />
              <span className="truncate" title={title ?? texts.untitled}>
                <ExactText text={title ?? texts.untitled} />
              </span>
              <span className="ml-auto flex-none text-xs text-muted">
                <AgoAt at={Date.parse(updated)} now={Math.max(now, Date.parse(updated))} isNarrow />
              </span>
              {status !== "idle" && <span className="sr-only">{texts.status[status]}</span>}
            </Link>
          </li>
        ))}
        {isPending && <li className="px-2 text-sm text-muted">{texts.loading}</li>}
        {data !== undefined && threads.length === 0 && (
          <li className="px-2 text-sm text-muted">{search === "" ? texts.noThreads : texts.noneFound}</li>
        )}
      </ul>
      {isError && <Failure error={error} onRetry={() => void refetch()} />}
      {hasNextPage && (
        <Button look="quiet" onClick={() => void fetchNextPage()}>
          {texts.more}
        </Button>
      )}
    </>
  );
}
