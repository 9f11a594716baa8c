import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";

import { UndangleError } from "#core";

import { escapeText } from "../escape-text.ts";
import { inFamily, withDescendants } from "../sql/descendants.ts";
import { sharedFileQueries, threadFileQueries } from "../sql/file-query.ts";
import type { Store, StoredEvent } from "../store.ts";
import { createCommitWriter } from "./commit-writer.ts";
import { createGroupCommit } from "./group-commit.ts";
import type { WriteOptions } from "./group-commit.ts";
import type { DatabaseSettings } from "./open-database.ts";
import { retryWhileLocked } from "./lock-backoff.ts";
import { createSharedFileWriter } from "./shared-file-writer.ts";
import { sqliteDialect } from "./sqlite-dialect.ts";
import { faultOf } from "./sqlite-fault.ts";
import { rowReader, threadColumns } from "../sql/stored-rows.ts";
import type { Row } from "../sql/stored-rows.ts";
import { threadQuery, wholeNumber } from "../sql/thread-query.ts";
import type { Asked } from "../sql/thread-query.ts";
import { createValueWriter } from "./value-writer.ts";
import { watchDatabase } from "./watch-database.ts";

/** A store in a database from `openDatabase`. */
export function databaseStore(database: DatabaseSync, settings: DatabaseSettings): Store {
  const { path, busyTimeout } = settings;
  const file = existsSync(path) ? resolve(path) : undefined; // the process may change its working directory
  const rows = rowReader(path);
  const group = createGroupCommit(database, settings);
  const commits = createCommitWriter(database);
  const values = createValueWriter(database);
  const shared = createSharedFileWriter(database);
  const watchers = watchDatabase(database);
  const prepared = new Map<string, StatementSync>();
  let closing: Promise<void> | undefined;

  return {
    load: (id) =>
      ask(() => {
        const row = prepare(`SELECT ${threadColumns} FROM undangle_threads WHERE id = ?`).get(escapeText(id));
        return row === undefined ? undefined : rows.thread(row);
      }),
    entries: (id, { from, to } = {}) =>
      ask(() =>
        prepare(entriesOf)
          .all(escapeText(id), from ?? 0, wholeNumber(to))
          .map(rows.entry),
      ),
    calls: (id, { from, to } = {}) =>
      ask(() =>
        prepare(callsOf)
          .all(escapeText(id), from ?? 0, wholeNumber(to))
          .map(rows.call),
      ),
    events: (id, { after = 0, limit } = {}) =>
      ask(() => {
        const most = wholeNumber(limit);
        const found: StoredEvent[] = [];
        if (most === 0) return found;
        for (const row of prepare(eventsOf).iterate(escapeText(id), after)) {
          for (const event of rows.events(row)) if (event.seq > after) found.push(event);
          if (found.length >= most) break;
        }
        return found.slice(0, most);
      }),
    files: (id, range) => ask(() => rowsOf(threadFiles.list(id, range)).map(rows.fileInfo)),
    file: (id, path) => ask(() => rowsOf(threadFiles.one(id, path)).map(rows.file)[0]),
    list: (query = {}) => ask(() => rowsOf(threadQuery(query, sqliteDialect)).map(rows.thread)),
    lastBeat: (owner) => ask(() => beatAt(prepare(readBeat).get(escapeText(owner)))),

    watch: (id, onEvents) => {
      refuseClosed();
      return watchers.add(id, onEvents);
    },

    commit: async (commit) => {
      const written = change(() => commits.write(commit), { isHurried: commits.isOnlyOne(commit) });
      const counts = written instanceof Promise ? await written : written;
      commits.committed(commit, counts);
      if (commit.events.length > 0) watchers.notify(commit.thread, counts.lastEvent);
    },
    beat: async (owner, at) => {
      if (isDeleted(file)) throw new UndangleError("store/path", { path, reason: "moved", canRetry: false });
      await change(() => () => prepare(putBeat).run(escapeText(owner), at), { isLasting: false });
    },
    leave: async (owner) => {
      await change(() => () => prepare(dropBeat).run(escapeText(owner)), { isLasting: false });
    },
    delete: async (id, at) => change(() => () => prepare(markDeleted).run(escapeText(id), at).changes > 0),
    restore: async (id) => change(() => () => prepare(unmarkDeleted).run(escapeText(id)).changes > 0),
    purge: async (before) => change(() => () => removeWhere("deleted_at < ?", before)),
    remove: async (id) => change(() => () => removeWhere("id = ?", escapeText(id)) > 0),
    read: (key) =>
      ask(() => {
        const row = prepare("SELECT version, value FROM undangle_values WHERE key = ?").get(escapeText(key));
        return row === undefined ? undefined : rows.value(row);
      }),
    write: async (key, value, version) => change(() => values.write(key, value, version)),
    sharedFiles: (namespace, range) => ask(() => rowsOf(sharedFiles.list(namespace, range)).map(rows.sharedFileInfo)),
    sharedFile: (namespace, path) => ask(() => rowsOf(sharedFiles.one(namespace, path)).map(rows.sharedFile)[0]),
    writeSharedFiles: async (namespace, changes, options) => change(() => shared.write(namespace, changes, options)),
    close: () => (closing ??= close()),
  };

  function removeWhere(condition: "deleted_at < ?" | "id = ?", value: number | string): number {
    const family = withDescendants(sqliteDialect.prefix, condition);
    for (const table of ["undangle_entries", "undangle_calls", "undangle_events", "undangle_files"]) {
      prepare(`${family} DELETE FROM ${table} WHERE thread ${inFamily}`).run(value);
    }
    return Number(prepare(`${family} DELETE FROM undangle_threads WHERE key ${inFamily}`).run(value).changes);
  }

  function rowsOf({ sql, values: given }: Asked): readonly Row[] {
    return prepare(sql).all(...given);
  }

  function prepare(sql: string): StatementSync {
    const known = prepared.get(sql);
    if (known !== undefined) return known;
    const statement = database.prepare(sql);
    prepared.set(sql, statement);
    return statement;
  }

  /** Reads committed data. */
  async function ask<Value>(read: () => Value): Promise<Value> {
    refuseClosed();
    try {
      return await retryWhileLocked(busyTimeout, read);
    } catch (error) {
      throw faultOf(path, error);
    }
  }

  /** Writes at once, or with the next group. Serialization errors throw before the group. */
  function change<Value>(begin: () => () => Value, options?: WriteOptions): Value | Promise<Value> {
    refuseClosed();
    try {
      return group.write(begin(), options);
    } catch (error) {
      throw faultOf(path, error);
    }
  }

  function refuseClosed(): void {
    if (closing !== undefined) throw new UndangleError("store/closed", { path, canRetry: false });
  }

  /** Pending writes finish first. */
  async function close(): Promise<void> {
    await group.drain();
    watchers.close();
    database.close();
  }
}

