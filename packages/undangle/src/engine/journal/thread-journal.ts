import type { Message } from "#codecs";
import type { FileChange, Store, StoredCall, StoredThread } from "#store";

import type { LedgerCall } from "../ledger/call.ts";
import { entryText } from "../ledger/entry.ts";
import type { TurnEntry, Entry, InputEntry, Recorded } from "../ledger/entry.ts";
import { emptyLedger } from "../ledger/ledger.ts";
import type { Ledger, LedgerAction, LedgerEvent } from "../ledger/ledger.ts";
import { storedNotices, project } from "../ledger/project.ts";
import type { Projection } from "../ledger/project.ts";
import { step } from "../ledger/step.ts";
import { inheritedFiles, rowsOf } from "../children/inherited-files.ts";
import { withUnsaved } from "../thread-files.ts";
import type { FileLayer, UnsavedFiles } from "../thread-files.ts";
import { weightOf, withoutLongResult } from "./call-events.ts";
import { markedMessages } from "./entry-ref.ts";
import type { EntryRef } from "./entry-ref.ts";
import { EventLog } from "./event-log.ts";
import type { OnEvent } from "./event-log.ts";
import { recordedOf } from "./read-entries.ts";
import { headOf, ledgerOf, titleOf } from "./thread-head.ts";

export interface JournalOptions {
  readonly threadId: string;
  readonly store: Store;
  readonly owner: string;
  readonly projection: Projection;
  readonly now: () => number;
  readonly onEvent: OnEvent;
}

export interface StoredJournal {
  readonly head: StoredThread;
  readonly recorded: readonly Recorded[];
}

/** Reads a complete thread. */
export async function readThreadJournal(store: Store, head: StoredThread): Promise<StoredJournal> {
  const [entries, calls] = await Promise.all([store.entries(head.id), store.calls(head.id)]);
  return { head, recorded: recordedOf(entries, calls) };
}

/** Unsaved changes. */
interface Batch {
  readonly entries: Entry[];
  readonly calls: Map<string, StoredCall>;
  readonly files: Map<string, FileChange["data"]>;
}

/** A change that a command makes during a run, and that has no effect on the run. */
export type HeldEvent = Extract<LedgerEvent, { type: "describe" | "write-files" }>;

const emptyBatch = (): Batch => ({ entries: [], calls: new Map(), files: new Map() });

/** One thread in this process: its saved state and its unsaved changes. */
export class ThreadJournal {
  readonly threadId: string;
  /** How the thread is projected into a history. */
  readonly projection: Projection;
  /** The notices that the model got in this process, by call. */
  readonly shownNotices = new Map<string, string>();
  /** The files of the thread, saved and unsaved, with those of its parent. An event `write-files` changes them. */
  readonly files: FileLayer;
  /** The files that the thread itself has written. */
  readonly ownFiles: FileLayer;
  readonly events: EventLog;
  /** The messages for the model. Unchanged messages stay the same objects. Only the journal changes the list. */
  readonly messages: Message[] = [];
  /** The provider ids of all calls. */
  readonly providerIds = new Set<string>();
  readonly #options: JournalOptions;
  readonly #done: Recorded[] = []; // their calls do not change any more, except at the end of an import
  readonly #starts: number[] = []; // the index of the first message of each entry
  readonly #takenBack = new Map<number, readonly Message[]>(); // by retractions in effect
  readonly #calls = new Map<string, LedgerCall>();
  #open: { readonly entry: TurnEntry; readonly calls: LedgerCall[] } | undefined; // the last turn, if it is incomplete
  #restored: ReadonlySet<number>; // restored retractions, which hide nothing
  #ledger: Ledger;
  #version: number;
  readonly #loaded: number; // the version that was loaded
  #filesWritten = 0;
  #epoch: number;
  #title: string | undefined;
  #createdAt: number | undefined;
  #fresh = emptyBatch();
  #committing: Batch | undefined;
  #held: readonly (readonly HeldEvent[])[] = []; // of commands that are not saved
  #isChanged = false;
  #weighed = 0; // how many finished entries are included in `#weight`
  #weight = 0;
  #inFlight: Promise<void> | undefined;
  #queued: Promise<void> | undefined;

