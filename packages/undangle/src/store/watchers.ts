/** Receives the number of the last event; Infinity means unknown, so the store must be read. */
export type OnEvents = (lastEvent: number) => void;

/** The subscribers to events of threads. */
export interface Watchers {
  /** Returns a function that unsubscribes. */
  readonly add: (id: string, onEvents: OnEvents) => () => void;
  /** Reports the last event of a thread, to watchers that have not received it yet. */
  readonly notify: (id: string, lastEvent: number) => void;
  /** Makes all watchers read the store, because no further notification will come. */
  readonly notifyAll: () => void;
  /** The threads that are watched. */
  readonly ids: () => readonly string[];
}

/** `isWatched` is called when the first watcher subscribes and the last unsubscribes. */
export function createWatchers(isWatched: (isWatched: boolean) => void = () => undefined): Watchers {
  const threads = new Map<string, { readonly all: Set<OnEvents>; lastNotified: number | undefined }>();
  return {
    add(id, onEvents) {
      const own: OnEvents = (lastEvent) => onEvents(lastEvent); // the same function may subscribe twice
      const thread = threads.get(id) ?? { all: new Set(), lastNotified: undefined };
      const isFirst = threads.size === 0;
      thread.all.add(own);
      threads.set(id, thread);
      if (isFirst) isWatched(true);
      return () => {
        if (!thread.all.delete(own) || thread.all.size > 0) return;
        threads.delete(id);
        if (threads.size === 0) isWatched(false);
      };
    },
    notify(id, lastEvent) {
      const thread = threads.get(id);
      if (thread === undefined || thread.lastNotified === lastEvent) return;
      thread.lastNotified = lastEvent;
      for (const onEvents of thread.all) onEvents(lastEvent);
    },
    notifyAll() {
      for (const { all } of threads.values()) for (const onEvents of all) onEvents(Infinity);
    },
    ids: () => [...threads.keys()],
  };
}
