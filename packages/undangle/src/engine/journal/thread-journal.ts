import type { Message } from "#codecs";
import type { FileChange, Store, StoredCall, StoredThread } from "#store";

import type { AgentEvent, EventDraft } from "../events.ts";
import type { LedgerCall } from "../ledger/call.ts";
import { entryText } from "../ledger/entry.ts";
import type { AnswerEntry, Entry, Recorded } from "../ledger/entry.ts";
import { emptyLedger } from "../ledger/ledger.ts";
import type { Ledger, LedgerAction, LedgerEvent } from "../ledger/ledger.ts";
import { storedNotices, project } from "../ledger/project.ts";
import type { Projection } from "../ledger/project.ts";
import { step } from "../ledger/step.ts";
import { withUnsaved } from "../thread-files.ts";
import type { FileLayer } from "../thread-files.ts";
import { withoutLongResult } from "./call-events.ts";
import { weightOf } from "./estimate-bytes.ts";
import { createEventLog } from "./event-log.ts";
import type { EventLog, OnEvent } from "./event-log.ts";
import { headOf, ledgerOf, titleOf } from "./thread-head.ts";

/** One thread in this process: its saved state and its unsaved changes. */
export interface ThreadJournal {
  readonly threadId: string;
  readonly ledger: () => Ledger;
  /** All entries, with the current calls. */
  readonly recorded: () => readonly Recorded[];
  /** How the thread is projected into a history. */
  readonly projection: Projection;
  /** The notices that the model got in this process, by call. */
  readonly shownNotices: Map<string, string>;
  /** The messages for the model. Unchanged messages stay the same objects. */
  readonly messages: () => readonly Message[];
  /** The provider ids of all calls. */
  readonly providerIds: () => ReadonlySet<string>;
  readonly callOf: (id: string) => LedgerCall | undefined;
  /** The last turn while some of its calls are open. */
  readonly openTurn: () => AnswerEntry | undefined;
  /** The files of the thread, saved and unsaved. An event `write-files` changes them. */
  readonly files: FileLayer;
  /** Applies an event to the ledger. The change must be saved. */
  readonly apply: (event: LedgerEvent) => void;
  /** Emits an event when it is saved. */
  readonly emitOnSave: (event: EventDraft) => void;
  /** Emits the start of a run before what expired since the last one. */
  readonly emitStartOnSave: EventLog["emitStartOnSave"];
  /** Emits an event at once, or after earlier ones that are held back, and saves it with the next save. */
  readonly emit: (event: EventDraft) => void;
  /** Emits an event at once, without saving it. */
  readonly emitUnsaved: (event: EventDraft) => void;
  /** Saves all changes. Calls during a save share the next save. */
  readonly save: () => Promise<void>;
  readonly hasUnsaved: () => boolean;
  /** True while events are held back until the next save. */
  readonly isHoldingEvents: () => boolean;
  /** Events that are emitted but not saved. */
  readonly unsavedEvents: () => AgentEvent[];
  readonly title: () => string | undefined;
  /** True if this is the current version of the stored thread, and not of a purged thread that had the same id. */
  readonly isOf: (head: StoredThread | undefined) => boolean;
  /** The number of the last saved event. */
  readonly lastEvent: () => number;
  /** The last saved version of the thread; 0 before the first save. */
  readonly version: () => number;
  /** From the next save on, the store refuses writes of earlier owners. */
  readonly claim: () => void;
  /** The approximate size in bytes. */
  readonly weight: () => number;
}

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
  const byEntry = Map.groupBy(calls, ({ entry }) => entry);
  // The values were written by the ledger.
  const recorded = entries.map(({ seq, value }) => ({
    entry: value as Entry,
    calls: (byEntry.get(seq) ?? []).map((call) => call.value as LedgerCall),
  }));
  return { head, recorded };
}

/** Unsaved changes. */
interface Batch {
  readonly entries: Entry[];
  readonly calls: Map<string, StoredCall>;
  readonly files: Map<string, FileChange["data"]>;
}

