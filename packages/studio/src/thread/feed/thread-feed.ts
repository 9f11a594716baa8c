import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { AgentEvent, EntryPage, QueuedThread } from "undangle/client";

import { isFinal, server } from "../../api/server.ts";
import { isVisible, watchVisibility } from "../../api/visibility.ts";
import { isReading, phaseAfter } from "./feed-phase.ts";
import type { FeedPhase, FeedSignal } from "./feed-phase.ts";
import { eventNumber, openedState, refreshedState, stateAfter, withOlder } from "./thread-state.ts";
import type { ThreadState } from "./thread-state.ts";

/** What the page shows of a thread, as the server reports it. */
interface Feed {
  /** Undefined until the first page was read. */
  readonly state: ThreadState | undefined;
  /** The thread with its pending calls. Not read for child threads. */
  readonly thread: QueuedThread | undefined;
  /** `lost`: the page shows what it knew, and connects again by itself. */
  readonly connection: "connecting" | "open" | "lost";
  /** Why the thread cannot be shown. */
  readonly error: unknown;
  readonly isLoadingOlder: boolean;
}

interface FeedOptions {
  readonly id: string;
  /** The calls that lead to a child thread. */
  readonly path?: readonly string[];
  /** False reads the entries once, without following events. */
  readonly isLive?: boolean;
}

interface Following extends FeedOptions {
  /** Another value opens the thread again. */
  readonly version?: string | number;
}

const pageSize = 60;

/** How many events before the page are read too: they report how the last run ended, and its warnings. */
const lookBack = 40;

/** The shortest time between two reads of the newest page, in milliseconds. */
const restBetweenReads = 150;

/** The rest after older entries could not be read, in milliseconds. */
const restAfterFailure = 2_000;

/** Browsers permit six connections to a server. More sub-agents than this are read again instead of followed. */
const mostChildren = 2;
const followedChildren = new Set<ThreadFeed>();

const nothing: Feed = {
  state: undefined,
  thread: undefined,
  connection: "connecting",
  error: undefined,
  isLoadingOlder: false,
};

/** Reads a thread and follows its events. What is unclear is read again from the server. */
class ThreadFeed {
  readonly #options: Required<FeedOptions>;
  readonly #listeners = new Set<() => void>();
  #current = nothing;
  #shown = nothing;
  #isAnnounced = false; // listeners will be called in the next frame
  #events: AgentEvent[] = []; // since the newest page
  #phase: FeedPhase = { type: "stopped" };
  #stream = new AbortController(); // of the current connection; work of an aborted one changes nothing
  #endWatch: (() => void) | undefined;

