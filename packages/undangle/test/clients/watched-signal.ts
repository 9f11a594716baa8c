/** A signal that a program hands in with all its requests, and a `fetch`, which may listen to it as it likes. */
export interface WatchedSignal {
  readonly signal: () => AbortSignal;
  readonly abort: () => void;
  readonly fetch: typeof globalThis.fetch;
  /** How many listen that are not of `fetch` itself. */
  readonly strays: () => number;
}

export function watchedSignal(): WatchedSignal {
  let controller = new AbortController();
  let isOfFetch = false; // while it runs: it listens before it waits for anything
  const strays = new Set<unknown>();
  const watched = (): AbortController => {
    const fresh = new AbortController();
    const { signal } = fresh;
    const add = signal.addEventListener.bind(signal) as (...given: readonly unknown[]) => void;
    const remove = signal.removeEventListener.bind(signal) as (...given: readonly unknown[]) => void;
    strays.clear();
    signal.addEventListener = (...given: readonly unknown[]) => {
      if (!isOfFetch) strays.add(given[1]);
      add(...given);
    };
    signal.removeEventListener = (...given: readonly unknown[]) => {
      strays.delete(given[1]);
      remove(...given);
    };
    return fresh;
  };
  controller = watched();
  return {
    signal() {
      if (controller.signal.aborted) controller = watched();
      return controller.signal;
    },
    abort: () => controller.abort(),
    fetch(input, init) {
      isOfFetch = true;
      try {
        return globalThis.fetch(input, init);
      } finally {
        isOfFetch = false;
      }
    },
    strays: () => strays.size,
  };
}
