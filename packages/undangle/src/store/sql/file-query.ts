import { escapeText } from "../escape-text.ts";
import { endOfPrefix } from "../file-order.ts";
import type { FileRange } from "../store.ts";
import { wholeNumber } from "./thread-query.ts";
import type { Asked } from "./thread-query.ts";

/** Statements that read files. There are few different ones, so each can stay prepared. */
export interface FileQueries {
  readonly list: (owner: string, range?: FileRange) => Asked;
  readonly one: (owner: string, path: string) => Asked;
}

/** The files of threads. `prefix` is that of table names. */
export const threadFileQueries = (prefix: string): FileQueries =>
  fileQueries({
    columns: "path, size, created_at, modified_at",
    table: `${prefix}undangle_files`,
    isOwned: `thread = (SELECT key FROM ${prefix}undangle_threads WHERE id = ?)`,
  });

/** The files of namespaces. */
export const sharedFileQueries = (prefix: string): FileQueries =>
  fileQueries({
    columns: "path, version, size, created_at, modified_at",
    table: `${prefix}undangle_shared_files`,
    isOwned: `namespace = (SELECT key FROM ${prefix}undangle_namespaces WHERE name = ?)`,
  });

interface FileTable {
  readonly columns: string;
  readonly table: string;
  /** The condition on the owner, with its id as parameter. */
  readonly isOwned: string;
}

function fileQueries({ columns, table, isOwned }: FileTable): FileQueries {
  return {
    list(owner, { prefix = "", limit, after } = {}) {
      const conditions = [isOwned];
      const values: (string | number)[] = [escapeText(owner)];
      const add = (condition: string, value: string): void => {
        conditions.push(condition);
        values.push(value);
      };
      // A range of the index instead of LIKE, which has wildcards and ignores case on SQLite.
      const start = escapeText(prefix);
      const end = endOfPrefix(start);
      if (start !== "") add("path >= ?", start);
      if (end !== undefined) add("path < ?", end);
      if (after !== undefined) add("path > ?", escapeText(after));
      const sql = `SELECT ${columns} FROM ${table} WHERE ${conditions.join(" AND ")} ORDER BY path LIMIT ?`;
      return { sql, values: [...values, wholeNumber(limit)] };
    },
    one: (owner, path) => ({
      sql: `SELECT ${columns}, data FROM ${table} WHERE ${isOwned} AND path = ?`,
      values: [escapeText(owner), escapeText(path)],
    }),
  };
}
