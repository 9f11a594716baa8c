import { copyJson, UndangleError } from "#core";

import { foldCase, unescapeText } from "./escape-text.ts";
import { lastChanges } from "./file-changes.ts";
import { createMemoryFiles } from "./memory-files.ts";
import type { MemoryFiles } from "./memory-files.ts";
import type {
  Commit,
  FileChange,
  SharedFileInfo,
  Store,
  StoredCall,
  StoredEntry,
  StoredEvent,
  StoredFileInfo,
  StoredThread,
  StoredValue,
  ThreadQuery,
} from "./store.ts";
import { createWatchers } from "./watchers.ts";

/** Stores threads in memory, for tests and short-lived conversations. It returns copies. */
export function memoryStore(): Store {
  const threads = new Map<string, MemoryThread>();
  const beats = new Map<string, number>();
  const values = new Map<string, StoredValue>();
  const namespaces = new Map<string, { readonly files: MemoryFiles; version: number }>();
  const watchers = createWatchers();
  let isClosed = false;

  return {
    load: async (id) => copyJson(find(id)?.stored),
    entries: async (id, { from = 0, to } = {}) =>
      copyJson(find(id)?.entries.slice(Math.max(0, from), atLeastZero(to)) ?? []),
    calls: async (id, { from = 0, to = Infinity } = {}) => {
      const thread = find(id);
      return thread === undefined ? [] : copyJson(callsBetween(thread, from, to));
    },
    events: async (id, { after = 0, limit = Infinity } = {}) => {
      const thread = find(id);
      const first = Math.max(0, after);
      return thread === undefined ? [] : copyJson(eventsBetween(thread, first, first + Math.max(0, limit)));
    },
    files: async (id, range) => (find(id)?.files.list(range) ?? []).map(withoutVersion),
    file: async (id, path) => {
      const file = find(id)?.files.read(path);
      return file === undefined ? undefined : { ...withoutVersion(file), data: file.data };
    },
    watch: (id, onEvents) => {
      refuseClosed();
      return watchers.add(id, onEvents);
    },
    commit: async (commit) => {
      const known = find(commit.thread);
      refuseStale(commit, known?.stored.version ?? 0);
      const files = lastChanges(commit.files); // throws before anything is changed
      const thread = add(known ?? emptyThread(commit), commit);
      putFiles(thread.files, files, { at: commit.at, version: thread.stored.version });
      threads.set(commit.thread, thread);
      if (commit.events.length > 0) watchers.notify(commit.thread, thread.stored.lastEvent);
    },
    beat: async (owner, at) => {
      refuseClosed();
      beats.set(owner, at);
    },
    lastBeat: async (owner) => {
      refuseClosed();
      return beats.get(owner);
    },
    leave: async (owner) => {
      refuseClosed();
      beats.delete(owner);
    },
    list: async (query = {}) => {
      refuseClosed();
      return [...threads.values()]
        .filter((thread) => matches(thread, query))
        .map(({ stored }) => stored)
        .sort(newestFirst)
        .slice(0, atLeastZero(query.limit))
        .map(copyJson);
    },
    delete: async (id, at) => mark(find(id), at),
    restore: async (id) => mark(find(id), undefined),
    purge: async (before) => {
      refuseClosed();
      return remove(
        [...threads.values()].filter(({ stored }) => stored.deletedAt !== undefined && stored.deletedAt < before),
      );
    },
    remove: async (id) => {
      const thread = find(id);
      return thread !== undefined && remove([thread]) > 0;
    },
    read: async (key) => {
      refuseClosed();
      return copyJson(values.get(key));
    },
    write: async (key, value, version) => {
      refuseClosed();
      const actual = values.get(key)?.version ?? 0;
      if (actual !== version)
        throw new UndangleError("store/stale", { key, expected: version, actual, canRetry: false });
      values.set(key, { value, version: version + 1 });
    },
    sharedFiles: async (namespace, range) => {
      refuseClosed();
      return namespaces.get(namespace)?.files.list(range) ?? [];
    },
    sharedFile: async (namespace, path) => {
      refuseClosed();
      return namespaces.get(namespace)?.files.read(path);
    },
    writeSharedFiles: async (namespace, changes, { at }) => {
      refuseClosed();
      const last = lastChanges(changes);
      const shared = namespaces.get(namespace) ?? { files: createMemoryFiles(), version: 0 };
      for (const { path, version } of last) {
        const actual = shared.files.version(path);
        if (version === undefined || version === actual) continue;
        throw new UndangleError("store/stale", {
          key: unescapeText(path),
          expected: version,
          actual,
          canRetry: false,
        });
      }
      if (last.length === 0) return;
      namespaces.set(namespace, shared);
      shared.version += 1;
      putFiles(shared.files, last, { at, version: shared.version });
    },
    close: async () => {
      isClosed = true;
      watchers.notifyAll();
    },
  };

  function find(id: string): MemoryThread | undefined {
    refuseClosed();
    return threads.get(id);
  }

  /** Marks a thread and its descendants; false if the thread needs no change. */
  function mark(thread: MemoryThread | undefined, deletedAt: number | undefined): boolean {
    const needsMark = ({ stored }: MemoryThread): boolean =>
      (stored.deletedAt === undefined) !== (deletedAt === undefined);
    if (thread === undefined || !needsMark(thread)) return false;
    for (const each of withDescendants(threads, [thread])) {
      if (needsMark(each)) each.stored = { ...each.stored, deletedAt };
    }
    return true;
  }

  /** Removes threads and their descendants. Returns the number of all. */
  function remove(some: readonly MemoryThread[]): number {
    const gone = withDescendants(threads, some);
    for (const { stored } of gone) threads.delete(stored.id);
    return gone.size;
  }

  function refuseClosed(): void {
    if (isClosed) throw new UndangleError("store/closed", { path: ":memory:", canRetry: false });
  }
}

