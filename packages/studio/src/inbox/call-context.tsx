import { useQuery } from "@tanstack/react-query";
import { useLayoutEffect, useRef, useState } from "react";
import type { RefObject } from "react";
import type { PendingCall, RemoteEntry } from "undangle/client";
import { Link } from "wouter";

import { server } from "../api/server.ts";
import { useScopes } from "../api/session.ts";
import { isInTask } from "../card/contents/card-details.tsx";
import { Button } from "../parts/controls/button.tsx";
import { ExactText } from "../parts/text/exact-text.tsx";
import { FoldedText } from "../parts/text/folded-text.tsx";
import { threadPlace } from "../shell/address.ts";
import { inboxTexts } from "../texts/inbox-texts.ts";
import { useTexts } from "../texts/language.tsx";

interface CallContextProps {
  readonly threadId: string;
  readonly call: PendingCall;
}

/**
 * What the user wrote last and what the model wrote before a call, for keys that may read it. Its height is the same
 * before and after it is read, so that no button below it moves.
 */
export function CallContext({ threadId, call }: CallContextProps) {
  const { context: texts } = useTexts(inboxTexts);
  const { mayRead } = useScopes();
  const [isWhole, setIsWhole] = useState(false);
  const { data, isError } = useQuery({
    queryKey: ["context", threadId, call.id],
    queryFn: () => readContext(threadId, call.id),
    enabled: mayRead,
    staleTime: 60_000,
  });
  const list = useRef<HTMLDListElement>(null);
  const isCut = useIsCut(list, data);
  if (!mayRead) return null;
  const rows = [
    { label: isInTask(call) ? texts.task : texts.user, text: data?.user },
    { label: texts.model, text: data?.model },
  ];
  const note = isError ? texts.failed : data === undefined ? texts.loading : texts.nothing;
  const toggle = isWhole ? texts.less : texts.more;
  return (
    <section aria-label={texts.title} className="min-w-0 rounded-lg border border-line bg-surface px-3 py-2 text-sm">
      <div className="flex items-center gap-x-2">
        <h2 className="min-w-0 flex-1 truncate font-medium">{texts.title}</h2>
        <Button
          look="quiet"
          className={`px-2 ${isCut || isWhole ? "" : "invisible"}`}
          aria-expanded={isWhole}
          aria-label={`${toggle}: ${texts.before(call.name, call.id)}`}
          onClick={() => setIsWhole(!isWhole)}
        >
          {toggle}
        </Button>
        <Link
          href={`${threadPlace(threadId)}#${encodeURIComponent(call.id)}`}
          className="inline-flex min-h-9 flex-none items-center text-accent underline-offset-2 hover:underline pointer-coarse:min-h-11"
        >
          {texts.open}
        </Link>
      </div>
      <dl ref={list} className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1 leading-5">
        {rows.map(({ label, text }) => (
          <div key={label} className="contents">
            <dt className="text-muted">{label}</dt>
            <dd className={isWhole ? "min-h-10 @2xl:min-h-5" : "h-10 overflow-hidden @2xl:h-5"}>
              {text === undefined || text.trim() === "" ? (
                <span className="text-muted">{note}</span>
              ) : isWhole && text.length > longest ? (
                <FoldedText text={text} />
              ) : (
                <p className={`break-words whitespace-pre-wrap ${isWhole ? "" : "line-clamp-2 @2xl:line-clamp-1"}`}>
                  <ExactText text={isWhole ? text : text.slice(0, longest)} />
                </p>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** Longer texts are folded again, so that the page stays responsive. */
const longest = 2_000;

/** True if a text of the list is longer than its place. */
function useIsCut(list: RefObject<HTMLElement | null>, content: unknown): boolean {
  const [isCut, setIsCut] = useState(false);
  useLayoutEffect(() => {
    const element = list.current;
    if (element === null) return;
    const measure = (): void =>
      setIsCut([...element.querySelectorAll("p")].some((each) => each.scrollHeight > each.clientHeight));
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, [list, content]);
  return isCut;
}

interface Context {
  /** The last message of the user; in a task, what the sub-agent was given. */
  readonly user: string;
  readonly model: string;
}

/** Entries per request, and the most requests. A message further up is left to the view of the thread. */
const limit = 20;
const mostPages = 5;

async function readContext(threadId: string, callId: string): Promise<Context> {
  const path = callId.split("/").slice(0, -1);
  let model: string | undefined; // undefined until the turn of the call is found
  let before: number | undefined;
  for (let page = 0; page < mostPages; page++) {
    const entries = await server.threads.entries(threadId, {
      limit,
      ...(before !== undefined && { before }),
      ...(path.length > 0 && { path }),
    });
    for (const entry of entries.data.toReversed()) {
      if (model === undefined) model = textBefore(entry, callId);
      else if (isOfUser(entry)) return { user: textOf(entry.parts), model };
    }
    if (entries.before === null) break;
    before = entries.before;
  }
  return { user: "", model: model ?? "" };
}

/** What the model wrote before a call. Undefined for another entry than the turn of the call. */
function textBefore({ parts, calls }: RemoteEntry, callId: string): string | undefined {
  if (!calls.some(({ id }) => id === callId)) return undefined;
  const at = parts.findIndex((part) => part.type === "call" && part.id === callId);
  return textOf(at === -1 ? parts : parts.slice(0, at));
}

const isOfUser = ({ type, by_engine: byEngine, retracted }: RemoteEntry): boolean =>
  type === "input" && byEngine !== true && retracted !== true;

/** The text of an entry. Media are named, because the text may be about them. */
const textOf = (parts: RemoteEntry["parts"]): string =>
  parts
    .flatMap((part) => {
      if (part.type === "text") return [part.text];
      return part.type === "media" ? [`[${part.name ?? part.kind}]`] : [];
    })
    .join("\n");
