/**
 * The store of threads. It knows nothing of calls and turns: it stores what the ledger gives it, in order, and admits
 * one writer at a time per thread. Values are JSON and immutable.
 */
export interface Store {
  /** The head of a thread; undefined if there is none. A deleted thread exists until it is purged, with `deletedAt`. */
  load(id: string): Promise<StoredThread | undefined>;
  /** The entries from `from` (default 0) up to but excluding `to`. The cost is proportional to the result. */
  entries(id: string, range?: { readonly from?: number; readonly to?: number }): Promise<readonly StoredEntry[]>;
  /** The calls of these entries, ordered by entry and `place`. */
  calls(id: string, range?: { readonly from?: number; readonly to?: number }): Promise<readonly StoredCall[]>;
  /** The events after one, oldest first; at most `limit`. */
  events(id: string, range?: { readonly after?: number; readonly limit?: number }): Promise<readonly StoredEvent[]>;
  /** The files of a thread without their contents, sorted by path. The cost is proportional to the result. */
  files(id: string, range?: FileRange): Promise<readonly StoredFileInfo[]>;
  /** A file of a thread; undefined if there is none. */
  file(id: string, path: string): Promise<StoredFile | undefined>;
  /**
   * Calls back soon after any process adds events to a thread, with the number of the last event, or with Infinity if
   * it is unknown. Spurious calls are allowed; a call on close is required. Returns a function that unsubscribes.
   * Without `watch`, every reader polls.
   */
  watch?(id: string, onEvents: (lastEvent: number) => void): () => void;
  /**
   * Saves a commit atomically. When the promise resolves, it survives a power failure. A writer that has not seen the
   * last commit gets `store/conflict`.
   */
  commit(commit: Commit): Promise<void>;
  /** Records that an owner was alive at a time. It need not survive a power failure. */
  beat(owner: string, at: number): Promise<void>;
  /** The last time at which an owner was alive; undefined if it never was, or has left. */
  lastBeat(owner: string): Promise<number | undefined>;
  /** Removes an owner. */
  leave(owner: string): Promise<void>;
  /** Threads by last change, newest first. */
  list(query?: ThreadQuery): Promise<readonly StoredThread[]>;
  /**
   * Marks a thread and its descendants as deleted, which `restore` undoes for all of them. False if the thread does not
   * exist or is already deleted.
   */
  delete(id: string, at: number): Promise<boolean>;
  restore(id: string): Promise<boolean>;
  /** Permanently removes threads that were deleted before a time, with their descendants. Returns the number of all. */
  purge(before: number): Promise<number>;
  /** Permanently removes a thread with its descendants, marked as deleted or not; false when there is none. */
  remove(id: string): Promise<boolean>;
  /** The value of a key; undefined if there is none. */
  read(key: string): Promise<StoredValue | undefined>;
  /**
   * Stores a value. When the promise resolves, it survives a power failure. `version` is the version that the writer
   * has read, 0 for none. A writer that has not seen the last value gets `store/stale`.
   */
  write(key: string, value: unknown, version: number): Promise<void>;
  /** The files of a namespace, as `files`. Shared files belong to no thread. */
  sharedFiles(namespace: string, range?: FileRange): Promise<readonly SharedFileInfo[]>;
  /** A file of a namespace; undefined if there is none. */
  sharedFile(namespace: string, path: string): Promise<SharedFile | undefined>;
  /**
   * Applies changes to the files of a namespace atomically. When the promise resolves, they survive a power failure. If
   * a change names another version than that of its file, the writer gets `store/stale` with the path as key, and
   * nothing is changed.
   */
  writeSharedFiles(
    namespace: string,
    changes: readonly SharedFileChange[],
    options: { readonly at: number },
  ): Promise<void>;
  close(): Promise<void>;
}

/** The head of a thread with its counters. */
export interface StoredThread extends Head {
  readonly id: string;
  /** Counts commits, from 1. */
  readonly version: number;
  /** The number of entries. */
  readonly entries: number;
  /** The sequence number of the last event; 0 before the first. */
  readonly lastEvent: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly deletedAt: number | undefined;
}

