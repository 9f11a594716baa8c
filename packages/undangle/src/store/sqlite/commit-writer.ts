import type { DatabaseSync } from "node:sqlite";

import { UndangleError } from "#core";

import { escapeText } from "../escape-text.ts";
import { lastChanges } from "../file-changes.ts";
import type { Commit } from "../store.ts";
import { eventRows } from "../sql/event-rows.ts";
import { createLastHeads } from "./last-heads.ts";
import type { StoredCounts } from "./last-heads.ts";
import { searchOfEntry, searchOfThread } from "../sql/search-text.ts";

/** The changes of a commit to the row of its thread. */
interface Added {
  readonly id: string;
  readonly data: string;
  /** The number of added entries and events. */
  readonly entries: number;
  readonly events: number;
}

export interface CommitWriter {
  /** Serializes a commit at once, and writes it when the returned function is called. */
  readonly write: (commit: Commit) => () => StoredCounts;
  /** Reports that the commit is on disk. */
  readonly committed: (commit: Commit, counts: StoredCounts) => void;
  /** True if no other thread is likely to write at the same time. */
  readonly isOnlyOne: (commit: Commit) => boolean;
}

export function createCommitWriter(database: DatabaseSync): CommitWriter {
  const returned = "RETURNING key, entries, last_event, created_at";
  const create = database.prepare(
    `INSERT INTO undangle_threads
      (id, version, entries, last_event, created_at, updated_at, epoch, owner, status, deadline, title, search, data,
      parent) VALUES (?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (id) DO NOTHING ${returned}`,
  );
  const update = database.prepare(
    `UPDATE undangle_threads SET version = version + 1, entries = entries + ?, last_event = last_event + ?, updated_at = ?,
      epoch = ?, owner = ?, status = ?, deadline = ?, title = ?, search = ?, data = ?
      WHERE id = ? AND version = ? ${returned}`,
  );
  // An index is written whenever one of its columns is, even with the same value. Known values need not be returned.
  const updateSame = database.prepare(
    `UPDATE undangle_threads SET version = ?, entries = ?, last_event = ?, updated_at = ?, epoch = ?, data = ?
      WHERE key = ? AND id = ? AND version = ? AND entries = ? AND last_event = ? AND created_at = ?`,
  );
  const readVersion = database.prepare("SELECT version FROM undangle_threads WHERE id = ?");
  const addEntry = database.prepare("INSERT INTO undangle_entries (thread, seq, search, value) VALUES (?, ?, ?, ?)");
  const putCall = database.prepare(
    `INSERT INTO undangle_calls (thread, entry, place, id, value) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (thread, entry, place) DO UPDATE SET id = excluded.id, value = excluded.value`,
  );
  const addEvents = database.prepare("INSERT INTO undangle_events (thread, seq, at, events) VALUES (?, ?, ?, ?)");
  const putFile = database.prepare(
    `INSERT INTO undangle_files (thread, path, size, created_at, modified_at, data) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT (thread, path) DO UPDATE SET size = excluded.size, modified_at = excluded.modified_at, data = excluded.data`,
  );
  const dropFile = database.prepare("DELETE FROM undangle_files WHERE thread = ? AND path = ?");
  const heads = createLastHeads();

  const write: CommitWriter["write"] = (commit) => {
    const id = escapeText(commit.thread);
    const data = toJson(commit.head.data);
    const entries = commit.entries.map(({ text, value }) => ({ search: searchOfEntry(text), value: toJson(value) }));
    const calls = commit.calls.map(({ id, entry, place, value }) => ({
      id: escapeText(id),
      entry,
      place,
      value: toJson(value),
    }));
    const events = eventRows(commit.events);
    const files = lastChanges(commit.files);
    const added = { id, data, entries: entries.length, events: events.at(-1)?.last ?? 0 };

    return () => {
      const after = writeSameHead(commit, added) ?? writeHead(commit, added);
      if (after === undefined) throw conflict(commit, Number(readVersion.get(id)?.["version"] ?? 0));
      const { key } = after;
      let seq = after.entries - entries.length;
      // `get` instead of `run`, which creates an object with the number of changes.
      for (const { search, value } of entries) addEntry.get(key, seq++, search, value);
      for (const { id, entry, place, value } of calls) putCall.get(key, entry, place, id, value);
      const before = after.lastEvent - added.events;
      for (const { last, text } of events) addEvents.get(key, before + last, commit.at, text);
      for (const { path, data } of files) {
        if (data === null) dropFile.get(key, path);
        else putFile.get(key, path, data.byteLength, commit.at, commit.at, data);
      }
      return after;
    };
  };
  return { write, committed: heads.note, isOnlyOne: ({ thread }) => heads.isOnlyOne(thread) };

  /** Undefined if the head differs, or another writer was faster. */
  function writeSameHead(commit: Commit, { id, data, entries: more, events }: Added): StoredCounts | undefined {
    const last = heads.sameAs(commit);
    if (last === undefined) return undefined;
    const { version, at, head } = commit;
    const { key, createdAt } = last;
    const entries = last.entries + more;
    const lastEvent = last.lastEvent + events;
    const known = [key, id, version, last.entries, last.lastEvent, createdAt] as const;
    const { changes } = updateSame.run(version + 1, entries, lastEvent, at, head.epoch, data, ...known);
    return Number(changes) === 0 ? undefined : { key, entries, lastEvent, createdAt };
  }

  /** Undefined if the thread has another version. */
  function writeHead(commit: Commit, { id, data, entries, events }: Added): StoredCounts | undefined {
    const { version, at, head } = commit;
    const owner = head.owner === undefined ? null : escapeText(head.owner);
    const title = head.title === undefined ? null : escapeText(head.title);
    const parent = head.parent === undefined ? null : escapeText(head.parent);
    const search = searchOfThread(commit.thread, head.title);
    const counts = [entries, events] as const;
    const rest = [head.epoch, owner, head.status, head.deadline ?? null, title, search, data] as const;
    const row =
      version === 0
        ? create.get(id, ...counts, at, at, ...rest, parent)
        : update.get(...counts, at, ...rest, id, version);
    return row === undefined
      ? undefined
      : {
          key: Number(row["key"]),
          entries: Number(row["entries"]),
          lastEvent: Number(row["last_event"]),
          createdAt: Number(row["created_at"]),
        };
  }
}

const conflict = ({ thread, version }: Commit, actual: number): UndangleError =>
  new UndangleError("store/conflict", { threadId: thread, expected: version, actual, canRetry: false });

/** JSON text; undefined becomes null, as in an array. */
function toJson(value: unknown): string {
  return JSON.stringify(value) ?? "null";
}
