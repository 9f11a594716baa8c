import { hash } from "node:crypto";

import { localProject } from "../../access/identity.ts";
import type { ListedThread } from "../../projects/project-threads.ts";
import { createLocks } from "../../projects/locks.ts";
import { projectOf, publicId } from "../../projects/thread-key.ts";
import type { Commit } from "../../projects/store/watched-store.ts";
import { createFeed } from "./queue-feed.ts";
import type { QueueFeed } from "./queue-feed.ts";
import { asListed, isQueued, queuedThread } from "./queued-thread.ts";
import type { QueueReading } from "./queued-thread.ts";

/** Follows the pending calls of all threads while clients listen. */
export interface QueueWatch {
  /** Reports a commit of this process. */
  readonly saved: (commit: Commit) => void;
  /** Reports a thread that this process deleted, restored or removed. */
  readonly moved: (threadId: string) => void;
  /** The queue of a project, as soon as it is read, and its changes until the signal aborts. */
  readonly follow: (project: string, signal: AbortSignal) => QueueFeed;
}

export interface QueueWatchOptions {
  /** Opened on first use, because the projectThreads writes to the store that reports to the watch. */
  readonly reading: () => QueueReading;
  /** Milliseconds between two reads of the store, which find the changes of other processes. */
  readonly interval?: number;
  /** Milliseconds for which the threads of a project are kept when no client listens any more. */
  readonly keptFor?: number;
}

/** One watch for all connections. It reads nothing while no client listens. */
export function createQueueWatch({ reading, interval = 1_000, keptFor = 10_000 }: QueueWatchOptions): QueueWatch {
  const projects = new Map<string, ProjectQueue>();
  const opened = (project: string): ProjectQueue => {
    const known = projects.get(project);
    if (known !== undefined) return known;
    const onForgotten = (): void => void projects.delete(project);
    const queue = createProjectQueue(project, { ...reading(), interval, keptFor, onForgotten });
    projects.set(project, queue);
    return queue;
  };
  return {
    saved({ thread, head, events }) {
      if (projects.size === 0) return;
      const isNew = head.status === "waiting" || events.some(({ type }) => type === "approval_required");
      for (const { project, id } of rootsOf(thread, head.parent !== undefined))
        projects.get(project)?.touch(id, { isNew });
    },
    moved(thread) {
      const project = projectOf(thread);
      projects.get(project)?.touch(publicId(project, thread), { isNew: true });
    },
    follow: (project, signal) => opened(project).follow(signal),
  };
}

/**
 * The threads in whose queue the calls of a thread are. The id of a child starts with that of its root, which may be of
 * the local project or of another one: both are named, and one of them does not exist.
 */
function rootsOf(thread: string, isChild: boolean): readonly { readonly project: string; readonly id: string }[] {
  const project = projectOf(thread);
  if (!isChild) return [{ project, id: publicId(project, thread) }];
  const [first = "", second = ""] = thread.split("/");
  return [
    { project: localProject, id: first },
    { project: first, id: second },
  ];
}

interface ProjectQueue {
  /** Reads a thread soon, or when a client listens again. A thread that is not in the queue is read only if it may have become part of it. */
  readonly touch: (id: string, how: { readonly isNew: boolean }) => void;
  readonly follow: (signal: AbortSignal) => QueueFeed;
}

/** A thread as it was last read. */
interface Known {
  readonly version: number;
  /** False for a thread without pending calls, which is read and not shown. */
  readonly isShown: boolean;
  readonly hasError: boolean;
  /** Changes with what clients are shown. */
  readonly mark: string;
  /** When it is read again without a new version: a call expires, or it could not be read. */
  readonly due: number;
  readonly shown: object;
}

/** Commits of one step follow each other, and the run applies a commit after it is saved. */
const settling = 15;

/** The milliseconds after which a thread that cannot be read is read again. Each attempt writes to the log. */
const retryAfter = 10_000;

/** Threads that are read at the same time. */
const together = 16;