  constructor(options: JournalOptions, stored: StoredJournal | undefined) {
    const { threadId, store, now, onEvent } = options;
    const { head, recorded = [] } = stored ?? {};
    this.threadId = threadId;
    this.projection = { ...options.projection, words: () => storedNotices(this.#ledger.state) };
    this.#options = options;
    this.events = new EventLog(head?.lastEvent ?? 0, onEvent);
    this.#ledger = stored === undefined ? emptyLedger : ledgerOf(stored);
    this.#version = head?.version ?? 0;
    this.#loaded = this.#version;
    this.#epoch = head?.epoch ?? 0;
    this.#title = head?.title;
    this.#createdAt = head?.createdAt;
    this.#restored = restoredIn(recorded);
    for (const each of recorded) {
      for (const call of each.calls) this.#know(call);
      if (this.#done.length === this.#ledger.turn?.entry && each.entry.type === "answer")
        this.#open = { entry: each.entry, calls: [...each.calls] };
      else this.#keep(each);
    }
    const rows = rowsOf(store, threadId);
    const unsaved = (): UnsavedFiles => new Map([...(this.#committing?.files ?? []), ...this.#fresh.files]);
    this.ownFiles = withUnsaved(rows, unsaved, now);
    this.files = withUnsaved(
      inheritedFiles(store, rows, () => this.#ledger.parent),
      unsaved,
      now,
    );
  }

  ledger(): Ledger {
    return this.#ledger;
  }

  /** All entries, with the current calls. */
  recorded(): readonly Recorded[] {
    return this.#open === undefined ? this.#done : [...this.#done, { ...this.#open, calls: [...this.#open.calls] }];
  }

  callOf(id: string): LedgerCall | undefined {
    return this.#calls.get(id);
  }

  /** True if the thread contains this entry. */
  hasEntry({ number, at }: EntryRef): boolean {
    const entry = number === this.#done.length ? this.#open?.entry : this.#done[number]?.entry;
    return entry?.at === at;
  }

  /** The last turn while some of its calls are open. */
  openTurn(): TurnEntry | undefined {
    return this.#open?.entry;
  }

  title(): string | undefined {
    return this.#title;
  }

  /** True if this is the current version of the stored thread, and not of a purged thread that had the same id. */
  isOf(head: StoredThread | undefined): boolean {
    return this.#version === (head?.version ?? 0) && this.#createdAt === head?.createdAt;
  }

  /** The last saved version of the thread; 0 before the first save. */
  version(): number {
    return this.#version;
  }

  /** Differs whenever the files differ, saved or unsaved. */
  filesVersion(): string {
    return `${this.#loaded}:${this.#filesWritten}`;
  }

  /** From the next save on, the store refuses writes of earlier owners. */
  claim(): void {
    this.#epoch++;
  }

  /** The approximate size in bytes. */
  weight(): number {
    for (; this.#weighed < this.#done.length; this.#weighed++) this.#weight += weightOf(this.#done[this.#weighed]); // each entry is measured once
    return this.#weight + weightOf(this.#open);
  }

  /** Applies an event to the ledger. The change must be saved. */
  apply(event: LedgerEvent): void {
    const [next, actions] = step(this.#ledger, event);
    this.#title = titleAfter(this.#title, event);
    if (event.type === "import") this.#restored = restoredIn(event.recorded);
    this.#ledger = next;
    this.#isChanged = true;
    for (const action of actions) {
      if (action.type === "append") {
        const { entry } = action;
        this.#fresh.entries.push(entry);
        this.#close(); // entries after a turn come after its results
        if (entry.type === "answer") this.#open = { entry, calls: [] };
        else this.#keep({ entry, calls: [] });
        this.#title ??= titleOf(entry);
      } else if (action.type === "write-files") {
        for (const { path, data } of action.changes) this.#fresh.files.set(path, data);
        this.#filesWritten++;
      } else this.#saveCall(action);
    }
    if (next.turn === undefined) this.#close();
  }

  /** Adds the changes of a command to the next save. They take effect when they are saved. */
  hold(events: readonly HeldEvent[]): void {
    this.#held = [...this.#held, events];
    if (events.length > 0) this.#isChanged = true;
  }

  /** True if no save has included the changes of a command, and none that is in progress will. */
  async isHeld(events: readonly HeldEvent[]): Promise<boolean> {
    while (this.#inFlight !== undefined) await this.#inFlight.catch(() => undefined); // its caller handles the error
    return this.#held.includes(events);
  }

  /** Drops the changes of a command, unless they are saved. */
  release(events: readonly HeldEvent[]): void {
    this.#held = this.#held.filter((each) => each !== events);
  }

  /** Removes a message that could not be saved, from the queue or from the end of the thread. */
  unsend(entry: InputEntry): void {
    const isLast = this.#fresh.entries.at(-1) === entry && this.#done.at(-1)?.entry === entry;
    if (!isLast) return this.apply({ type: "withdraw", entry });
    this.#fresh.entries.pop();
    this.#done.pop();
    this.messages.length = this.#starts.pop() ?? 0;
    const before = this.#done.at(-1);
    const isAsking = before?.entry.type !== "answer" || before.calls.length > 0;
    return this.apply({ type: "withdraw", entry, last: { isAsking } });
  }

  /** Saves all changes. Calls during a save share the next save. */
  save(): Promise<void> {
    if (!this.#isChanged && !this.events.isWaiting()) return this.#inFlight ?? saved;
    if (this.#inFlight === undefined) {
      const current = this.#commit();
      this.#inFlight = current;
      return current;
    }
    this.#queued ??= this.#saveAfter(this.#inFlight);
    return this.#queued;
  }

  hasUnsaved(): boolean {
    return this.#isChanged || this.#inFlight !== undefined;
  }

  #know(call: LedgerCall): void {
    this.#calls.set(call.id, call);
    this.providerIds.add(call.providerId);
  }

  #close(): void {
    if (this.#open !== undefined) this.#keep(this.#open);
    this.#open = undefined;
  }

  #keep(each: Recorded): void {
    const { entry } = each;
    const number = this.#done.length;
    this.#starts.push(this.messages.length);
    if (entry.type === "retract") {
      if (!this.#restored.has(number))
        this.#takenBack.set(number, this.messages.splice(this.#starts[entry.from] ?? Infinity));
    } else if (entry.type === "restore") this.#putBack(entry.retraction);
    else this.messages.push(...this.#project(each, number));
    this.#done.push(each);
  }

  #project(each: Recorded, number: number): readonly Message[] {
    return markedMessages(project(each, this.projection), { number, at: each.entry.at });
  }

  #putBack(retraction: number): void {
    const back = this.#takenBack.get(retraction);
    if (back === undefined) return;
    const starts = this.#starts;
    this.#takenBack.delete(retraction);
    this.messages.splice((starts[retraction] ?? 0) - back.length, 0, ...back);
    for (let i = retraction + 1; i < starts.length; i++) starts[i] = (starts[i] ?? 0) + back.length;
  }

  /** Saves a call of the open turn, or of a finished one with its message: each call has exactly one result. */
  #saveCall({ call, entry, place }: Extract<LedgerAction, { type: "save" }>): void {
    const before = this.#done[entry];
    if (before !== undefined) {
      const after = { entry: before.entry, calls: before.calls.with(place, call) };
      this.#done[entry] = after;
      const old = project(before, this.projection);
      this.messages.splice(this.#starts[entry] ?? Infinity, old.length, ...this.#project(after, entry));
    } else if (this.#open !== undefined) this.#open.calls[place] = call;
    else return;
    this.#know(call);
    this.#fresh.calls.set(call.id, { id: call.id, entry, place, value: call });
  }

  async #commit(): Promise<void> {
    const { threadId, store, owner, now } = this.#options;
    const batch = this.#fresh;
    const at = now();
    const held = this.#held;
    const changes = held.flat();
    const ledger = changes.reduce((before, event) => step(before, event)[0], this.#ledger);
    const title = changes.reduce(titleAfter, this.#title);
    const head = headOf(ledger, { epoch: this.#epoch, owner, title });
    const files = new Map([...batch.files, ...changes.flatMap(writtenBy)]);
    const taken = this.events.take();
    this.#fresh = emptyBatch();
    this.#committing = batch;
    this.#isChanged = false;
    try {
      await store.commit({
        thread: threadId,
        version: this.#version,
        at,
        head,
        entries: batch.entries.map((entry) => ({ value: entry, text: entryText(entry) })),
        calls: [...batch.calls.values()],
        events: taken.map((event) => withoutLongResult(event, batch.calls)),
        ...(files.size > 0 && { files: [...files].map(([path, data]) => ({ path, data })) }),
      });
    } catch (error) {
      this.#fresh = joined(batch, this.#fresh);
      this.#committing = undefined;
      this.#isChanged = true;
      this.events.putBack();
      this.#inFlight = undefined;
      throw error;
    }
    this.#committing = undefined;
    this.#held = this.#held.filter((each) => !held.includes(each));
    this.#ledger = changes.reduce((before, event) => step(before, event)[0], this.#ledger);
    this.#title = changes.reduce(titleAfter, this.#title);
    this.#filesWritten += changes.length;
    this.#createdAt ??= at;
    this.#version++;
    try {
      this.events.saved();
    } finally {
      this.#inFlight = undefined;
    }
  }

  async #saveAfter(before: Promise<void>): Promise<void> {
    await before.catch(() => undefined); // the caller of that save handles it
    this.#queued = undefined;
    await this.save();
  }
}

/** The restored retractions. */
const restoredIn = (recorded: readonly Recorded[]): ReadonlySet<number> =>
  new Set(recorded.flatMap(({ entry }) => (entry.type === "restore" ? [entry.retraction] : [])));

const saved = Promise.resolve();

const titleAfter = (title: string | undefined, event: LedgerEvent): string | undefined =>
  event.type === "describe" ? (event.title ?? title) : title;

const writtenBy = (event: HeldEvent): readonly (readonly [string, FileChange["data"]])[] =>
  event.type === "write-files" ? event.changes.map(({ path, data }) => [path, data]) : [];

/** Merges changes that could not be saved with later ones. */
function joined(one: Batch, other: Batch): Batch {
  return {
    entries: [...one.entries, ...other.entries],
    calls: new Map([...one.calls, ...other.calls]),
    files: new Map([...one.files, ...other.files]),
  };
}
