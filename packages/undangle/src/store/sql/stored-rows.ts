import { UndangleError } from "#core";

import { unescapeText } from "../escape-text.ts";
import type {
  SharedFile,
  SharedFileInfo,
  StoredCall,
  StoredEntry,
  StoredEvent,
  StoredFile,
  StoredFileInfo,
  StoredThread,
  StoredValue,
  ThreadStatus,
} from "../store.ts";
import { eventsOfRow } from "./event-rows.ts";

export type Row = Readonly<Record<string, unknown>>;

export const threadColumns =
  "id, version, entries, last_event, created_at, updated_at, deleted_at, epoch, owner, status, deadline, title, parent, data";

/** Parses rows. An invalid row throws `store/corrupt`. */
export const rowReader = (path: string) => {
  const parse = (row: Row, column: string): unknown => {
    try {
      return JSON.parse(String(row[column]));
    } catch (error) {
      throw new UndangleError("store/corrupt", { path, canRetry: false }, error);
    }
  };

  /**
   * SQLite returns bytes as Uint8Array, `pg` as Buffer, which may share its memory with others, and a pool without type
   * parsers as hexadecimal text.
   */
  const bytes = (value: unknown): Uint8Array => {
    if (value instanceof Uint8Array) return new Uint8Array(value);
    if (typeof value === "string" && value.startsWith("\\x")) return new Uint8Array(Buffer.from(value.slice(2), "hex"));
    throw new UndangleError("store/corrupt", { path, canRetry: false });
  };

  return {
    thread: (row: Row): StoredThread => ({
      id: text(row["id"]),
      version: Number(row["version"]),
      entries: Number(row["entries"]),
      lastEvent: Number(row["last_event"]),
      createdAt: Number(row["created_at"]),
      updatedAt: Number(row["updated_at"]),
      deletedAt: unlessNull(row["deleted_at"], Number),
      epoch: Number(row["epoch"]),
      owner: unlessNull(row["owner"], text),
      status: String(row["status"]) as ThreadStatus, // only commits write it, with a valid value
      deadline: unlessNull(row["deadline"], Number),
      title: unlessNull(row["title"], text),
      parent: unlessNull(row["parent"], text),
      data: parse(row, "data"),
    }),
    entry: (row: Row): StoredEntry => ({ seq: Number(row["seq"]), value: parse(row, "value") }),
    call: (row: Row): StoredCall => ({
      id: text(row["id"]),
      entry: Number(row["entry"]),
      place: Number(row["place"]),
      value: parse(row, "value"),
    }),
    fileInfo,
    file: (row: Row): StoredFile => ({ ...fileInfo(row), data: bytes(row["data"]) }),
    sharedFileInfo,
    sharedFile: (row: Row): SharedFile => ({ ...sharedFileInfo(row), data: bytes(row["data"]) }),
    value: (row: Row): StoredValue => ({ value: parse(row, "value"), version: Number(row["version"]) }),
    events: (row: Row): readonly StoredEvent[] => {
      const events = eventsOfRow(parse(row, "events"), Number(row["seq"]), Number(row["at"]));
      if (events === undefined) throw new UndangleError("store/corrupt", { path, canRetry: false });
      return events;
    },
  };
};

const fileInfo = (row: Row): StoredFileInfo => ({
  path: text(row["path"]),
  size: Number(row["size"]),
  createdAt: Number(row["created_at"]),
  modifiedAt: Number(row["modified_at"]),
});

const sharedFileInfo = (row: Row): SharedFileInfo => ({ ...fileInfo(row), version: Number(row["version"]) });

const text = (value: unknown): string => unescapeText(String(value));

function unlessNull<Value>(value: unknown, read: (value: unknown) => Value): Value | undefined {
  return value === null ? undefined : read(value);
}