const threadFiles = threadFileQueries(sqliteDialect.prefix);
const sharedFiles = sharedFileQueries(sqliteDialect.prefix);

/** True if the file was deleted. SQLite would continue to write to it. */
function isDeleted(file: string | undefined): boolean {
  try {
    return file !== undefined && statSync(file, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false; // the process may have lost the right to check
  }
}

const thread = "thread = (SELECT key FROM undangle_threads WHERE id = ?)";
const entriesOf = `SELECT seq, value FROM undangle_entries WHERE ${thread} AND seq >= ? AND seq < ? ORDER BY seq`;
const callsOf = `SELECT id, entry, place, value FROM undangle_calls WHERE ${thread} AND entry >= ? AND entry < ?
  ORDER BY entry, place`;
const eventsOf = `SELECT seq, at, events FROM undangle_events WHERE ${thread} AND seq > ? ORDER BY seq`;

const markDeleted = `${withDescendants(sqliteDialect.prefix, "id = ? AND deleted_at IS NULL")}
  UPDATE undangle_threads SET deleted_at = ? WHERE key ${inFamily} AND deleted_at IS NULL`;
const unmarkDeleted = `${withDescendants(sqliteDialect.prefix, "id = ? AND deleted_at IS NOT NULL")}
  UPDATE undangle_threads SET deleted_at = NULL WHERE key ${inFamily} AND deleted_at IS NOT NULL`;

const readBeat = "SELECT beat_at FROM undangle_owners WHERE owner = ?";
const putBeat = `INSERT INTO undangle_owners (owner, beat_at) VALUES (?, ?)
  ON CONFLICT (owner) DO UPDATE SET beat_at = excluded.beat_at`;
const dropBeat = "DELETE FROM undangle_owners WHERE owner = ?";

const beatAt = (row: Readonly<Record<string, unknown>> | undefined): number | undefined =>
  row === undefined ? undefined : Number(row["beat_at"]);
