import { useSyncExternalStore } from "react";

/** A key that was just created, with its text. */
export interface KeyText {
  readonly name: string;
  readonly text: string;
  /** Why this page could not sign in with it, if it is the first key and the page tried. */
  readonly failure?: string;
}

let shown: KeyText | undefined;
const listeners = new Set<() => void>();

/** Keeps the text of a new key until the person closes it. The server shows it once. */
export function showKeyText(key: KeyText | undefined): void {
  shown = key;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useKeyText = (): KeyText | undefined => useSyncExternalStore(subscribe, () => shown);
