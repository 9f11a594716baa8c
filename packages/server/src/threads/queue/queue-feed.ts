/** The news of the queue for one client: first the whole queue, then its changes. */
export interface QueueFeed extends AsyncIterableIterator<QueueNews, undefined> {
  /** Sends the whole queue first, as it is when the client reads it. The feed sends nothing before. */
  readonly open: () => void;
  /** Adds what a thread has become. Of the changes that the client has not read yet, the last one of a thread counts. */
  readonly add: (id: string, text: string) => void;
  readonly close: () => void;
}

/** An event of the queue, with its data as JSON. */
export interface QueueNews {
  readonly event: "snapshot" | "thread";
  readonly text: string;
}

export interface FeedOptions {
  /** The whole queue, when the client begins to read. */
  readonly snapshot: () => string;
  readonly signal: AbortSignal;
  readonly onClose: () => void;
}

type Result = IteratorResult<QueueNews, undefined>;

const end: Result = { done: true, value: undefined };

/** A client that reads slowly holds one text per thread. It is no generator, which cannot end while it waits. */
export function createFeed({ snapshot, signal, onClose }: FeedOptions): QueueFeed {
  const unread = new Map<string, string>();
  let phase: "waiting" | "snapshot" | "changes" | "closed" = "waiting";
  let wake: ((result: Result) => void) | undefined;

  const nextNews = (): QueueNews | undefined => {
    if (phase === "snapshot") {
      phase = "changes";
      return { event: "snapshot", text: snapshot() };
    }
    const [first] = unread;
    if (first === undefined) return undefined;
    unread.delete(first[0]);
    return { event: "thread", text: first[1] };
  };
  const pass = (): void => {
    const news = wake === undefined ? undefined : nextNews();
    if (news === undefined) return;
    wake?.({ done: false, value: news });
    wake = undefined;
  };
  const feed: QueueFeed = {
    open() {
      if (phase !== "waiting") return;
      phase = "snapshot";
      pass();
    },
    add(id, text) {
      if (phase !== "changes") return; // the snapshot contains it
      unread.set(id, text);
      pass();
    },
    close() {
      if (phase === "closed") return;
      phase = "closed";
      unread.clear();
      signal.removeEventListener("abort", feed.close);
      wake?.(end);
      onClose();
    },
    next() {
      if (phase === "closed") return Promise.resolve(end);
      const news = nextNews();
      if (news !== undefined) return Promise.resolve({ done: false, value: news });
      return new Promise((resolve) => {
        wake = resolve;
      });
    },
    return() {
      feed.close();
      return Promise.resolve(end);
    },
    [Symbol.asyncIterator]: () => feed,
  };
  if (signal.aborted) queueMicrotask(feed.close);
  else signal.addEventListener("abort", feed.close);
  return feed;
}
