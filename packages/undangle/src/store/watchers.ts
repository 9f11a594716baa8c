/** Told the number of the last event of a thread; Infinity where that is not known, and the store has to be asked. */
export type OnEvents = (lastEvent: number) => void;

/** Those who want to know when events are added to threads. */
export interface Watchers {
  /** Gives how to leave. */
  readonly add: (id: string, onEvents: OnEvents) => () => void;
  /** The last event of a thread has this number; those who have been told so before are left in peace. */
  readonly tell: (id: string, lastEvent: number) => void;
  /** Everybody is to ask: there will be nothing more to hear. */
  readonly tellAll: () => void;
  /** The threads that are watched. */
  readonly ids: () => readonly string[];
}

/** `isWatched` is told when the first one comes and when the last one leaves. */
export function createWatchers(isWatched: (isWatched: boolean) => void = () => undefined): Watchers {
  const threads = new Map<string, { readonly all: Set<OnEvents>; told: number | undefined }>();
  return {
    add(id, onEvents) {
      const own: OnEvents = (lastEvent) => onEvents(lastEvent); // the same function may come twice
      const thread = threads.get(id) ?? { all: new Set(), told: undefined };
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
    tell(id, lastEvent) {
      const thread = threads.get(id);
      if (thread === undefined || thread.told === lastEvent) return;
      thread.told = lastEvent;
      for (const onEvents of thread.all) onEvents(lastEvent);
    },
    tellAll() {
      for (const { all } of threads.values()) for (const onEvents of all) onEvents(Infinity);
    },
    ids: () => [...threads.keys()],
  };
}
