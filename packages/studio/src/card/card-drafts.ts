import { useMemo, useSyncExternalStore } from "react";
import type { PendingCall } from "undangle/client";

import { keepText, keptText } from "../api/kept-text.ts";
import type { JsonRecord } from "../parts/json-record.ts";

/** What a person writes about a call before it is sent. */
interface Drafts {
  readonly reason: string;
  readonly result: string;
  /** True if the result is an error. */
  readonly isError: boolean;
  /** Undefined if nothing differs from the call. */
  readonly edit?: EditDraft | undefined;
}

/** What is written in the form for other arguments. */
export interface EditDraft {
  /** The tool. */
  readonly name: string;
  readonly value: JsonRecord;
  /** The arguments as JSON, if they are edited as JSON. */
  readonly text?: string | undefined;
  /** What is written in inputs and is no value, such as a number with too many digits. By the path of the input. */
  readonly unread: Readonly<Record<string, string>>;
}

/** The drafts outlive the panel, the card and the session, so that they are still there when a panel is opened again. */
export interface Drafting {
  readonly drafts: Drafts;
  readonly onDrafts: (change: Partial<Drafts>) => void;
}

const noDrafts: Drafts = { reason: "", result: "", isError: false };

const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** A draft is about what was shown: other arguments under the same id have drafts of their own. */
const keyOf = (threadId: string, { id, digest }: PendingCall): readonly string[] => [threadId, id, digest];

const draftsIn = (text: string): Drafts => (text === "" ? noDrafts : (JSON.parse(text) as Drafts)); // written below

function keep(threadId: string, call: PendingCall, text: string): void {
  keepText("call", keyOf(threadId, call), text);
  for (const listener of listeners) listener();
}

/** What the person who uses the page has written about a call. */
export function useDrafts(threadId: string, call: PendingCall): Drafting {
  const key = keyOf(threadId, call);
  const text = useSyncExternalStore(subscribe, () => keptText("call", key));
  const drafts = useMemo(() => draftsIn(text), [text]);
  const onDrafts = (change: Partial<Drafts>): void =>
    keep(threadId, call, JSON.stringify({ ...draftsIn(keptText("call", key)), ...change }));
  return { drafts, onDrafts };
}

/** Removes what was written about a call that is decided. */
export const dropDrafts = (threadId: string, call: PendingCall): void => keep(threadId, call, "");