interface MemoryThread {
  stored: StoredThread;
  readonly entries: StoredEntry[];
  /** The search text of each entry. */
  readonly texts: string[];
  /** The calls by entry, in order. */
  readonly calls: Map<number, StoredCall[]>;
  /** Most events are kept unchanged; a number is an offset. */
  readonly events: Commit["events"][number][];
  /** The time of each event. */
  readonly times: number[];
  readonly files: MemoryFiles;
}

function emptyThread({ thread, at, head }: Commit): MemoryThread {
  const stored = { ...head, id: thread, version: 0, entries: 0, lastEvent: 0, createdAt: at, updatedAt: at };
  return {
    stored: { ...stored, deletedAt: undefined },
    entries: [],
    texts: [],
    calls: new Map(),
    events: [],
    times: [],
    files: createMemoryFiles(),
  };
}

function refuseStale({ thread, version }: Commit, actual: number): void {
  if (version === actual) return;
  throw new UndangleError("store/conflict", { threadId: thread, expected: version, actual, canRetry: false });
}

/** Cannot fail halfway. */
function add(thread: MemoryThread, { at, head, entries, calls, events }: Commit): MemoryThread {
  const { stored } = thread;
  for (const { value, text } of entries) {
    thread.entries.push({ seq: thread.entries.length, value });
    thread.texts.push(text);
  }
  for (const call of calls) putCall(thread.calls, call);
  for (const event of events) {
    thread.events.push(event);
    thread.times.push(at);
  }
  const { epoch, owner, status, deadline, title, data } = head;
  thread.stored = {
    id: stored.id,
    version: stored.version + 1,
    entries: thread.entries.length,
    lastEvent: thread.events.length,
    createdAt: stored.createdAt,
    updatedAt: at,
    deletedAt: stored.deletedAt,
    epoch,
    owner,
    status,
    deadline,
    title,
    parent: stored.parent,
    data,
  };
  return thread;
}

/** Files of threads need no version, because their thread has one. */
const withoutVersion = ({ path, size, createdAt, modifiedAt }: SharedFileInfo): StoredFileInfo => ({
  path,
  size,
  createdAt,
  modifiedAt,
});

function putFiles(
  files: MemoryFiles,
  changes: readonly FileChange[],
  { at, version }: { readonly at: number; readonly version: number },
): void {
  for (const { path, data } of changes) {
    if (data === null) files.drop(path);
    else files.put(path, { data, modifiedAt: at, version });
  }
}

function putCall(calls: Map<number, StoredCall[]>, call: StoredCall): void {
  const { entry, place } = call;
  const siblings = calls.get(entry);
  if (siblings === undefined) {
    calls.set(entry, [call]);
    return;
  }
  const at = siblings.findIndex((sibling) => sibling.place >= place);
  if (at === -1) siblings.push(call);
  else siblings.splice(at, siblings[at]?.place === place ? 1 : 0, call);
}

function callsBetween({ entries, calls }: MemoryThread, from: number, to: number): readonly StoredCall[] {
  const found: StoredCall[] = [];
  for (let entry = Math.max(0, from); entry < Math.min(to, entries.length); entry += 1) {
    found.push(...(calls.get(entry) ?? []));
  }
  return found;
}

function eventsBetween({ events, times }: MemoryThread, from: number, to: number): readonly StoredEvent[] {
  return events
    .slice(from, to)
    .map(({ type, data }, place) => ({ seq: from + place + 1, type, data, at: times[from + place] ?? 0 }));
}

/** Threads with all their descendants. The loop also visits what it adds. */
function withDescendants(
  threads: ReadonlyMap<string, MemoryThread>,
  some: readonly MemoryThread[],
): ReadonlySet<MemoryThread> {
  const children = new Map<string, MemoryThread[]>();
  for (const thread of threads.values()) {
    const { parent } = thread.stored;
    if (parent === undefined) continue;
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [thread]);
    else siblings.push(thread);
  }
  const found = new Set(some);
  for (const { stored } of found) for (const child of children.get(stored.id) ?? []) found.add(child);
  return found;
}

function matches({ stored, texts }: MemoryThread, query: ThreadQuery): boolean {
  const { parent, search = "", idPrefix = "", status, isOwned, dueBefore, isDeleted = false, after } = query;
  if (stored.parent !== parent) return false;
  if (!stored.id.startsWith(idPrefix)) return false;
  if ((stored.deletedAt !== undefined) !== isDeleted) return false;
  if (status !== undefined && stored.status !== status) return false;
  if (isOwned !== undefined && (stored.owner !== undefined) !== isOwned) return false;
  if (dueBefore !== undefined && !(stored.deadline !== undefined && stored.deadline < dueBefore)) return false;
  if (after !== undefined && newestFirst(stored, after) <= 0) return false;
  const part = foldCase(search);
  return [stored.id, stored.title ?? "", ...texts].some((text) => foldCase(text).includes(part));
}

type Changed = NonNullable<ThreadQuery["after"]>;

/** Threads with the same time are ordered by id, so that pages have no gaps. */
function newestFirst(a: Changed, b: Changed): number {
  if (a.updatedAt !== b.updatedAt) return b.updatedAt - a.updatedAt;
  return a.id === b.id ? 0 : a.id < b.id ? -1 : 1;
}

/** An end for `slice` that is never negative. */
const atLeastZero = (end: number | undefined): number | undefined => (end === undefined ? undefined : Math.max(0, end));
