import { UndangleError } from "#core";

import { comparablePath } from "./canonical-path.ts";
import type { DeletedFiles, FileBackend, FileInfo } from "./file-backend.ts";
import { refuseLarge } from "./file-limit.ts";
import { hasSpellings } from "./other-spelling.ts";
import { ancestorsOf, byPath, prefixOf } from "./path-segments.ts";
import { globFiles, grepFiles } from "./search/search-files.ts";
import { createSerial } from "./serial.ts";

/** Files as rows: path and content. There are no rows of directories. */
export interface FileRows {
  /** The rows whose paths start with a text, in any order, at most `limit`. */
  list(prefix: string, limit?: number): Promise<readonly FileRow[]>;
  read(path: string): Promise<FileRowContent | undefined>;
  /** Applies all changes or none. */
  write(changes: readonly FileRowChange[]): Promise<void>;
  /**
   * Runs work that reads and then writes the given rows, so that no other writer comes between. The work may run again
   * if another process was faster. Without it, the writers of one backend wait for each other.
   */
  readonly transact?: (<T>(work: (rows: FileRows) => Promise<T>) => Promise<T>) | undefined;
}

export interface FileRow {
  readonly path: string;
  /** In bytes. */
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly createdAt?: number | undefined;
  readonly modifiedAt?: number | undefined;
}

export interface FileRowContent extends FileRow {
  readonly data: Uint8Array;
}

export interface FileRowChange {
  readonly path: string;
  /** `null` deletes the row. */
  readonly data: Uint8Array | null;
}

/**
 * A backend over rows. A directory exists while there is a file in it. A file and a directory never have the same path.
 */
export function flatFiles(rows: FileRows): FileBackend {
  const serial = createSerial();
  const transact =
    rows.transact ?? (<T>(work: (own: FileRows) => Promise<T>): Promise<T> => serial("", () => work(rows)));

  return {
    async stat(path) {
      if (path === "/") return { path, type: "directory" };
      const row = await rows.read(path);
      if (row !== undefined) return fileInfo(row);
      return (await hasChildren(rows, path)) ? { path, type: "directory" } : undefined;
    },

    list: async (path) => childrenOf(path, await filesInDirectory(rows, path)),

    read: async (path) => (await readFile(rows, path)).data,

    write: (path, data) =>
      transact(async (own) => {
        refuseLarge(path, data.length);
        if (path === "/" || (await hasChildren(own, path))) throw new UndangleError("file/is-directory", { path });
        const isCreated = (await own.read(path)) === undefined;
        if (isCreated) await refuseClash(own, path);
        await own.write([{ path, data }]);
        return { isCreated };
      }),

    update: (path, makeData) =>
      transact(async (own) => {
        const data = makeData((await readFile(own, path)).data);
        refuseLarge(path, data.length);
        await own.write([{ path, data }]);
      }),

    delete: (path): Promise<DeletedFiles> =>
      transact(async (own) => {
        if (path === "/") throw new UndangleError("file/path", { path, reason: "root" });
        const found = await filesIn(own, path);
        await own.write(found.map((row) => ({ path: row.path, data: null })));
        return { files: found.length };
      }),

    glob: async (query) => globFiles((await filesInDirectory(rows, query.path)).map(fileInfo), query),

    grep: async (query) =>
      grepFiles(
        {
          files: (await filesIn(rows, query.path)).map(fileInfo),
          read: async (path) => (await readFile(rows, path)).data,
        },
        query,
      ),
  };
}

const hasChildren = async (rows: FileRows, path: string): Promise<boolean> =>
  (await rows.list(prefixOf(path), 1)).length > 0;

async function readFile(rows: FileRows, path: string): Promise<FileRowContent> {
  const row = path === "/" ? undefined : await rows.read(path);
  if (row === undefined) {
    if (path === "/" || (await hasChildren(rows, path))) throw new UndangleError("file/is-directory", { path });
    throw new UndangleError("file/missing", { path });
  }
  refuseLarge(path, row.data.length);
  return row;
}

/** The rows of a directory, or the row of a file. */
async function filesIn(rows: FileRows, path: string): Promise<readonly FileRow[]> {
  const found = await rows.list(prefixOf(path));
  if (found.length > 0 || path === "/") return found;
  const row = await rows.read(path);
  if (row === undefined) throw new UndangleError("file/missing", { path });
  return [row];
}

async function filesInDirectory(rows: FileRows, path: string): Promise<readonly FileRow[]> {
  const found = await filesIn(rows, path);
  if (found.some((row) => row.path === path)) throw new UndangleError("file/not-directory", { path });
  return found;
}

const fileInfo = ({ path, size, createdAt, modifiedAt }: FileRow): FileInfo => ({
  path,
  type: "file",
  size,
  ...(createdAt === undefined ? {} : { createdAt }),
  ...(modifiedAt === undefined ? {} : { modifiedAt }),
});

/** The files and directories directly in a directory. */
function childrenOf(directory: string, rows: readonly FileRow[]): readonly FileInfo[] {
  const start = prefixOf(directory).length;
  const children = new Map<string, FileInfo>();
  for (const row of rows) {
    const end = row.path.indexOf("/", start);
    const path = end === -1 ? row.path : row.path.slice(0, end);
    if (!children.has(path)) children.set(path, end === -1 ? fileInfo(row) : { path, type: "directory" });
  }
  return [...children.values()].sort(byPath);
}

/** Refuses a new path below a file, or with a segment that exists in another Unicode spelling. */
async function refuseClash(rows: FileRows, path: string): Promise<void> {
  const directories = ancestorsOf(path).slice(1);
  for (const directory of directories)
    if ((await rows.read(directory)) !== undefined) throw new UndangleError("file/not-directory", { path: directory });
  if (!hasSpellings(path)) return;
  const wanted = new Map([...directories, path].map((each) => [comparablePath(each), each]));
  for (const row of await rows.list("/")) {
    const isClash = [...ancestorsOf(row.path), row.path].some((each) => {
      const known = wanted.get(comparablePath(each));
      return known !== undefined && known !== each;
    });
    if (isClash) throw new UndangleError("file/path", { path, reason: "other-spelling" });
  }
}
