import type { FileChange, Store } from "#store";

import { parentOf } from "../journal/thread-head.ts";
import type { ThreadJournal } from "../journal/thread-journal.ts";
import type { Ledger, ParentCall } from "../ledger/ledger.ts";
import { allFiles, byPath } from "../thread-files.ts";
import type { FileLayer } from "../thread-files.ts";

/** The rows of a thread in its store. */
export const rowsOf = (store: Store, threadId: string): FileLayer => ({
  list: (prefix, limit) => store.files(threadId, { prefix, ...(Number.isFinite(limit) && { limit }) }),
  read: (path) => store.file(threadId, path),
});

/**
 * The files that a thread sees: its own rows and, for a child, the saved files of its parent below them, without those
 * that the child has deleted. The parent gets the changes of the child with the result of the call.
 */
export function inheritedFiles(store: Store, own: FileLayer, parent: () => Ledger["parent"]): FileLayer {
  return {
    async list(prefix, limit) {
      const above = parent();
      if (above === undefined) return own.list(prefix, limit);
      const deleted = new Set(above.deleted);
      const [mine, theirs] = await Promise.all([
        own.list(prefix, limit),
        (await filesOf(store, above)).list(prefix, limit + deleted.size),
      ]);
      const merged = new Map(theirs.filter(({ path }) => !deleted.has(path)).map((file) => [file.path, file]));
      for (const file of mine) merged.set(file.path, file);
      return [...merged.values()].sort(byPath).slice(0, limit);
    },
    async read(path) {
      const found = await own.read(path);
      const above = parent();
      if (found !== undefined || above === undefined || above.deleted.includes(path)) return found;
      return (await filesOf(store, above)).read(path);
    },
  };
}

/** The saved files of the parent of a thread. */
async function filesOf(store: Store, { thread }: ParentCall): Promise<FileLayer> {
  const head = await store.load(thread);
  return inheritedFiles(store, rowsOf(store, thread), () => (head === undefined ? undefined : parentOf(head)));
}

/** What a child thread has changed of the files of its parent. */
export async function filesForParent(child: ThreadJournal): Promise<readonly FileChange[]> {
  const deleted = child.ledger().parent?.deleted ?? [];
  const written = await allFiles(child.ownFiles);
  return [...written, ...deleted.map((path) => ({ path, data: null }))];
}
