import { useSyncExternalStore } from "react";

function subscribe(listener: () => void): () => void {
  addEventListener("hashchange", listener);
  addEventListener("popstate", listener);
  return () => {
    removeEventListener("hashchange", listener);
    removeEventListener("popstate", listener);
  };
}

/** The hash of the address, with its `#`. */
export const useHash = (): string => useSyncExternalStore(subscribe, () => location.hash);

/** Decodes a part of the address. People edit addresses: what cannot be decoded is used as it is. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}
