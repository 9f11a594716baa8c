import { UndangleError } from "#core";

import { escapeText } from "../escape-text.ts";
import { inFamily, withDescendants } from "../sql/descendants.ts";
import { sharedFileQueries, threadFileQueries } from "../sql/file-query.ts";
import { rowReader, threadColumns } from "../sql/stored-rows.ts";
import { threadQuery, wholeNumber } from "../sql/thread-query.ts";
import type { Asked } from "../sql/thread-query.ts";
import type { Store } from "../store.ts";
import { createCommitQueue } from "./commit-queue.ts";
import { nameOf } from "./database-name.ts";
import { migrate } from "./migrate.ts";
import { bigint, numbered, postgresDialect } from "./postgres-dialect.ts";
import { createNotifier } from "./event-channel.ts";
import { fateOf, faultOf, unknownOutcome } from "./postgres-fault.ts";
import { inTransaction, NoConnection, send as sendTo } from "./postgres-pool.ts";
import type { PostgresAnswer, PostgresPool } from "./postgres-pool.ts";
import { createSharedFileWriter } from "./shared-file-writer.ts";
import { createSender } from "./statement-sender.ts";
import type { Send } from "./statement-sender.ts";
import { onLiveConnection } from "./retry-unknown-commit.ts";
import { createValueWriter } from "./value-writer.ts";
import { watchDatabase } from "./watch-database.ts";

export interface PoolSettings {
  readonly schema: string | undefined;
  readonly patience: number;
  readonly endPool: boolean;
}

/** A store in the database of a pool. */
export function poolStore(pool: PostgresPool, { schema, patience, endPool }: PoolSettings): Store {
  const name = nameOf(pool);
  const { path } = name;
  const dialect = postgresDialect(schema);
  const { prefix } = dialect;
  const rows = rowReader(path);
  const sendNamed = createSender(pool);
  const send: Send = async (text, given) => {
    await open();
    return sendNamed(text, given);
  };
  const notifier = createNotifier(send);
  const watchers = watchDatabase(pool, { prefix, send });
  const onEvents = (id: string, lastEvent: number): void => {
    watchers.notify(id, lastEvent);
    notifier.notify(id, lastEvent);
  };
  const commits = createCommitQueue({ name, prefix, patience, send, onEvents });
  const values = createValueWriter({ name, prefix, patience, send });
  const shared = createSharedFileWriter(pool, { name, prefix, patience, open });
  const threadFiles = threadFileQueries(prefix);
  const sharedFiles = sharedFileQueries(prefix);
  const sql = statementsIn(prefix);
  const underWay = new Set<Promise<unknown>>();
  let opening: Promise<void> | undefined;
  let closing: Promise<void> | undefined;

  return {
    load: (id) =>
      ask(async () => {
        const [row] = await read(sql.thread, [escapeText(id)]);
        return row === undefined ? undefined : rows.thread(row);
      }),
    entries: (id, { from, to } = {}) =>
      ask(async () => (await read(sql.entries, [escapeText(id), bigint(from ?? 0), wholeNumber(to)])).map(rows.entry)),
    calls: (id, { from, to } = {}) =>
      ask(async () => (await read(sql.calls, [escapeText(id), bigint(from ?? 0), wholeNumber(to)])).map(rows.call)),
    events: (id, { after = 0, limit } = {}) =>
      ask(async () => {
        const [first, most] = [bigint(Math.max(after, 0)), wholeNumber(limit)];
        if (most === 0) return [];
        const found = await read(sql.events, [escapeText(id), first, bigint(first + most)]);
        const events = found.flatMap(rows.events).filter(({ seq }) => seq > after);
        return events.slice(0, most);
      }),
    files: (id, range) => ask(async () => (await readAsked(threadFiles.list(id, range))).map(rows.fileInfo)),
    file: (id, path) => ask(async () => (await readAsked(threadFiles.one(id, path))).map(rows.file)[0]),
    sharedFiles: (namespace, range) =>
      ask(async () => (await readAsked(sharedFiles.list(namespace, range))).map(rows.sharedFileInfo)),
    sharedFile: (namespace, path) =>
      ask(async () => (await readAsked(sharedFiles.one(namespace, path))).map(rows.sharedFile)[0]),
    list: (query = {}) =>
      ask(async () => {
        const asked = threadQuery(query, dialect);
        const given = asked.values.map((value) => (typeof value === "number" ? bigint(value) : value));
        await open();
        const found = await sendTo(pool, { text: numbered(asked.sql), values: given }); // not prepared, so that each is planned for its parameters
        return found.rows.map(rows.thread);
      }),
    lastBeat: (owner) =>
      ask(async () => {
        const [row] = await read(sql.beat, [escapeText(owner)]);
        return row === undefined ? undefined : Number(row["beat_at"]);
      }),
    read: (key) =>
      ask(async () => {
        const [row] = await read(sql.value, [escapeText(key)]);
        return row === undefined ? undefined : rows.value(row);
      }),

    watch: (id, onEvents) => {
      refuseClosed();
      return watchers.add(escapeText(id), onEvents);
    },

    beat: (owner, at) => ask(async () => void (await read(sql.putBeat, [escapeText(owner), bigint(at)]))),
    leave: (owner) => ask(async () => void (await read(sql.dropBeat, [escapeText(owner)]))),

    commit: (commit) => use(() => commits.save(commit)),
    write: (key, value, version) => use(() => values.write(key, value, version)),
    writeSharedFiles: (namespace, changes, options) => use(() => shared.write(namespace, changes, options)),
    delete: (id, at) => once(async () => changed(await send(sql.markDeleted, [escapeText(id), bigint(at)])) > 0),
    restore: (id) => once(async () => changed(await send(sql.unmarkDeleted, [escapeText(id)])) > 0),
    purge: (before) => once(() => removeWith(sql.deletedBefore, bigint(before))),
    remove: (id) => once(async () => (await removeWith(sql.withId, escapeText(id))) > 0),
    close: () => (closing ??= close()),
  };

  /** The rows of an idempotent statement. */
  async function read(text: string, given: unknown[]): Promise<PostgresAnswer["rows"]> {
    return (await send(text, given)).rows;
  }

  function readAsked({ sql: text, values: given }: Asked): Promise<PostgresAnswer["rows"]> {
    return read(numbered(text), given);
  }

  /** Runs idempotent work, with retries. */
  function ask<Value>(work: () => Promise<Value>): Promise<Value> {
    return use(async () => {
      await open(); // it retries itself, so a failing connection is not retried nine times
      return onLiveConnection(work);
    });
  }

  /** Runs work that is not idempotent. */
  function once<Value>(work: () => Promise<Value>): Promise<Value> {
    return use(async () => {
      try {
        return await work();
      } catch (error) {
        throw fateOf(error) === "lost" ? unknownOutcome(name, error) : error;
      }
    });
  }

  /** The threads are locked first, so that no other process adds rows that the next statement would miss. */
  async function removeWith({ hold, remove }: Removal, value: unknown): Promise<number> {
    await open();
    return inTransaction(pool, async (client) => {
      await client.query({ text: hold, values: [value] });
      return changed(await client.query({ text: remove, values: [value] }));
    });
  }

  /** Every operation goes through this function. A closed store refuses it, and `close` waits for it. */
  async function use<Value>(work: () => Promise<Value>): Promise<Value> {
    refuseClosed();
    const running = work();
    underWay.add(running);
    try {
      return await running;
    } catch (error) {
      throw faultOf(name, error);
    } finally {
      underWay.delete(running);
    }
  }

  function refuseClosed(): void {
    if (closing !== undefined) throw new UndangleError("store/closed", { path, canRetry: false });
  }

  /** Creates the tables before the first use. After a failure the next use tries again. */
  function open(): Promise<void> {
    opening ??= onLiveConnection(() => migrate(pool, { path, schema })).catch((error: unknown) => {
      opening = undefined;
      // Nothing was done with the tables.
      throw fateOf(error) === "lost" ? new NoConnection("The tables could not be read.", { cause: error }) : error;
    });
    return opening;
  }

  async function close(): Promise<void> {
    await Promise.allSettled(underWay);
    watchers.close();
    await notifier.drain();
    if (endPool) await pool.end();
  }
}

