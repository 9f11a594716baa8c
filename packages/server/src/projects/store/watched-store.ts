import type { Store } from "undangle/agent";

export type Commit = Parameters<Store["commit"]>[0];

export interface StoreWatch {
  /** Replaces a commit before it is saved. */
  readonly change?: (commit: Commit) => Commit;
  /** Called for every saved commit. */
  readonly saved?: (commit: Commit) => void;
  /** Called when a thread was deleted, restored or removed. */
  readonly moved?: (threadId: string) => void;
}

/** The same store with a hook for every commit. */
export function watchStore(store: Store, { change = (commit) => commit, saved, moved }: StoreWatch): Store {
  const moving = async (id: string, move: Promise<boolean>): Promise<boolean> => {
    const hasMoved = await move;
    if (hasMoved) moved?.(id);
    return hasMoved;
  };
  return {
    load: (id) => store.load(id),
    entries: (id, range) => store.entries(id, range),
    calls: (id, range) => store.calls(id, range),
    events: (id, range) => store.events(id, range),
    files: (id, range) => store.files(id, range),
    file: (id, path) => store.file(id, path),
    ...(store.watch !== undefined && { watch: store.watch.bind(store) }),
    async commit(commit) {
      await store.commit(change(commit));
      saved?.(commit);
    },
    beat: (owner, at) => store.beat(owner, at),
    lastBeat: (owner) => store.lastBeat(owner),
    leave: (owner) => store.leave(owner),
    list: (query) => store.list(query),
    delete: (id, at) => moving(id, store.delete(id, at)),
    restore: (id) => moving(id, store.restore(id)),
    purge: (before) => store.purge(before),
    remove: (id) => moving(id, store.remove(id)),
    read: (key) => store.read(key),
    write: (key, value, version) => store.write(key, value, version),
    sharedFiles: (namespace, range) => store.sharedFiles(namespace, range),
    sharedFile: (namespace, path) => store.sharedFile(namespace, path),
    writeSharedFiles: (namespace, changes, options) => store.writeSharedFiles(namespace, changes, options),
    close: () => store.close(),
  };
}
