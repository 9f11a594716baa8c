import { setTimeout as wait } from "node:timers/promises";

import { UndangleError } from "#core";
import type { SharedFileChange, Store } from "#store";

import type { FileBackendSource, FilesContext } from "./file-backend.ts";
import { type FileRows, flatFiles } from "./flat-files.ts";
import { createSerial } from "./serial.ts";

export interface StoreFilesOptions {
  readonly store: Store;
  /**
   * Who shares the files: one or more parts of letters, digits and `. _ @ + : ~ -`. Backends with the same parts see the
   * same files. A function gets the use of the backend, to give each user or project its own files.
   */
  readonly namespace: readonly string[] | ((context: FilesContext) => readonly string[]);
}

/** Files in the store, shared by all threads with the same namespace. */
export function storeFiles({ store, namespace }: StoreFilesOptions): FileBackendSource {
  if (typeof namespace === "function")
    return (context) => flatFiles(sharedRows(store, namespaceOf(namespace(context))));
  return flatFiles(sharedRows(store, namespaceOf(namespace)));
}

/** A slash cannot occur in a part, so that no two lists of parts become the same text. */
function namespaceOf(parts: readonly string[]): string {
  const isValid = parts.length > 0 && parts.every((part) => /^[\w.@+:~-]+$/u.test(part));
  if (isValid) return parts.join("/");
  const allowed = ["a list of texts with one or more of A-Z a-z 0-9 . _ @ + : ~ -"];
  throw new UndangleError("options/value", { option: "namespace", value: parts, allowed });
}

/**
 * Every new file also writes this row, which is in no directory. So of two processes that create files at the same time,
 * one fails and looks again, and they cannot create a file and a directory with the same name.
 */
const treeRow = "tree";
const maxAttempts = 50;

const writers = createSerial();

function sharedRows(store: Store, namespace: string): FileRows {
  const list: FileRows["list"] = (prefix, limit) =>
    store.sharedFiles(namespace, { prefix, ...(limit === undefined ? {} : { limit }) });
  const read: FileRows["read"] = (path) => store.sharedFile(namespace, path);
  const write = (changes: readonly SharedFileChange[]): Promise<void> =>
    store.writeSharedFiles(namespace, changes, { at: Date.now() });

  /** Rows that remember the versions that were read, and write only if they are still the last. */
  const versionedRows = async (): Promise<FileRows> => {
    const tree = await store.sharedFile(namespace, treeRow);
    const versions = new Map<string, number>();
    return {
      list: async (prefix, limit) => {
        const rows = await store.sharedFiles(namespace, { prefix, ...(limit === undefined ? {} : { limit }) });
        for (const { path, version } of rows) versions.set(path, version);
        return rows;
      },
      read: async (path) => {
        const row = await store.sharedFile(namespace, path);
        versions.set(path, row?.version ?? 0);
        return row;
      },
      write: (changes) => {
        const own = changes.map((change) => ({ ...change, version: versions.get(change.path) }));
        const isNew = own.some(({ data, version }) => data !== null && version === 0);
        return write(isNew ? [...own, { path: treeRow, data: new Uint8Array(), version: tree?.version ?? 0 }] : own);
      },
    };
  };

  return {
    list,
    read,
    write,
    transact: (work) =>
      writers(namespace, async () => {
        for (let attempt = 1; ; attempt++) {
          try {
            return await work(await versionedRows());
          } catch (error) {
            const isStale = error instanceof UndangleError && error.is("store/stale");
            if (!isStale || attempt === maxAttempts) throw error;
            await wait(Math.random() * Math.min(5 * attempt, 50)); // so that two processes do not meet again
          }
        }
      }),
  };
}