/** The number of changed or returned rows. */
const changed = ({ rowCount }: PostgresAnswer): number => rowCount ?? 0;

/** The statements that remove threads, sent in this order. */
interface Removal {
  readonly hold: string;
  readonly remove: string;
}

/** The statements for a prefix of table names. */
const statementsIn = (prefix: string) => {
  const threads = `${prefix}undangle_threads`;
  const owners = `${prefix}undangle_owners`;
  const key = `(SELECT key FROM ${threads} WHERE id = $1)`;
  const [entries, calls, events, files] = ["entries", "calls", "events", "files"].map(
    (table) => `${prefix}undangle_${table}`,
  );
  const dropOf = (table: string | undefined): string => `DELETE FROM ${table} WHERE thread IN (SELECT key FROM gone)`;
  const removalOf = (condition: string): Removal => ({
    hold: `${withDescendants(prefix, condition)} SELECT 1 FROM ${threads} WHERE key ${inFamily} FOR UPDATE`,
    remove: `${withDescendants(prefix, condition)}, gone AS (DELETE FROM ${threads} WHERE key ${inFamily} RETURNING key),
      entries AS (${dropOf(entries)}), calls AS (${dropOf(calls)}), events AS (${dropOf(events)}),
      files AS (${dropOf(files)})
      SELECT key FROM gone`,
  });
  return {
    thread: `SELECT ${threadColumns} FROM ${threads} WHERE id = $1`,
    entries: `SELECT seq, value FROM ${entries} WHERE thread = ${key} AND seq >= $2 AND seq < $3 ORDER BY seq`,
    calls: `SELECT id, entry, place, value FROM ${calls} WHERE thread = ${key} AND entry >= $2 AND entry < $3
      ORDER BY entry, place`,
    // Up to the row with the last requested event. A row contains several events, and its number is that of the last.
    events: `SELECT seq, at, events FROM ${events} WHERE thread = ${key} AND seq > $2 AND seq <= coalesce(
      (SELECT seq FROM ${events} WHERE thread = ${key} AND seq >= $3 ORDER BY seq LIMIT 1), 9223372036854775807) ORDER BY seq`,
    value: `SELECT version, value FROM ${prefix}undangle_values WHERE key = $1`,
    beat: `SELECT beat_at FROM ${owners} WHERE owner = $1`,
    putBeat: `INSERT INTO ${owners} (owner, beat_at) VALUES ($1, $2)
      ON CONFLICT (owner) DO UPDATE SET beat_at = excluded.beat_at`,
    dropBeat: `DELETE FROM ${owners} WHERE owner = $1`,
    markDeleted: `${withDescendants(prefix, "id = $1 AND deleted_at IS NULL")}
      UPDATE ${threads} SET deleted_at = $2 WHERE key ${inFamily} AND deleted_at IS NULL`,
    unmarkDeleted: `${withDescendants(prefix, "id = $1 AND deleted_at IS NOT NULL")}
      UPDATE ${threads} SET deleted_at = NULL WHERE key ${inFamily} AND deleted_at IS NOT NULL`,
    deletedBefore: removalOf("deleted_at < $1"),
    withId: removalOf("id = $1"),
  };
};
