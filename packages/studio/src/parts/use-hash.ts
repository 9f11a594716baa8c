import { useSyncExternalStore } from "react";

/** `pushState` is sent by the router when it opens an address of the page. */
const changes = ["hashchange", "popstate", "pushState"];

function subscribe(listener: () => void): () => void {
  for (const type of changes) addEventListener(type, listener);
  return () => {
    for (const type of changes) removeEventListener(type, listener);
  };
}

/** The hash of the address, with its `#`. */
export const useHash = (): string => useSyncExternalStore(subscribe, () => location.hash);

/** Replaces the hash of the address, without a new entry in the history of the browser. */
export function replaceHash(hash: string): void {
  history.replaceState(history.state, "", `${location.pathname}${location.search}${hash}`);
  dispatchEvent(new HashChangeEvent("hashchange"));
}

/** Decodes a part of the address. People edit addresses: what cannot be decoded is used as it is. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}
