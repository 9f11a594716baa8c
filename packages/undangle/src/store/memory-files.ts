import { escapeText, unescapeText } from "./escape-text.ts";
import { copyBytes } from "./file-changes.ts";
import { compareCodePoints } from "./file-order.ts";
import type { FileRange, SharedFile, SharedFileInfo } from "./store.ts";

/** The files of a thread or a namespace, in memory. Paths of writes are escaped, as databases store them. */
export interface MemoryFiles {
  readonly version: (path: string) => number;
  readonly put: (path: string, file: Pick<SharedFile, "data" | "modifiedAt" | "version">) => void;
  readonly drop: (path: string) => void;
  /** A copy of a file, by its path as the reader knows it. */
  readonly read: (path: string) => SharedFile | undefined;
  readonly list: (range?: FileRange) => readonly SharedFileInfo[];
}

export function createMemoryFiles(): MemoryFiles {
  const files = new Map<string, SharedFile>();
  const paths: string[] = []; // sorted

  return {
    version: (path) => files.get(path)?.version ?? 0,
    put(path, { data, modifiedAt, version }) {
      const known = files.get(path);
      if (known === undefined) paths.splice(firstFrom(path), 0, path);
      const createdAt = known?.createdAt ?? modifiedAt;
      files.set(path, { path: unescapeText(path), size: data.byteLength, createdAt, modifiedAt, version, data });
    },
    drop(path) {
      if (files.delete(path)) paths.splice(firstFrom(path), 1);
    },
    read(path) {
      const file = files.get(escapeText(path));
      return file === undefined ? undefined : { ...file, data: copyBytes(file.data) };
    },
    list({ prefix = "", limit = Infinity, after } = {}) {
      const start = escapeText(prefix);
      const last = after === undefined ? undefined : escapeText(after);
      const isAfterStart = last !== undefined && compareCodePoints(last, start) >= 0;
      const found: SharedFileInfo[] = [];
      for (
        let at = firstFrom(isAfterStart ? last : start);
        at < paths.length && found.length < Math.trunc(limit);
        at += 1
      ) {
        const path = paths[at] ?? "";
        if (path === last) continue;
        const file = path.startsWith(start) ? files.get(path) : undefined;
        if (file === undefined) break;
        const { data: _, ...info } = file;
        found.push(info);
      }
      return found;
    },
  };

  /** The index of the first path that is not before a text. */
  function firstFrom(text: string): number {
    let [from, to] = [0, paths.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (compareCodePoints(paths[middle] ?? "", text) < 0) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}
