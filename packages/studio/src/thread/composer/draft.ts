import { useSyncExternalStore } from "react";

import { newIdempotencyKey } from "../../api/idempotency-key.ts";
import { keepText, keptText } from "../../api/kept-text.ts";

const listeners = new Set<() => void>();

const draftOf = (threadId: string): string => keptText("draft", [threadId]);
const keepAttempt = (threadId: string, text: string): void => keepText("attempt", [threadId], text);

export function writeDraft(threadId: string, text: string): void {
  keepText("draft", [threadId], text);
  if (text === "") keepAttempt(threadId, ""); // the same text later is another message
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The unsent message of a thread. It survives leaving the view and a reload of the page. */
export const useDraft = (threadId: string): string => useSyncExternalStore(subscribe, () => draftOf(threadId));

/**
 * The key of an attempt to send. The same content after a failure has the same key, also after a reload, so that it is
 * not sent twice.
 */
export function attemptKey(threadId: string, content: string): string {
  const before = keptText("attempt", [threadId]);
  const key = before.slice(0, before.indexOf(" "));
  if (key !== "" && before === `${key} ${content}`) return key;
  const fresh = newIdempotencyKey();
  keepAttempt(threadId, `${fresh} ${content}`);
  return fresh;
}

/** The same content is another message from now on. */
export const dropAttempt = (threadId: string): void => keepAttempt(threadId, "");

/** Removes a message that was sent from the draft. What was written in the meantime stays. */
export function dropSent(threadId: string, sent: string): void {
  dropAttempt(threadId);
  const now = draftOf(threadId);
  if (now.startsWith(sent)) writeDraft(threadId, now.slice(sent.length).trimStart());
}