const emptyBatch = (): Batch => ({ entries: [], calls: new Map(), files: new Map() });

export function createThreadJournal(
  { threadId, store, owner, now, onEvent, ...options }: JournalOptions,
  stored: StoredJournal | undefined,
): ThreadJournal {
  const projection: Projection = { ...options.projection, words: () => storedNotices(ledger.state) };
  const done: Recorded[] = []; // their calls do not change any more, except at the end of an import
  const messages: Message[] = [];
  const providerIds = new Set<string>();
  const calls = new Map<string, LedgerCall>();
  let open: { readonly entry: AnswerEntry; readonly calls: LedgerCall[] } | undefined; // the last turn, if it is incomplete
  let ledger = stored === undefined ? emptyLedger : ledgerOf(stored);
  let version = stored?.head.version ?? 0;
  let epoch = stored?.head.epoch ?? 0;
  let title = stored?.head.title;
  let createdAt = stored?.head.createdAt;
  let fresh = emptyBatch();
  let committing: Batch | undefined;
  let isChanged = false;
  let weighed = 0; // how many finished entries are included in `weight`
  let weight = 0;
  let inFlight: Promise<void> | undefined;
  let queued: Promise<void> | undefined;
  const events = createEventLog(stored?.head.lastEvent ?? 0, onEvent);

  const starts: number[] = []; // the index of the first message of each entry
  const takenBack = new Map<number, readonly Message[]>(); // by retractions in effect
  let passing: ReadonlySet<number> = new Set(); // restored retractions, which hide nothing
  const keep = (each: Recorded): void => {
    const { entry } = each;
    starts.push(messages.length);
    if (entry.type === "retract") {
      if (!passing.has(done.length)) takenBack.set(done.length, messages.splice(starts[entry.from] ?? Infinity));
    } else if (entry.type === "restore") putBack(entry.retraction);
    else messages.push(...project(each, projection));
    done.push(each);
  };
  const putBack = (retraction: number): void => {
    const back = takenBack.get(retraction);
    if (back === undefined) return;
    takenBack.delete(retraction);
    messages.splice((starts[retraction] ?? 0) - back.length, 0, ...back);
    for (let i = retraction + 1; i < starts.length; i++) starts[i] = (starts[i] ?? 0) + back.length;
  };
  const close = (): void => {
    if (open !== undefined) keep(open);
    open = undefined;
  };
  /** Changes a call of a finished turn, including its message: each call has exactly one result. */
  const amend = ({ call, entry, place }: Extract<LedgerAction, { type: "save" }>): void => {
    const before = done[entry];
    if (before === undefined) return;
    const after = { entry: before.entry, calls: before.calls.with(place, call) };
    done[entry] = after;
    messages.splice(starts[entry] ?? Infinity, project(before, projection).length, ...project(after, projection));
    calls.set(call.id, call);
    fresh.calls.set(call.id, { id: call.id, entry, place, value: call });
  };
  const know = (call: LedgerCall): void => {
    calls.set(call.id, call);
    providerIds.add(call.providerId);
  };
  passing = restoredIn(stored?.recorded ?? []);
  for (const each of stored?.recorded ?? []) {
    for (const call of each.calls) know(call);
    if (ledger.turn !== undefined && done.length === ledger.turn.entry && each.entry.type === "answer") {
      open = { entry: each.entry, calls: [...each.calls] };
    } else keep(each);
  }

  const apply = (event: LedgerEvent): void => {
    const [next, actions] = step(ledger, event);
    if (event.type === "describe") title = event.title ?? title;
    if (event.type === "import") passing = restoredIn(event.recorded);
    ledger = next;
    isChanged = true;
    for (const action of actions) {
      if (action.type === "append") {
        const { entry } = action;
        fresh.entries.push(entry);
        close(); // entries after a turn come after its results
        if (entry.type === "answer") open = { entry, calls: [] };
        else keep({ entry, calls: [] });
        title ??= titleOf(entry);
      } else if (action.type === "write-files") {
        for (const { path, data } of action.changes) fresh.files.set(path, data);
      } else if (action.entry < done.length) amend(action);
      else if (open !== undefined) {
        const { call, entry, place } = action;
        if (open.calls[place] === undefined) know(call);
        else calls.set(call.id, call);
        open.calls[place] = call;
        fresh.calls.set(call.id, { id: call.id, entry, place, value: call });
      }
    }
    if (ledger.turn === undefined) close();
  };

  const commit = async (): Promise<void> => {
    const batch = fresh;
    const at = now();
    const head = headOf(ledger, { epoch, owner, title });
    const taken = events.take();
    fresh = emptyBatch();
    committing = batch;
    isChanged = false;
    try {
      await store.commit({
        thread: threadId,
        version,
        at,
        head,
        entries: batch.entries.map((entry) => ({ value: entry, text: entryText(entry) })),
        calls: [...batch.calls.values()],
        events: taken.map((event) => withoutLongResult(event, batch.calls)),
        ...(batch.files.size > 0 && { files: [...batch.files].map(([path, data]) => ({ path, data })) }),
      });
    } catch (error) {
      fresh = joined(batch, fresh);
      committing = undefined;
      isChanged = true;
      events.putBack();
      inFlight = undefined;
      throw error;
    }
    committing = undefined;
    createdAt ??= at;
    version++;
    try {
      events.saved();
    } finally {
      inFlight = undefined;
    }
  };

  const rows: FileLayer = {
    list: (prefix, limit) => store.files(threadId, { prefix, ...(Number.isFinite(limit) && { limit }) }),
    read: (path) => store.file(threadId, path),
  };
  const files = withUnsaved(rows, () => new Map([...(committing?.files ?? []), ...fresh.files]), now);

  const save = (): Promise<void> => {
    if (!isChanged && !events.isWaiting()) return inFlight ?? saved;
    if (inFlight === undefined) {
      const current = commit();
      inFlight = current;
      return current;
    }
    queued ??= saveAfter(inFlight);
    return queued;
  };
  const saveAfter = async (before: Promise<void>): Promise<void> => {
    await before.catch(() => undefined); // the caller of that save handles it
    queued = undefined;
    await save();
  };

  return {
    threadId,
    projection,
    shownNotices: new Map(),
    ledger: () => ledger,
    recorded: () => (open === undefined ? done : [...done, { ...open, calls: [...open.calls] }]),
    messages: () => messages,
    providerIds: () => providerIds,
    callOf: (id) => calls.get(id),
    openTurn: () => open?.entry,
    files,
    apply,
    emitOnSave: events.emitOnSave,
    emitStartOnSave: events.emitStartOnSave,
    emit: events.emit,
    emitUnsaved: events.emitUnsaved,
    save,
    hasUnsaved: () => isChanged || inFlight !== undefined,
    isHoldingEvents: events.isHolding,
    unsavedEvents: events.unsaved,
    title: () => title,
    isOf: (head) => version === (head?.version ?? 0) && createdAt === head?.createdAt,
    lastEvent: events.lastSaved,
    version: () => version,
    claim() {
      epoch++;
    },
    weight() {
      for (; weighed < done.length; weighed++) weight += weightOf(done[weighed]); // each entry is measured once
      return weight + weightOf(open);
    },
  };
}

/** The restored retractions. */
const restoredIn = (recorded: readonly Recorded[]): ReadonlySet<number> =>
  new Set(recorded.flatMap(({ entry }) => (entry.type === "restore" ? [entry.retraction] : [])));

const saved = Promise.resolve();

/** Merges changes that could not be saved with later ones. */
function joined(one: Batch, other: Batch): Batch {
  return {
    entries: [...one.entries, ...other.entries],
    calls: new Map([...one.calls, ...other.calls]),
    files: new Map([...one.files, ...other.files]),
  };
}
