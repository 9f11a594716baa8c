import { useSyncExternalStore } from "react";

import { newKey } from "../api/new-key.ts";

const listeners = new Set<() => void>();
const drafts = new Map<string, string>();

const placeOf = (threadId: string): string => `undangle-draft ${threadId}`;

function draftOf(threadId: string): string {
  const known = drafts.get(threadId);
  if (known !== undefined) return known;
  const stored = storedDraft(threadId);
  drafts.set(threadId, stored);
  return stored;
}

function storedDraft(threadId: string): string {
  try {
    return sessionStorage.getItem(placeOf(threadId)) ?? "";
  } catch {
    return ""; // the storage is disabled
  }
}

export function writeDraft(threadId: string, text: string): void {
  drafts.set(threadId, text);
  try {
    sessionStorage.removeItem(placeOf(threadId)); // an older text must not come back if this one does not fit
    if (text !== "") sessionStorage.setItem(placeOf(threadId), text);
  } catch {
    // the storage is full or disabled: the draft lasts until the page is closed
  }
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The unsent message of a thread. It survives leaving the view and a reload of the page. */
export const useDraft = (threadId: string): string => useSyncExternalStore(subscribe, () => draftOf(threadId));

const attempts = new Map<string, { readonly content: string; readonly key: string }>();

/** The key of an attempt to send. The same content after a failure has the same key, so that it is not sent twice. */
export function attemptKey(threadId: string, content: string): string {
  const before = attempts.get(threadId);
  if (before?.content === content) return before.key;
  const key = newKey();
  attempts.set(threadId, { content, key });
  return key;
}

/** Removes a message that was sent from the draft. What was written in the meantime stays. */
export function dropSent(threadId: string, sent: string): void {
  attempts.delete(threadId);
  const now = draftOf(threadId);
  if (now.startsWith(sent)) writeDraft(threadId, now.slice(sent.length).trimStart());
}
