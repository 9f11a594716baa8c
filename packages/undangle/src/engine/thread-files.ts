import type { FileChange, StoredFile, StoredFileInfo } from "#store";

/**
 * The files of a thread: rows of its store. A path is any text here; the backends of `undangle/files` use canonical
 * paths. What a running call writes is saved with its result. Until then, only that call reads it.
 */
export interface ThreadFiles {
  /** The files whose paths start with a text, sorted by path. At most `limit`, if it is given. */
  list(prefix?: string, limit?: number): Promise<readonly StoredFileInfo[]>;
  /** A file; undefined if there is none. */
  read(path: string): Promise<StoredFile | undefined>;
  /** Creates, replaces and deletes files, all or none. */
  write(changes: readonly FileChange[]): Promise<void>;
  /**
   * Runs work that reads files and then writes them. Only one call of the thread writes at a time: others wait until the
   * call has ended, so that they read what it wrote.
   */
  transact<T>(work: (files: ThreadFiles) => Promise<T>): Promise<T>;
}

/** Files that are not saved yet, by path; null if the file is deleted. */
export type UnsavedFiles = ReadonlyMap<string, Uint8Array | null>;

/** The rows of a store with unsaved changes on top. */
export interface FileLayer {
  list(prefix: string, limit: number): Promise<readonly StoredFileInfo[]>;
  read(path: string): Promise<StoredFile | undefined>;
}

/** Puts unsaved files on top of rows. `unsaved` may change while the rows are read. */
export function withUnsaved(rows: FileLayer, unsaved: () => UnsavedFiles, now: () => number): FileLayer {
  return {
    async list(prefix, limit) {
      const before = new Map(unsaved()); // they may be saved while the rows are read
      const most = limit + before.size;
      const found = new Map((await rows.list(prefix, most)).map((file) => [file.path, file]));
      for (const [path, data] of [...before, ...unsaved()]) {
        if (!path.startsWith(prefix)) continue;
        if (data === null) found.delete(path);
        else found.set(path, written(path, data, { now, replaced: found.get(path) }));
      }
      return [...found.values()].sort(byCodePoint).slice(0, limit);
    },
    async read(path) {
      const data = unsaved().get(path);
      if (data === null) return undefined;
      if (data === undefined) return rows.read(path);
      return { ...written(path, data, { now, replaced: await rows.read(path) }), data };
    },
  };
}

const written = (
  path: string,
  data: Uint8Array,
  { now, replaced }: { readonly now: () => number; readonly replaced: StoredFileInfo | undefined },
): StoredFileInfo => ({
  path,
  size: data.length,
  createdAt: replaced?.createdAt ?? now(),
  modifiedAt: now(),
});

/** The order of the store. */
const byCodePoint = (one: StoredFileInfo, other: StoredFileInfo): number =>
  Buffer.compare(Buffer.from(one.path), Buffer.from(other.path));
