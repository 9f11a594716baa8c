import { useEffect, useState } from "react";
import { useSearchParams } from "wouter";

import { callKey } from "../api/call-key.ts";
import { useQueue } from "../api/queue.ts";

import type { InboxLine } from "./inbox-lines.ts";

/** The call that the address names. */
export interface LinkedCall {
  readonly thread: string;
  readonly call: string;
}

interface LinkedLine {
  /** Present if the call does not wait. */
  readonly missing: LinkedCall | undefined;
  /** Removes the call from the address. */
  readonly dismiss: () => void;
}

/** Opens the line of the call that the address names, once it is known, unless the person has opened another one. */
export function useLinkedLine(
  waiting: readonly InboxLine[],
  open: InboxLine | undefined,
  setOpen: (line: InboxLine) => void,
): LinkedLine {
  const [search, setSearch] = useSearchParams();
  const { threads, connection } = useQueue();
  const [thread, call] = [search.get("thread"), search.get("call")];
  const linked = thread === null || call === null ? undefined : { thread, call };
  const key = linked === undefined ? "" : callKey(linked.thread, linked.call);
  const [followed, setFollowed] = useState(""); // the key of the call that was opened
  const line = waiting.find((each) => each.key === key);
  const isNew = key !== followed;
  const isWanted = isNew && open === undefined && line !== undefined;
  useEffect(() => {
    if (isNew && open !== undefined) setFollowed(key);
    if (!isWanted) return;
    setFollowed(key);
    setOpen(line);
  }, [isNew, isWanted, open]);
  useEffect(() => {
    if (followed !== "" && open?.key === followed) focusCard(followed);
  }, [followed]);
  const isUnreadable = threads.some(({ id, error }) => id === thread && error !== undefined);
  const isMissing = isNew && line === undefined && connection === "open" && !isUnreadable;
  return { missing: isMissing ? linked : undefined, dismiss: () => setSearch({}, { replace: true }) };
}

/** Moves the focus to the card of a line, and the line to the top. */
function focusCard(key: string): void {
  const line = document.querySelector(`[data-line=${CSS.escape(key)}]`);
  line?.querySelector<HTMLElement>("[data-card]")?.focus({ preventScroll: true });
  line?.scrollIntoView({ block: "start" });
}
