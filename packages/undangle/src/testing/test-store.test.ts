import { describe, expect, test } from "vitest";

import { memoryStore } from "#store";
import type { Commit, FileChange, Store, StoredThread } from "#store";

import { testStore } from "./test-store.ts";

/** Faulty stores, each based on a correct one. */
const faulty: Readonly<Record<string, (store: Store) => Partial<Store>>> = {
  "saves whatever the version is": (store) => ({
    commit: async (commit) => store.commit({ ...commit, version: (await store.load(commit.thread))?.version ?? 0 }),
  }),
  "saves a part of what it refuses": (store) => ({
    commit: async (commit) => {
      const { version = 0 } = (await store.load(commit.thread)) ?? {};
      await store.commit({ ...commit, version, entries: version === commit.version ? commit.entries : [] });
      if (version !== commit.version) await store.commit(commit);
    },
  }),
  "loses the second of two commits at once": (store) => {
    let isSaving = false;
    return {
      commit: async (commit) => {
        if (isSaving) return;
        isSaving = true;
        await Promise.resolve();
        isSaving = false;
        await store.commit(commit);
      },
    };
  },
  "tells a conflict from nothing": (store) => ({
    commit: async (commit) => store.commit(commit).catch(() => Promise.reject(new Error("conflict"))),
  }),
  "sorts keys": (store) => ({ commit: (commit) => store.commit(mapValues(commit, sortKeys)) }),
  "cuts texts at NUL": (store) => ({ load: (id) => store.load(id.split("\0")[0] ?? "") }),
  "takes ids without their case": (store) => ({
    load: (id) => store.load(id.toLowerCase()),
    commit: (commit) => store.commit({ ...commit, thread: commit.thread.toLowerCase() }),
  }),
  "keeps the first megabyte of a value": (store) => ({ commit: (commit) => store.commit(mapValues(commit, cut)) }),
  "gives the entry at the end of a range too": (store) => ({
    entries: (id, range = {}) => store.entries(id, range.to === undefined ? range : { ...range, to: range.to + 1 }),
  }),
  "gives calls in the order of their ids": (store) => ({
    calls: async (id, range) => (await store.calls(id, range)).toSorted((a, b) => (a.id < b.id ? 1 : -1)),
  }),
  "gives the event that a reader has": (store) => ({
    events: (id, { after = 0, ...rest } = {}) => store.events(id, { after: after - 1, ...rest }),
  }),
  "knows no limit": (store) => ({ events: (id, { after = 0 } = {}) => store.events(id, { after }) }),
  "lists the oldest first": (store) => ({ list: async (query) => (await store.list(query)).toReversed() }),
  "skips threads that changed at the same time": (store) => ({
    list: async (query = {}) => {
      const { after } = query;
      return (await store.list(query)).filter(({ updatedAt }) => after === undefined || updatedAt < after.updatedAt);
    },
  }),
  "searches with case": (store) => ({
    list: async ({ search = "", ...query } = {}) =>
      store.list({ ...query, search: search === "InVoIcE" ? "\0" : search }),
  }),
  "searches with wildcards": (store) => ({
    list: ({ search = "", ...query } = {}) => store.list({ ...query, search: search.replaceAll(/[%_]/gu, "") }),
  }),
  "lists what is deleted": (store) => ({
    list: async (query = {}) =>
      query.isDeleted === true
        ? store.list(query)
        : [...(await store.list(query)), ...(await store.list({ ...query, isDeleted: true }))],
  }),
  "is always pleased to delete": (store) => ({
    delete: async (id, at) => {
      await store.delete(id, at);
      return true;
    },
  }),
  "removes only what is marked": (store) => ({
    remove: async (id) => (await store.load(id))?.deletedAt !== undefined && store.remove(id),
  }),
  "purges what was deleted at that time": (store) => ({ purge: (before) => store.purge(before + 1) }),
  "forgets parents": (store) => ({
    commit: ({ head: { parent: _parent, ...head }, ...commit }) => store.commit({ ...commit, head }),
  }),
  "lists children of everyone": (store) => ({
    list: async (query = {}) => {
      const threads = await store.list(query);
      const children = await Promise.all(threads.map(({ id }) => store.list({ ...query, parent: id })));
      return [...threads, ...children.flat()];
    },
  }),
  "ignores filters for children": (store) => ({
    list: ({ parent, ...query } = {}) => store.list(parent === undefined ? query : { parent }),
  }),
  "deletes a thread without its children": (store) => ({
    delete: async (id, at) => {
      const children = await store.list({ parent: id });
      const isDeleted = await store.delete(id, at);
      for (const child of children) await store.restore(child.id);
      return isDeleted;
    },
  }),
  "restores a thread without its children": (store) => ({
    restore: async (id) => {
      const children = await store.list({ parent: id, isDeleted: true });
      const isRestored = await store.restore(id);
      for (const child of children) await store.delete(child.id, child.deletedAt ?? 0);
      return isRestored;
    },
  }),
  "removes children, and not their children": (store) => ({
    remove: async (id) => {
      const children = await store.list({ parent: id });
      const grandchildren = (await Promise.all(children.map((child) => store.list({ parent: child.id })))).flat();
      const isRemoved = await store.remove(id);
      for (const { id: thread, ...head } of grandchildren)
        await store.commit(makeCommit(thread, { ...head, id: thread, version: 0 }));
      return isRemoved;
    },
  }),
  "forgets nobody": () => ({ leave: async () => undefined }),
  "believes the latest clock": (store) => ({
    beat: async (owner, at) => store.beat(owner, Math.max(at, (await store.lastBeat(owner)) ?? 0)),
  }),
  "writes whatever was read": (store) => ({
    write: async (key, value) => store.write(key, value, (await store.read(key))?.version ?? 0),
  }),
  "keeps values where threads are": (store) => ({
    read: async (key) => ((await store.load(key)) === undefined ? store.read(key) : { value: null, version: 0 }),
  }),
  "takes keys without their case": (store) => ({
    read: (key) => store.read(key.toLowerCase()),
    write: (key, value, version) => store.write(key.toLowerCase(), value, version),
  }),
  "tells those who watch too little": (store) => ({
    watch: (id, onEvents) => store.watch?.(id, (last) => onEvents(last - 1)) ?? (() => undefined),
  }),
  "tells those who have left": (store) => ({
    watch: (id, onEvents) => {
      store.watch?.(id, onEvents);
      return () => undefined;
    },
  }),
  "lets those who watch wait when it is closed": (store) => ({
    watch: (id, onEvents) => store.watch?.(id, (last) => last < Infinity && onEvents(last)) ?? (() => undefined),
  }),
  "saves no files": (store) => ({ commit: (commit) => store.commit({ ...commit, files: [] }) }),
  "saves files of a refused commit": (store) => ({
    commit: async (commit) => {
      const head = await store.load(commit.thread);
      if (head !== undefined && head.version !== commit.version)
        await store.commit({ ...makeCommit(commit.thread, head), files: commit.files ?? [] });
      await store.commit(commit);
    },
  }),
  "saves files as text": (store) => ({
    commit: ({ files = [], ...commit }) => store.commit({ ...commit, files: files.map(asText) }),
  }),
  "takes the first of several changes": (store) => ({
    commit: ({ files = [], ...commit }) => store.commit({ ...commit, files: files.toReversed() }),
  }),
  "sorts paths by UTF-16": (store) => ({
    files: async (id, range) => (await store.files(id, range)).toSorted((a, b) => (a.path < b.path ? -1 : 1)),
  }),
  "has wildcards in prefixes": (store) => ({
    files: async (id, { prefix = "", ...range } = {}) =>
      store.files(id, { ...range, prefix: prefix.replaceAll(/[%_]/gu, "") }),
  }),
  "repeats the last file of a page": (store) => ({
    files: async (id, { after, ...range } = {}) =>
      store.files(id, after === undefined ? range : { ...range, after: after.slice(0, -1) }),
  }),
  "creates a replaced file again": (store) => ({
    files: async (id, range) => (await store.files(id, range)).map((file) => ({ ...file, createdAt: file.modifiedAt })),
  }),
  "keeps files of removed threads": (store) => {
    const kept = new Map<string, Awaited<ReturnType<Store["files"]>>>();
    return {
      remove: async (id) => {
        kept.set(id, await store.files(id));
        return store.remove(id);
      },
      files: async (id, range) => kept.get(id) ?? store.files(id, range),
    };
  },
  "writes shared files whatever was read": (store) => ({
    writeSharedFiles: (namespace, changes, options) =>
      store.writeSharedFiles(
        namespace,
        changes.map(({ path, data }) => ({ path, data })),
        options,
      ),
  }),
  "writes the shared files before a stale one": (store) => ({
    writeSharedFiles: async (namespace, changes, options) => {
      for (const change of changes) await store.writeSharedFiles(namespace, [change], options);
    },
  }),
  "has one namespace": (store) => ({
    sharedFile: (_, path) => store.sharedFile("n", path),
    sharedFiles: (_, range) => store.sharedFiles("n", range),
    writeSharedFiles: (_, changes, options) => store.writeSharedFiles("n", changes, options),
  }),
  "never closes": () => ({ close: async () => undefined }),
};

describe("testStore finds out a store that", () => {
  test.each(Object.entries(faulty))("%s", async (_, spoil) => {
    const open = (): Store => {
      const store = memoryStore();
      return { ...store, ...spoil(store) };
    };
    const outcomes = await Promise.allSettled(testStore(open).map(({ run }) => run()));
    expect(outcomes.filter(({ status }) => status === "rejected").length).toBeGreaterThan(0);
  });
});

/** A commit that changes nothing but the version. */
const makeCommit = (thread: string, { version, ...head }: StoredThread): Commit => ({
  thread,
  version,
  at: head.updatedAt,
  head,
  entries: [],
  calls: [],
  events: [],
});

const asText = ({ path, data }: FileChange): FileChange => ({
  path,
  data: data === null ? null : new TextEncoder().encode(new TextDecoder().decode(data)),
});

function mapValues(commit: Commit, change: (value: unknown) => unknown): Commit {
  return {
    ...commit,
    entries: commit.entries.map((entry) => ({ ...entry, value: change(entry.value) })),
    calls: commit.calls.map((call) => ({ ...call, value: change(call.value) })),
  };
}

const cut = (value: unknown): unknown => (typeof value === "string" ? value.slice(0, 1_000_000) : value);

const sortKeys = (value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value;