/** The fields that every commit replaces, except `parent`. */
export interface Head {
  /** Counts owners. Writes of an earlier owner are refused. */
  readonly epoch: number;
  /** The process that runs the thread. */
  readonly owner: string | undefined;
  readonly status: ThreadStatus;
  /** When its first pending approval expires, in milliseconds since the epoch. */
  readonly deadline: number | undefined;
  readonly title: string | undefined;
  /** The id of the thread that this thread belongs to. The first commit sets it, and later commits do not change it. */
  readonly parent?: string | undefined;
  /** The state of the ledger, of constant size. */
  readonly data: unknown;
}

export type ThreadStatus = "idle" | "running" | "waiting";

export interface StoredEntry {
  /** Its index in the thread, from 0. */
  readonly seq: number;
  readonly value: unknown;
}

export interface StoredCall {
  /** Unique in its thread. */
  readonly id: string;
  /** Its entry, and its index there. */
  readonly entry: number;
  readonly place: number;
  readonly value: unknown;
}

export interface StoredEvent {
  /** Its number in the thread, from 1, without gaps. */
  readonly seq: number;
  readonly type: string;
  readonly data: unknown;
  readonly at: number;
}

export interface StoredValue {
  readonly value: unknown;
  /** Counts writes, from 1. */
  readonly version: number;
}

/** What is known of a file without its contents. */
export interface StoredFileInfo {
  /** Any text. The store attaches no meaning to slashes. */
  readonly path: string;
  /** The number of bytes. */
  readonly size: number;
  /** Kept when the file is replaced. */
  readonly createdAt: number;
  readonly modifiedAt: number;
}

export interface StoredFile extends StoredFileInfo {
  readonly data: Uint8Array;
}

export interface SharedFileInfo extends StoredFileInfo {
  /**
   * The number of the last write to this file, counted from 1 over all writes to its namespace. No version occurs twice,
   * also after the file was deleted and created again.
   */
  readonly version: number;
}

export interface SharedFile extends SharedFileInfo {
  readonly data: Uint8Array;
}

/** Creates or replaces a file, or deletes it with `null`. Of several changes to one path, the last counts. */
export interface FileChange {
  readonly path: string;
  readonly data: Uint8Array | null;
}

export interface SharedFileChange extends FileChange {
  /** The version that the writer has read, 0 for a missing file. Without it, any version is replaced. */
  readonly version?: number | undefined;
}

/** Selects files in the order of the code points of their paths. NUL and lone surrogates sort as U+001A. */
export interface FileRange {
  /** The text that the paths start with, without wildcards. */
  readonly prefix?: string;
  readonly limit?: number;
  /** Files after this path, for the next page. */
  readonly after?: string;
}

export interface Commit {
  readonly thread: string;
  /** The version that the writer has seen; 0 for a new thread. */
  readonly version: number;
  readonly at: number;
  readonly head: Head;
  /** Appended entries; `text` is for the search. */
  readonly entries: readonly { readonly value: unknown; readonly text: string }[];
  /** New calls, and calls that replace those with the same id. A call keeps its entry and place. */
  readonly calls: readonly StoredCall[];
  /** Appended events. */
  readonly events: readonly Omit<StoredEvent, "seq" | "at">[];
  /** Changed files; their `modifiedAt` is `at`. */
  readonly files?: readonly FileChange[];
}

export interface ThreadQuery {
  /** List the children of this thread. Without it, only threads without a parent are listed. */
  readonly parent?: string;
  /** Text in the id, the title or the messages; A to Z match in any case. */
  readonly search?: string;
  readonly idPrefix?: string;
  readonly status?: ThreadStatus;
  /** Threads with an owner. */
  readonly isOwned?: boolean;
  /** Threads with an approval that expires before this time. */
  readonly dueBefore?: number;
  /** List deleted threads instead of the others. */
  readonly isDeleted?: boolean;
  readonly limit?: number;
  /** Threads that changed before the given thread, for the next page. */
  readonly after?: { readonly updatedAt: number; readonly id: string };
}
