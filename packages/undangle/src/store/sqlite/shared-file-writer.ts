import type { DatabaseSync } from "node:sqlite";

import { UndangleError } from "#core";

import { escapeText, unescapeText } from "../escape-text.ts";
import { lastChanges } from "../file-changes.ts";
import type { SharedFileChange } from "../store.ts";

export interface SharedFileWriter {
  /** Copies the changes at once, and applies them when the returned function is called. */
  readonly write: (
    namespace: string,
    changes: readonly SharedFileChange[],
    options: { readonly at: number },
  ) => () => void;
}

export function createSharedFileWriter(database: DatabaseSync): SharedFileWriter {
  const readVersion = database.prepare(
    `SELECT version FROM undangle_shared_files
      WHERE namespace = (SELECT key FROM undangle_namespaces WHERE name = ?) AND path = ?`,
  );
  const nextVersion = database.prepare(
    `INSERT INTO undangle_namespaces (name, version) VALUES (?, 1)
      ON CONFLICT (name) DO UPDATE SET version = version + 1 RETURNING key, version`,
  );
  const put = database.prepare(
    `INSERT INTO undangle_shared_files (namespace, path, version, size, created_at, modified_at, data)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (namespace, path) DO UPDATE SET version = excluded.version, size = excluded.size,
        modified_at = excluded.modified_at, data = excluded.data`,
  );
  const drop = database.prepare("DELETE FROM undangle_shared_files WHERE namespace = ? AND path = ?");

  return {
    write(namespace, changes, { at }) {
      const name = escapeText(namespace);
      const last = lastChanges(changes);
      return () => {
        for (const change of last) refuseStale(name, change);
        if (last.length === 0) return;
        const row = nextVersion.get(name) ?? {};
        const [key, version] = [Number(row["key"]), Number(row["version"])];
        for (const { path, data } of last) {
          if (data === null) drop.run(key, path);
          else put.run(key, path, version, data.byteLength, at, at, data);
        }
      };
    },
  };

  /** Before anything is written, because the writes of a group share a transaction. */
  function refuseStale(name: string, { path, version }: SharedFileChange): void {
    if (version === undefined) return;
    const actual = Number(readVersion.get(name, path)?.["version"] ?? 0);
    if (actual === version) return;
    throw new UndangleError("store/stale", { key: unescapeText(path), expected: version, actual, canRetry: false });
  }
}
