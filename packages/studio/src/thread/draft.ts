import { useSyncExternalStore } from "react";

import { newKey } from "../api/new-key.ts";

const listeners = new Set<() => void>();
const held = new Map<string, string>(); // for browsers whose storage is disabled

const placeOf = (threadId: string): string => `undangle-draft ${threadId}`;

function draftOf(threadId: string): string {
  const place = placeOf(threadId);
  try {
    return sessionStorage.getItem(place) ?? "";
  } catch {
    return held.get(place) ?? "";
  }
}

export function writeDraft(threadId: string, text: string): void {
  const place = placeOf(threadId);
  try {
    if (text === "") sessionStorage.removeItem(place);
    else sessionStorage.setItem(place, text);
  } catch {
    held.set(place, text);
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
