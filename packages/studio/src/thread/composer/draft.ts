import { useSyncExternalStore } from "react";

import { newIdempotencyKey } from "../../api/idempotency-key.ts";
import { signedIn } from "../../api/session.ts";

const listeners = new Set<() => void>();
const known = new Map<string, string>();

/** The storage of a tab outlives a session: what one person wrote is not shown to the next one. */
const placeOf = (use: string, threadId: string): string => `undangle-${use} ${JSON.stringify([signedIn(), threadId])}`;
const draftOf = (threadId: string): string => placeOf("draft", threadId);
const attemptOf = (threadId: string): string => placeOf("attempt", threadId);

function read(place: string): string {
  const text = known.get(place) ?? stored(place);
  known.set(place, text);
  return text;
}

function stored(place: string): string {
  try {
    return sessionStorage.getItem(place) ?? "";
  } catch {
    return ""; // the storage is disabled
  }
}

function write(place: string, text: string): void {
  known.set(place, text);
  try {
    sessionStorage.removeItem(place); // an older text must not come back if this one does not fit
    if (text !== "") sessionStorage.setItem(place, text);
  } catch {
    // the storage is full or disabled: the text lasts until the page is closed
  }
}

export function writeDraft(threadId: string, text: string): void {
  write(draftOf(threadId), text);
  if (text === "") write(attemptOf(threadId), ""); // the same text later is another message
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The unsent message of a thread. It survives leaving the view and a reload of the page. */
export const useDraft = (threadId: string): string => useSyncExternalStore(subscribe, () => read(draftOf(threadId)));

/**
 * The key of an attempt to send. The same content after a failure has the same key, also after a reload, so that it is
 * not sent twice.
 */
export function attemptKey(threadId: string, content: string): string {
  const before = read(attemptOf(threadId));
  const key = before.slice(0, before.indexOf(" "));
  if (key !== "" && before === `${key} ${content}`) return key;
  const fresh = newIdempotencyKey();
  write(attemptOf(threadId), `${fresh} ${content}`);
  return fresh;
}

/** The same content is another message from now on. */
export const dropAttempt = (threadId: string): void => write(attemptOf(threadId), "");

/** Removes a message that was sent from the draft. What was written in the meantime stays. */
export function dropSent(threadId: string, sent: string): void {
  dropAttempt(threadId);
  const now = read(draftOf(threadId));
  if (now.startsWith(sent)) writeDraft(threadId, now.slice(sent.length).trimStart());
}
