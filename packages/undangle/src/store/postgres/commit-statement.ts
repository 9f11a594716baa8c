import { escapeText } from "../escape-text.ts";
import type { Commit } from "../store.ts";
import { eventRows } from "../sql/event-rows.ts";
import type { EventRow } from "../sql/event-rows.ts";
import { searchOfEntry, searchOfThread } from "../sql/search-text.ts";
import { bigint } from "./postgres-dialect.ts";
import { tokensKept } from "./write-token.ts";
import { columns, writeFiles } from "./written-file.ts";
import type { WrittenFile } from "./written-file.ts";

/** A serialized commit. */
export interface WrittenCommit {
  readonly commit: Omit<Commit, "entries" | "calls" | "events" | "files">;
  readonly id: string;
  readonly token: string;
  readonly data: string;
  readonly entries: readonly { readonly search: string; readonly value: string }[];
  readonly calls: readonly {
    readonly entry: number;
    readonly place: number;
    readonly id: string;
    readonly value: string;
  }[];
  readonly events: readonly EventRow[];
  readonly files: readonly WrittenFile[];
  /** Its approximate length. */
  readonly length: number;
}

/** Serializes a commit in its current state. */
export function writeCommit({ entries, calls, events, files, ...commit }: Commit, token: string): WrittenCommit {
  const data = toJson(commit.head.data);
  const written = {
    entries: entries.map(({ text, value }) => ({ search: searchOfEntry(text), value: toJson(value) })),
    calls: calls.map(({ id, entry, place, value }) => ({ id: escapeText(id), entry, place, value: toJson(value) })),
    events: eventRows(events),
    files: writeFiles(files),
  };
  const texts = [...written.entries, ...written.calls].map(({ value }) => value);
  const contents = written.files.map(({ data: content }) => content ?? "");
  const lengths = [data, ...texts, ...written.events.map(({ text }) => text), ...contents].map((text) => text.length);
  const length = lengths.reduce((sum, each) => sum + each, 0);
  return { commit, id: escapeText(commit.thread), token, data, ...written, length };
}

/** JSON text; undefined becomes null, as in an array. */
const toJson = (value: unknown): string => JSON.stringify(value) ?? "null";

/**
 * The statement that saves commits of different threads in one round trip and one transaction. It returns the ids of
 * saved threads and their last events. A thread with another version than expected is skipped entirely.
 */
export const commitStatement = (prefix: string): string => `${savingCommits(prefix)}
SELECT id, last_event FROM saved`;

/** The same statement for commits with files. Others do not pay for its additional parts. */
export const commitStatementWithFiles = (prefix: string): string => `${savingCommits(prefix)}, put_files AS (
  INSERT INTO ${prefix}undangle_files (thread, path, size, created_at, modified_at, data)
  SELECT saved.key, put.path, put.size, saved.at, saved.at, decode(put.data, 'base64')
  FROM unnest($27::text[], $28::text[], $29::bigint[], $30::text[]) AS put (id, path, size, data)
  JOIN saved ON saved.id = put.id
  ON CONFLICT (thread, path) DO UPDATE SET size = excluded.size, modified_at = excluded.modified_at, data = excluded.data
), dropped_files AS (
  DELETE FROM ${prefix}undangle_files AS stored
  USING unnest($31::text[], $32::text[]) AS dropped (id, path) JOIN saved ON saved.id = dropped.id
  WHERE stored.thread = saved.key AND stored.path = dropped.path
)
SELECT id, last_event FROM saved`;

