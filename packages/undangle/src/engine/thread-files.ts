import { canonicalPath, UndangleError } from "#core";
import type { FileChange, StoredFile, StoredFileInfo } from "#store";

import type { WriteFiles } from "./ledger/ledger.ts";

/** A file of a thread, without its content. */
export type ThreadFile = StoredFileInfo;

/** Files by path: text, bytes, or null to delete a file. */
export type GivenFiles = Readonly<Record<string, string | Uint8Array | null>>;

/**
 * The files of a thread: rows of its store. Paths become canonical (`canonicalPath`); `file/path` is thrown for one that
 * cannot be used. What a running call writes is saved with its result. Until then, only that call reads it.
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
      return [...found.values()].sort(byPath).slice(0, limit);
    },
    async read(path) {
      const data = unsaved().get(path);
      if (data === null) return undefined;
      if (data === undefined) return rows.read(path);
      return { ...written(path, data, { now, replaced: await rows.read(path) }), data: data.slice() };
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

/** Copies, which the caller cannot change, with canonical paths. */
export const copiedFiles = (changes: readonly FileChange[]): readonly FileChange[] =>
  changes.map(({ path, data }) => ({ path: threadPath(path), data: data === null ? null : data.slice() }));

/** The order of the store: by the code points of paths. */
export const byPath = (one: StoredFileInfo, other: StoredFileInfo): number =>
  Buffer.compare(Buffer.from(one.path), Buffer.from(other.path));

/** The canonical form of a path that a caller gives. Throws `file/path` for one that cannot be used. */
export function threadPath(path: string): string {
  const { path: canonical, error } = canonicalPath(path);
  if (error !== undefined) throw error;
  if (canonical === "/") throw new UndangleError("file/path", { path, reason: "root" });
  return canonical;
}

export const isContent = (value: unknown): value is GivenFiles[string] =>
  value === null || typeof value === "string" || value instanceof Uint8Array;

export function fileChange(path: string, content: GivenFiles[string]): FileChange {
  if (!isContent(content))
    throw new UndangleError("options/value", {
      option: "content",
      value: content,
      allowed: ["a string", "a Uint8Array", "null"],
    });
  return {
    path: threadPath(path),
    data: typeof content === "string" ? new TextEncoder().encode(content) : (content?.slice() ?? null),
  };
}

export const fileEvents = (files: GivenFiles | undefined): readonly WriteFiles[] =>
  files === undefined
    ? []
    : [{ type: "write-files", changes: Object.entries(files).map(([path, content]) => fileChange(path, content)) }];

export async function allFiles(files: FileLayer): Promise<readonly FileChange[]> {
  const changes: FileChange[] = [];
  for (const { path } of await files.list("", Infinity)) {
    const file = await files.read(path);
    if (file !== undefined) changes.push({ path, data: file.data });
  }
  return changes;
}
