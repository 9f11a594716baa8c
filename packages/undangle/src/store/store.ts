/**
 * Where threads are kept. A store knows nothing of calls and turns: it keeps what the ledger gives it, in order, and lets one
 * writer at a time add to a thread. Values are JSON, and nobody changes them once they are given.
 */
export interface Store {
  /** The head of a thread; undefined when there is none. A deleted one is there until it is purged, with `deletedAt`. */
  load(id: string): Promise<StoredThread | undefined>;
  /** The entries from one on (the first is 0) up to another, which is not among them. Costs what it gives, at any length. */
  entries(id: string, range?: { readonly from?: number; readonly to?: number }): Promise<readonly StoredEntry[]>;
  /** The calls that belong to these entries, in the order of the entries and, within one, of their `place`. */
  calls(id: string, range?: { readonly from?: number; readonly to?: number }): Promise<readonly StoredCall[]>;
  /** The events behind one, the oldest first; at most `limit` of them. */
  events(id: string, range?: { readonly after?: number; readonly limit?: number }): Promise<readonly StoredEvent[]>;
  /**
   * Calls back soon after anybody has added events to a thread, here or in another process, with the number of its last one, or
   * with Infinity: then whoever wants to know asks. It may call for nothing, and must call when the store is closed. Gives how to
   * leave. Of a store without it, every reader asks for itself, again and again.
   */
  watch?(id: string, onEvents: (lastEvent: number) => void): () => void;
  /**
   * Saves everything that a commit says, or nothing. When the promise resolves it survives the power supply. A writer that has
   * not seen the last commit of the thread is refused with `store/conflict`.
   */
  commit(commit: Commit): Promise<void>;
  /** Says that an owner was alive at a time. It need not survive the power supply. */
  beat(owner: string, at: number): Promise<void>;
  /** When an owner last said that it is alive; undefined for one that never did, or has gone. */
  lastBeat(owner: string): Promise<number | undefined>;
  /** The owner is gone for good, and said so. */
  leave(owner: string): Promise<void>;
  /** Threads by when they last changed, the newest first. */
  list(query?: ThreadQuery): Promise<readonly StoredThread[]>;
  /** Marks a thread as deleted, which `restore` takes back; false when there is none, or it is deleted already. */
  delete(id: string, at: number): Promise<boolean>;
  restore(id: string): Promise<boolean>;
  /** Removes threads for good that were deleted before a time, and says how many those were. */
  purge(before: number): Promise<number>;
  /** Removes a thread permanently, marked as deleted or not; false when there is none. */
  remove(id: string): Promise<boolean>;
  /** What is kept under a key, beside the threads; undefined when there is nothing yet. */
  read(key: string): Promise<StoredValue | undefined>;
  /**
   * Keeps a value under a key. When the promise resolves it survives the power supply. `version` is the one that the writer has
   * read, 0 where there was nothing: a writer that has not seen the last value is refused with `store/stale`.
   */
  write(key: string, value: unknown, version: number): Promise<void>;
  close(): Promise<void>;
}

/** What is known of a thread without reading it. */
export interface StoredThread extends Head {
  readonly id: string;
  /** Counts commits, from 1. */
  readonly version: number;
  /** How many entries there are. */
  readonly entries: number;
  /** The sequence number of the last event; 0 before the first. */
  readonly lastEvent: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly deletedAt: number | undefined;
}

/** What every commit says anew of its thread. */
export interface Head {
  /** Counts owners: what an earlier one writes is refused. */
  readonly epoch: number;
  /** Who is running it at this time. */
  readonly owner: string | undefined;
  readonly status: ThreadStatus;
  /** When the first of its open approvals expires, in milliseconds of the clock. */
  readonly deadline: number | undefined;
  readonly title: string | undefined;
  /** What the ledger keeps of the whole thread: small, and the same size at any length. */
  readonly data: unknown;
}

export type ThreadStatus = "idle" | "running" | "waiting";

export interface StoredEntry {
  /** Its number in the thread, from 0. */
  readonly seq: number;
  readonly value: unknown;
}

export interface StoredCall {
  /** Unique in its thread. */
  readonly id: string;
  /** The entry that it belongs to, and its number there. */
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

/** What is kept under a key. */
export interface StoredValue {
  readonly value: unknown;
  /** Counts what was written there, from 1. */
  readonly version: number;
}

/** What is saved at once. */
export interface Commit {
  readonly thread: string;
  /** The version that the writer has seen; 0 for a thread that is not there yet. */
  readonly version: number;
  readonly at: number;
  readonly head: Head;
  /** Behind those that are there; `text` is what a search finds. */
  readonly entries: readonly { readonly value: unknown; readonly text: string }[];
  /** New ones, and those that take the place of earlier ones with the same id: a call stays at its entry and place. */
  readonly calls: readonly StoredCall[];
  /** Behind those that are there. */
  readonly events: readonly Omit<StoredEvent, "seq" | "at">[];
}

export interface ThreadQuery {
  /** A part of the id, the title or of what was said, whatever its case (of the letters A to Z). */
  readonly search?: string;
  /** How the id begins. */
  readonly idPrefix?: string;
  readonly status?: ThreadStatus;
  /** Threads that somebody runs. */
  readonly isOwned?: boolean;
  /** Threads with an approval that expires before this time. */
  readonly dueBefore?: number;
  /** List deleted threads instead of the others. */
  readonly isDeleted?: boolean;
  readonly limit?: number;
  /** Only those that changed before the given thread did, for the next page. */
  readonly after?: { readonly updatedAt: number; readonly id: string };
}
