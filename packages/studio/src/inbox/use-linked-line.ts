import { useEffect, useRef, useState } from "react";
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

/**
 * Opens the line of the call that the address names, now or when the queue reports it, and again after Back and Forward.
 * A call that comes later opens only while the person does nothing else in the page: it would take the keys that are
 * meant for something else.
 */
export function useLinkedLine(
  waiting: readonly InboxLine[],
  open: InboxLine | undefined,
  setOpen: (line: InboxLine | undefined) => void,
): LinkedLine {
  const [search, setSearch] = useSearchParams();
  const { threads, connection } = useQueue();
  const [thread, call] = [search.get("thread"), search.get("call")];
  const linked = thread === null || call === null ? undefined : { thread, call };
  const key = linked === undefined ? "" : callKey(linked.thread, linked.call);
  const [followed, setFollowed] = useState(""); // the key of the call that was opened, or will not be
  const line = waiting.find((each) => each.key === key);
  const isNew = key !== followed;
  const addressed = useRef("");
  useEffect(() => {
    const isOther = addressed.current !== key;
    addressed.current = key;
    if (key === "") setFollowed("");
    else if (isOther || (isNew && open === undefined && isFocusFree())) {
      setOpen(line); // also closes that of the address before
      if (line !== undefined) setFollowed(key);
    } else if (isNew && (line !== undefined || open !== undefined)) setFollowed(key);
  }, [key, isNew, line, open, setOpen]);
  useEffect(() => {
    if (followed !== "" && open?.key === followed) focusCard(followed);
  }, [followed]);
  const isUnreadable = threads.some(({ id, error }) => id === thread && error !== undefined);
  const isMissing = isNew && line === undefined && connection === "open" && !isUnreadable;
  return { missing: isMissing ? linked : undefined, dismiss: () => setSearch({}, { replace: true }) };
}

const isFocusFree = (): boolean => document.activeElement === document.body;

/** Moves the focus to the card of a line, and the line to the top. */
function focusCard(key: string): void {
  const line = document.querySelector(`[data-line=${CSS.escape(key)}]`);
  line?.querySelector<HTMLElement>("[data-card]")?.focus({ preventScroll: true });
  line?.scrollIntoView({ block: "start" });
}