  /** `known` is shown until the thread was read. */
  constructor({ id, path = [], isLive = true }: FeedOptions, known: Feed = nothing) {
    this.#options = { id, path, isLive };
    this.#current = known;
    this.#shown = known;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly snapshot = (): Feed => this.#shown;

  start(): void {
    this.#endWatch = watchVisibility({
      onHidden: () => this.#on("hide"),
      onShown: () => this.#on("show"),
    });
    addEventListener("focus", this.refresh); // a title or a deletion has no event
    this.#on("start");
  }

  stop(): void {
    this.#endWatch?.();
    removeEventListener("focus", this.refresh);
    this.#on("stop");
    followedChildren.delete(this);
  }

  /** Reads the newest page and the pending calls again. */
  readonly refresh = (): void => this.#on("change");

  readonly loadOlder = async (): Promise<void> => {
    const before = this.#current.state?.before;
    if (before === undefined || before === null || this.#current.isLoadingOlder) return;
    this.#change({ isLoadingOlder: true });
    try {
      const page = await this.#page(200, before);
      const { state } = this.#current;
      if (state?.before === before) this.#change({ state: withOlder(state, page), isLoadingOlder: false });
    } catch {
      await rest(restAfterFailure); // the page may request it again at once
    } finally {
      this.#change({ isLoadingOlder: false });
    }
  };

  /** Takes a signal, and does what the phase after it needs. */
  #on(signal: FeedSignal): void {
    const before = this.#phase;
    const phase = phaseAfter(before, signal);
    this.#phase = phase;
    if (phase.type !== before.type || signal === "reopen") {
      this.#stream.abort();
      if (phase.type !== "connected") return;
      this.#stream = new AbortController();
      void this.#open(this.#stream);
    } else if (isReading(phase) && !isReading(before)) void this.#readUntilFresh(this.#stream);
  }

  /** Reads everything from the server, and follows events from there. Tries again while the server is away. */
  async #open(stream: AbortController): Promise<void> {
    for (let pause = 300; !stream.signal.aborted; pause = Math.min(pause * 2, 5_000)) {
      try {
        const page = await this.#page();
        const thread = await this.#thread();
        if (stream.signal.aborted) return;
        this.#events = [];
        const { state: known } = this.#current;
        const state = known === undefined ? openedState(page, this.#options.path) : reopened(known, page);
        this.#change({ ...withThread(state, thread), error: undefined });
        if (this.#mayFollow() && isVisible()) void this.#follow(page.last_event, stream);
        else this.#change({ connection: "open" });
        if (!isVisible()) this.#on("hide"); // it was opened in a hidden tab
        return;
      } catch (error) {
        if (isFinal(error)) {
          this.#change({ error });
          return;
        }
        this.#change({ connection: "lost" });
        await rest(pause);
      }
    }
  }

  #mayFollow(): boolean {
    const { isLive, path } = this.#options;
    if (!isLive || path.length === 0) return isLive;
    if (followedChildren.size < mostChildren) followedChildren.add(this);
    return followedChildren.has(this);
  }

  async #follow(last: string, stream: AbortController): Promise<void> {
    const { id, path } = this.#options;
    const after = String(Math.max(0, eventNumber(last) - lookBack));
    let wasLost = false;
    const onConnection = (connection: "open" | "lost"): void => {
      if (stream.signal.aborted) return;
      if (connection === "open" && wasLost) this.#on("reopen"); // unsaved events may be gone: everything is read again
      else this.#change({ connection });
      wasLost = connection === "lost";
    };
    try {
      const events = server.threads.events(id, {
        after,
        signal: stream.signal,
        onConnection,
        ...(path.length > 0 && { path }),
      });
      for await (const event of events) {
        if (stream.signal.aborted) return;
        this.#take(event);
      }
    } catch (error) {
      if (!stream.signal.aborted) this.#change({ error });
    }
  }

  #take(event: AgentEvent): void {
    const { state } = this.#current;
    if (state === undefined) return;
    if (eventNumber(event.id) > state.last) this.#events.push(event);
    const next = stateAfter(state, event);
    this.#change({ state: { ...next, isStale: false } });
    if (next.isStale) this.refresh();
  }

  /** Reads the newest page while anything changes. A failed read is repeated: no other event may come that causes one. */
  async #readUntilFresh(stream: AbortController): Promise<void> {
    let pause = restBetweenReads;
    while (isReading(this.#phase)) {
      try {
        await this.#read(stream);
        if (pause > restBetweenReads) this.#change({ connection: "open" });
        pause = restBetweenReads;
      } catch (error) {
        if (stream.signal.aborted) return;
        if (isFinal(error)) {
          this.#change({ error });
          this.#on("refuse");
          return;
        }
        this.#change({ connection: "lost" });
        this.#on("change");
        pause = Math.min(pause * 2, 5_000);
      }
      await rest(pause);
      if (stream.signal.aborted) return; // another connection reads
      this.#on("rest");
    }
  }

  async #read(stream: AbortController): Promise<void> {
    const page = await this.#page();
    const { state } = this.#current;
    if (state === undefined || stream.signal.aborted) return;
    const last = eventNumber(page.last_event);
    this.#events = this.#events.filter(({ id }) => eventNumber(id) > last);
    this.#change({ state: refreshedState(state, page, this.#events) });
    const thread = await this.#thread();
    this.#change(withThread(this.#current.state ?? state, thread));
  }

  /** Read after the page: a decision in between has an event, which causes another read. */
  async #thread(): Promise<QueuedThread | undefined> {
    return this.#options.path.length > 0 ? undefined : server.threads.pending(this.#options.id);
  }

  #page(limit = pageSize, before?: number): Promise<EntryPage> {
    const { id, path } = this.#options;
    return server.threads.entries(id, {
      limit,
      ...(before !== undefined && { before }),
      ...(path.length > 0 && { path }),
    });
  }

  #change(change: Partial<Feed>): void {
    this.#current = { ...this.#current, ...change };
    if (this.#isAnnounced) return;
    this.#isAnnounced = true;
    const announce = (): void => {
      this.#isAnnounced = false;
      this.#shown = this.#current;
      for (const listener of this.#listeners) listener();
    };
    if (isVisible()) requestAnimationFrame(announce);
    else setTimeout(announce, 250); // a page in the background has no frames
  }
}

const rest = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const withThread = (state: ThreadState, thread: QueuedThread | undefined): Partial<Feed> =>
  thread === undefined ? { state } : { thread, state: { ...state, isRunning: thread.status === "running" } };

/** What was known before a gap, and the page after it. Unsaved text is gone. */
function reopened(known: ThreadState, page: EntryPage): ThreadState {
  const { warnings: _warnings, end: _end, ...rest } = known;
  return { ...refreshedState({ ...rest, warnings: [], end: undefined, activity: {} }, page, []) };
}

/** The thread, or the child thread at a path, live. */
export function useThreadFeed({ id, path, isLive = true, version = 0 }: Following): {
  readonly feed: Feed;
  readonly source: ThreadFeed;
} {
  const place = path?.join("/") ?? "";
  const [source, setSource] = useState(() => new ThreadFeed({ id, path: segmentsOf(place), isLive }));
  const last = useRef<{ readonly of: string; readonly feed: Feed }>(undefined);
  useEffect(() => {
    const of = `${id} ${place}`;
    const known = last.current?.of === of ? last.current.feed : undefined;
    const opened = new ThreadFeed({ id, path: segmentsOf(place), isLive }, known);
    setSource(opened);
    opened.start();
    return () => {
      last.current = { of, feed: opened.snapshot() };
      opened.stop();
    };
  }, [id, place, isLive, version]);
  return { feed: useSyncExternalStore(source.subscribe, source.snapshot), source };
}

const segmentsOf = (place: string): readonly string[] => (place === "" ? [] : place.split("/"));
