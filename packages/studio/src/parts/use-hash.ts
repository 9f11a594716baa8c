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

/** Replaces the hash of the address, without a new entry in the history of the browser. */
export function replaceHash(hash: string): void {
  history.replaceState(history.state, "", `${location.pathname}${location.search}${hash}`);
  dispatchEvent(new HashChangeEvent("hashchange"));
}