function createProjectQueue(
  project: string,
  options: QueueReading & { readonly interval: number; readonly keptFor: number; readonly onForgotten: () => void },
): ProjectQueue {
  const { projectThreads, logger, interval, keptFor, onForgotten } = options;
  const known = new Map<string, Known>();
  const feeds = new Set<QueueFeed>();
  const touched = new Set<string>();
  const locks = createLocks(); // reads in order, so that an old one cannot replace a newer one
  let looking: AbortController | undefined; // aborted when no client listens any more
  let isCurrent = false; // true from the first complete look on, while clients listen
  let timers: { look?: NodeJS.Timeout; touch?: NodeJS.Timeout; forget?: NodeJS.Timeout } = {};

  const read = async (id: string, listed?: ListedThread): Promise<void> => {
    touched.delete(id);
    const before = known.get(id);
    const last = listed === undefined ? (before ?? { version: -1, shown: {} }) : asListed(listed);
    const thread = await queuedThread(options, project, { id, last });
    const wasShown = before?.isShown === true;
    // A thread that is not listed and cannot be read stays as it was: it may be one that only runs.
    const isShown = thread !== undefined && isQueued(thread) && (listed !== undefined || wasShown || !thread.hasError);
    const mark = thread === undefined ? "" : markOf(thread.shown);
    if (thread === undefined || (!isShown && listed === undefined && !thread.hasError)) known.delete(id);
    else {
      const { version, pending, hasError, shown } = thread;
      const due = hasError ? Date.now() + retryAfter : Math.min(...pending.map((call) => call.deadline ?? Infinity));
      known.set(id, { version, isShown, hasError, mark, due, shown });
    }
    if (isShown === wasShown && (!isShown || before?.mark === mark)) return;
    const text = JSON.stringify(thread?.shown ?? { ...before?.shown, pending: [] });
    for (const feed of feeds) feed.add(id, text);
  };
  /** Reads threads while a client listens. */
  const readAll = async (
    ids: readonly string[],
    listed: ReadonlyMap<string, ListedThread> = new Map(),
  ): Promise<void> => {
    for (let first = 0; first < ids.length && feeds.size > 0; first += together)
      await Promise.all(ids.slice(first, first + together).map((id) => read(id, listed.get(id))));
  };
  /** Finds what other processes changed, and calls that have expired. */
  const readChanges = async (signal: AbortSignal): Promise<void> => {
    const listed = new Map<string, ListedThread>();
    const running = new Set<string>();
    for await (const entry of entriesOf(projectThreads, project, { status: "waiting", signal }))
      listed.set(entry.id, entry);
    if (!isCurrent)
      for await (const entry of entriesOf(projectThreads, project, { status: "running", signal })) {
        listed.set(entry.id, entry);
        running.add(entry.id);
      }
    if (signal.aborted) return;
    const now = Date.now();
    const isKnown = ({ id, found }: ListedThread): boolean => {
      const { version, due = 0 } = known.get(id) ?? {};
      return version === found.version && due > now && !running.has(id); // calls of sub-agents are in other versions
    };
    const changed = [...listed.values()].filter((entry) => !isKnown(entry)).map(({ id }) => id);
    const isDue = ([id, { hasError, due }]: [string, Known]): boolean => !listed.has(id) && (!hasError || due <= now);
    const unlisted = [...known].filter(isDue).map(([id]) => id); // decided, deleted, or running again
    await readAll([...changed, ...unlisted], listed);
    await readAll([...touched]);
  };
  /** Reads the queue now, and again and again while clients listen. One look serves all clients that wait for it. */
  const look = async (): Promise<void> => {
    if (looking !== undefined) return;
    const { signal } = (looking = new AbortController());
    clearTimeout(timers.look);
    const start = performance.now();
    let pause = interval;
    try {
      await locks.hold(project, () => readChanges(signal));
      if (signal.aborted) pause = 0; // a client may have come since
      else {
        isCurrent = true;
        for (const feed of feeds) feed.open();
        pause = Math.max(interval, 10 * (performance.now() - start)); // a long queue is read less often
      }
    } catch (error) {
      if (!signal.aborted) logger.warn({ err: error }, "The queue cannot be read; trying again");
    }
    looking = undefined;
    if (feeds.size > 0) timers.look = setTimeout(() => void look(), pause).unref();
  };
  const leave = (feed: QueueFeed): void => {
    feeds.delete(feed);
    if (feeds.size > 0) return;
    isCurrent = false;
    looking?.abort();
    clearTimeout(timers.look);
    clearTimeout(timers.touch);
    timers = { forget: setTimeout(onForgotten, keptFor).unref() };
  };
  return {
    touch(id, { isNew }) {
      if (!isNew && !known.has(id)) return;
      touched.add(id);
      if (feeds.size === 0) return;
      timers.touch ??= setTimeout(() => {
        delete timers.touch;
        locks
          .hold(project, () => readAll([...touched]))
          .catch((error: unknown) => logger.warn({ err: error }, "The queue cannot be read; trying again"));
      }, settling).unref();
    },
    follow(signal) {
      const snapshot = (): string => `[${[...known.values()].flatMap(shownText).join(",")}]`;
      const feed = createFeed({ snapshot, signal, onClose: () => leave(feed) });
      feeds.add(feed);
      clearTimeout(timers.forget);
      void look();
      return feed;
    },
  };
}

const shownText = ({ isShown, shown }: Known): readonly string[] => (isShown ? [JSON.stringify(shown)] : []);

/** While a thread waits, every change counts, such as a queued message. While it runs, its own events report the others. */
const markOf = (shown: object): string => {
  const { title, persona, model, status, pending, error, updated_at: at } = shown as Readonly<Record<string, unknown>>;
  return hash("sha256", JSON.stringify([title, persona, model, status, pending, error, status === "waiting" && at]));
};

/** The threads of a project with a status, until the signal aborts. */
async function* entriesOf(
  projectThreads: QueueReading["projectThreads"],
  project: string,
  { status, signal }: { readonly status: "waiting" | "running"; readonly signal: AbortSignal },
): AsyncGenerator<ListedThread, void, undefined> {
  const limit = 200;
  for (let after: ListedThread["found"] | undefined; !signal.aborted;) {
    const page = await projectThreads.list(project, { status, limit, ...(after !== undefined && { after }) });
    yield* page;
    after = page.at(-1)?.found;
    if (page.length < limit) return;
  }
}
