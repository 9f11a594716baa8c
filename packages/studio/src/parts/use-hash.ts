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