const savingCommits = (prefix: string): string => `
WITH given AS MATERIALIZED (
  SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::text[],
    $8::text[], $9::bigint[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[])
    AS given (id, version, entries, events, at, epoch, owner, status, deadline, title, search, data, token, parent)
), created AS (
  INSERT INTO ${prefix}undangle_threads (id, version, entries, last_event, created_at, updated_at, epoch, owner, status,
    deadline, title, tokens, search, data, parent)
  SELECT id, 1, entries, events, at, at, epoch, owner, status, deadline, title, token, search, data, parent
  FROM given WHERE version = 0
  ON CONFLICT (id) DO NOTHING
  RETURNING id, key, entries, last_event
), changed AS (
  UPDATE ${prefix}undangle_threads AS stored SET version = stored.version + 1, entries = stored.entries + given.entries,
    last_event = stored.last_event + given.events, updated_at = given.at, epoch = given.epoch, owner = given.owner,
    status = given.status, deadline = given.deadline, title = given.title, search = given.search, data = given.data,
    tokens = left(given.token || stored.tokens, ${tokensKept})
  FROM given WHERE given.version > 0 AND stored.id = given.id AND stored.version = given.version
  RETURNING stored.id, stored.key, stored.entries, stored.last_event
), saved AS MATERIALIZED (
  SELECT written.id, written.key, written.last_event, given.at, written.entries - given.entries AS entry,
    written.last_event - given.events AS event
  FROM (SELECT * FROM created UNION ALL SELECT * FROM changed) AS written JOIN given ON given.id = written.id
), added_entries AS (
  INSERT INTO ${prefix}undangle_entries (thread, seq, search, value)
  SELECT saved.key, saved.entry + added.place, added.search, added.value
  FROM unnest($15::text[], $16::bigint[], $17::text[], $18::text[]) AS added (id, place, search, value)
  JOIN saved ON saved.id = added.id
), put_calls AS (
  INSERT INTO ${prefix}undangle_calls (thread, entry, place, id, value)
  SELECT saved.key, put.entry, put.place, put.call, put.value
  FROM unnest($19::text[], $20::bigint[], $21::bigint[], $22::text[], $23::text[]) AS put (id, entry, place, call, value)
  JOIN saved ON saved.id = put.id
  ON CONFLICT (thread, entry, place) DO UPDATE SET id = excluded.id, value = excluded.value
), added_events AS (
  INSERT INTO ${prefix}undangle_events (thread, seq, at, events)
  SELECT saved.key, saved.event + added.last, saved.at, added.events
  FROM unnest($24::text[], $25::bigint[], $26::text[]) AS added (id, last, events)
  JOIN saved ON saved.id = added.id
)`;

/** The parameters of the statement. */
export function commitValues(group: readonly WrittenCommit[]): unknown[] {
  const heads = group.map(({ commit: { version, at, head, thread }, id, token, data, entries, events }) => [
    id,
    bigint(version),
    entries.length,
    events.at(-1)?.last ?? 0,
    bigint(at),
    bigint(head.epoch),
    head.owner === undefined ? null : escapeText(head.owner),
    head.status,
    head.deadline === undefined ? null : bigint(head.deadline),
    head.title === undefined ? null : escapeText(head.title),
    searchOfThread(thread, head.title),
    data,
    token,
    head.parent === undefined ? null : escapeText(head.parent),
  ]);
  const entries = group.flatMap(({ id, entries: added }) =>
    added.map(({ search, value }, place) => [id, place, search, value]),
  );
  const calls = group.flatMap((each) =>
    lastOfEach(each.calls).map(({ entry, place, id, value }) => [each.id, entry, place, id, value]),
  );
  const events = group.flatMap(({ id, events: added }) => added.map(({ last, text }) => [id, last, text]));
  return [...columns(heads, 14), ...columns(entries, 4), ...columns(calls, 5), ...columns(events, 3)];
}

/** The parameters of the statement with files. */
export function commitValuesWithFiles(group: readonly WrittenCommit[]): unknown[] {
  const puts = group.flatMap(({ id, files }) =>
    files.flatMap(({ path, size, data }) => (data === null ? [] : [[id, path, size, data]])),
  );
  const drops = group.flatMap(({ id, files }) =>
    files.flatMap(({ path, data }) => (data === null ? [[id, path]] : [])),
  );
  return [...commitValues(group), ...columns(puts, 4), ...columns(drops, 2)];
}

/** A statement may write a row only once. */
function lastOfEach(calls: WrittenCommit["calls"]): WrittenCommit["calls"] {
  if (calls.length < 2) return calls;
  return [...new Map(calls.map((call) => [`${call.entry} ${call.place}`, call])).values()];
}
