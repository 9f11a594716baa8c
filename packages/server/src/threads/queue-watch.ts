import { hash } from "node:crypto";

import { localProject } from "../access/identity.ts";
import type { DeskEntry } from "../desk/desk.ts";
import { createLocks } from "../desk/locks.ts";
import { projectOf, publicId } from "../desk/thread-key.ts";
import type { Commit } from "../desk/watched-store.ts";
import { createFeed } from "./queue-feed.ts";
import type { QueueFeed } from "./queue-feed.ts";
import { queuedThread } from "./queued-thread.ts";
import type { QueueReading } from "./queued-thread.ts";

/** Follows the pending calls of all threads while clients listen. */
export interface QueueWatch {
  /** Reports a commit of this process. */
  readonly saved: (commit: Commit) => void;
  /** Reports a thread that this process deleted, restored or removed. */
  readonly moved: (threadId: string) => void;
  /** The queue of a project, and its changes until the signal aborts. */
  readonly follow: (project: string, signal: AbortSignal) => Promise<QueueFeed>;
}

export interface QueueWatchOptions {
  /** Opened on first use, because the desk writes to the store that reports to the watch. */
  readonly reading: () => QueueReading;
  /** Milliseconds between two reads of the store, which find the changes of other processes. */
  readonly interval?: number;
}

/** One watch for all connections. It does nothing while no client listens. */
export function createQueueWatch({ reading, interval = 1_000 }: QueueWatchOptions): QueueWatch {
  const projects = new Map<string, ProjectQueue>();
  const opened = (project: string): ProjectQueue => {
    const known = projects.get(project);
    if (known !== undefined) return known;
    const queue = createProjectQueue(project, { ...reading(), interval, onEmpty: () => void projects.delete(project) });
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
  /** Reads a thread soon. A thread that is not in the queue is read only if it may have become part of it. */
  readonly touch: (id: string, how: { readonly isNew: boolean }) => void;
  readonly follow: (signal: AbortSignal) => Promise<QueueFeed>;
}

/** A thread as it was last read. */
interface Known {
  readonly version: number;
  /** False for a thread without pending calls, which is read and not shown. */
  readonly isShown: boolean;
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
  options: QueueReading & { readonly interval: number; readonly onEmpty: () => void },
): ProjectQueue {
  const { desk, logger, interval, onEmpty } = options;
  const known = new Map<string, Known>();
  const feeds = new Set<QueueFeed>();
  const touched = new Set<string>();
  const locks = createLocks(); // reads in order, so that an old one cannot replace a newer one
  let hasLooked = false;
  let timers: { look?: NodeJS.Timeout; touch?: NodeJS.Timeout } = {};

  const read = async (id: string, listed?: DeskEntry): Promise<void> => {
    const before = known.get(id);
    const thread = await queuedThread(options, project, { id, listed });
    const isShown = thread !== undefined && (thread.pending.length > 0 || thread.hasError);
    const mark = thread === undefined ? "" : markOf(thread.shown);
    if (thread === undefined || (!isShown && listed === undefined)) known.delete(id);
    else {
      const { version, pending, hasError, shown } = thread;
      const due = hasError ? Date.now() + retryAfter : Math.min(...pending.map((call) => call.deadline ?? Infinity));
      known.set(id, { version, isShown, mark, due, shown });
    }
    const wasShown = before?.isShown === true;
    if (isShown === wasShown && (!isShown || before?.mark === mark)) return;
    const text = JSON.stringify(thread?.shown ?? { ...before?.shown, pending: [] });
    for (const feed of feeds) feed.add(id, text);
  };
  const readAll = async (ids: readonly string[], listed: ReadonlyMap<string, DeskEntry>): Promise<void> => {
    for (let first = 0; first < ids.length; first += together)
      await Promise.all(ids.slice(first, first + together).map((id) => read(id, listed.get(id))));
  };
  /** Finds what other processes changed, and calls that have expired. */
  const look = async (): Promise<void> => {
    const listed = new Map<string, DeskEntry>();
    for (const entry of await entriesOf(desk, project, "waiting")) listed.set(entry.id, entry);
    if (!hasLooked) for (const entry of await entriesOf(desk, project, "running")) listed.set(entry.id, entry);
    hasLooked = true;
    const now = Date.now();
    const isCurrent = ({ id, found }: DeskEntry): boolean => {
      const { version, due = 0 } = known.get(id) ?? {};
      return version === found.version && due > now;
    };
    const changed = [...listed.values()].filter((entry) => !isCurrent(entry)).map(({ id }) => id);
    const unlisted = [...known.keys()].filter((id) => !listed.has(id)); // decided, deleted, or running again
    await readAll([...changed, ...unlisted], listed);
  };
  const lookAgain = (pause: number): void => {
    clearTimeout(timers.look);
    timers.look = setTimeout(() => {
      const start = performance.now();
      locks
        .hold(project, look)
        .catch((error: unknown) => logger.warn({ err: error }, "The queue cannot be read; trying again"))
        .finally(() => {
          if (feeds.size > 0) lookAgain(Math.max(interval, 10 * (performance.now() - start))); // a long queue is read less often
        });
    }, pause).unref();
  };
  const leave = (feed: QueueFeed): void => {
    feeds.delete(feed);
    if (feeds.size > 0) return;
    clearTimeout(timers.look);
    clearTimeout(timers.touch);
    timers = {};
    onEmpty();
  };
  return {
    touch(id, { isNew }) {
      if (!isNew && !known.has(id)) return;
      touched.add(id);
      timers.touch ??= setTimeout(() => {
        delete timers.touch;
        const ids = [...touched];
        touched.clear();
        locks
          .hold(project, () => readAll(ids, new Map()))
          .catch((error: unknown) => logger.warn({ err: error }, "The queue cannot be read; trying again"));
      }, settling).unref();
    },
    async follow(signal) {
      const snapshot = (): string => `[${[...known.values()].flatMap(shownText).join(",")}]`;
      const feed = createFeed({ snapshot, signal, onClose: () => leave(feed) });
      feeds.add(feed);
      try {
        await locks.hold(project, look);
      } catch (error) {
        feed.close();
        throw error;
      }
      if (timers.look === undefined && feeds.size > 0) lookAgain(interval);
      return feed;
    },
  };
}

const shownText = ({ isShown, shown }: Known): readonly string[] => (isShown ? [JSON.stringify(shown)] : []);

const markOf = (shown: object): string => {
  const { title, pending, error } = shown as { readonly title?: unknown; pending?: unknown; error?: unknown };
  return hash("sha256", JSON.stringify([title, pending, error]));
};

/** All threads of a project with a status. */
async function entriesOf(
  desk: QueueReading["desk"],
  project: string,
  status: "waiting" | "running",
): Promise<readonly DeskEntry[]> {
  const limit = 200;
  const entries: DeskEntry[] = [];
  for (let after: DeskEntry["found"] | undefined; ;) {
    const page = await desk.list(project, { status, limit, ...(after !== undefined && { after }) });
    entries.push(...page);
    after = page.at(-1)?.found;
    if (page.length < limit) return entries;
  }
}
