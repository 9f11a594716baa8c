import type { DatabaseSync } from "node:sqlite";

import { UndangleError } from "#core";

import { escapeText } from "../escape-text.ts";
import type { Commit } from "../store.ts";
import { searchOfEntry, searchOfThread } from "./search-text.ts";

/** Writes commits. */
export interface CommitWriter {
  /** What a commit says is turned into text at once, and written when the work is called. */
  readonly write: (commit: Commit) => () => void;
  /** The work was done, and is on disk. */
  readonly committed: (commit: Commit) => void;
}

export function createCommitWriter(database: DatabaseSync): CommitWriter {
  const create = database.prepare(
    `INSERT INTO undangle_threads
      (id, version, entries, last_event, created_at, updated_at, epoch, owner, status, deadline, title, search, data)
      VALUES (?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (id) DO NOTHING RETURNING key, entries, last_event`,
  );
  const update = database.prepare(
    `UPDATE undangle_threads SET version = version + 1, entries = entries + ?, last_event = last_event + ?, updated_at = ?,
      epoch = ?, owner = ?, status = ?, deadline = ?, title = ?, search = ?, data = ?
      WHERE id = ? AND version = ? RETURNING key, entries, last_event`,
  );
  // An index is written whenever one of its columns is, also with the value that it has.
  const updateSame = database.prepare(
    `UPDATE undangle_threads SET version = version + 1, entries = entries + ?, last_event = last_event + ?, updated_at = ?,
      epoch = ?, data = ? WHERE id = ? AND version = ? RETURNING key, entries, last_event`,
  );
  const written = createLastHeads();
  const readVersion = database.prepare("SELECT version FROM undangle_threads WHERE id = ?");
  const addEntry = database.prepare("INSERT INTO undangle_entries (thread, seq, search, value) VALUES (?, ?, ?, ?)");
  const putCall = database.prepare(
    `INSERT INTO undangle_calls (thread, entry, place, id, value) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (thread, entry, place) DO UPDATE SET id = excluded.id, value = excluded.value`,
  );
  const addEvent = database.prepare("INSERT INTO undangle_events (thread, seq, at, type, data) VALUES (?, ?, ?, ?, ?)");

  const write: CommitWriter["write"] = (commit) => {
    const { version, at, head } = commit;
    const id = escapeText(commit.thread);
    const search = searchOfThread(commit.thread, head.title);
    const data = toJson(head.data);
    const owner = head.owner === undefined ? null : escapeText(head.owner);
    const title = head.title === undefined ? null : escapeText(head.title);
    const deadline = head.deadline ?? null;
    const entries = commit.entries.map(({ text, value }) => ({ search: searchOfEntry(text), value: toJson(value) }));
    const calls = commit.calls.map((call) => ({ ...call, id: escapeText(call.id), value: toJson(call.value) }));
    const events = commit.events.map(({ type, data }) => ({ type: escapeText(type), data: toJson(data) }));
    const counts = [entries.length, events.length] as const;
    const rest = [head.epoch, owner, head.status, deadline, title, search, data] as const;

    return () => {
      const row =
        version === 0
          ? create.get(id, ...counts, at, at, ...rest)
          : written.isSame(commit)
            ? updateSame.get(...counts, at, head.epoch, data, id, version)
            : update.get(...counts, at, ...rest, id, version);
      if (row === undefined) {
        const actual = Number(readVersion.get(id)?.["version"] ?? 0);
        throw new UndangleError("store/conflict", {
          threadId: commit.thread,
          expected: version,
          actual,
          canRetry: false,
        });
      }
      const key = Number(row["key"]);
      let seq = Number(row["entries"]) - entries.length;
      for (const { search, value } of entries) addEntry.run(key, seq++, search, value);
      for (const { id, entry, place, value } of calls) putCall.run(key, entry, place, id, value);
      let event = Number(row["last_event"]) - events.length;
      for (const { type, data } of events) addEvent.run(key, ++event, at, type, data);
    };
  };
  return { write, committed: written.note };
}

/** What was last written of the heads of threads, as far as it is remembered. */
interface LastHeads {
  /** True when a commit follows the one that is remembered, and changes nothing of what is searched and listed by. */
  readonly isSame: (commit: Commit) => boolean;
  readonly note: (commit: Commit) => void;
}

const mostHeads = 1000;

function createLastHeads(): LastHeads {
  const heads = new Map<string, Commit["head"] & { readonly version: number }>();
  return {
    isSame({ thread, version, head }) {
      const last = heads.get(thread);
      if (last?.version !== version) return false; // somebody else has written since
      const { owner, status, deadline, title } = head;
      return last.owner === owner && last.status === status && last.deadline === deadline && last.title === title;
    },
    note({ thread, version, head }) {
      heads.delete(thread);
      heads.set(thread, { ...head, data: undefined, version: version + 1 });
      if (heads.size <= mostHeads) return;
      for (const oldest of heads.keys()) {
        heads.delete(oldest);
        break;
      }
    },
  };
}

/** JSON text. What is not there at all is null, as it is in an array. */
function toJson(value: unknown): string {
  return JSON.stringify(value) ?? "null";
}
