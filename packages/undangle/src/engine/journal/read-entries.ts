import { UndangleError } from "#core";
import type { Store, StoredCall, StoredEntry, StoredEvent, StoredThread } from "#store";

import type { EventData } from "../events.ts";
import type { LedgerCall } from "../ledger/call.ts";
import type { Entry, InputEntry, Recorded } from "../ledger/entry.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { isAnswering, modeOf, queueOf } from "./thread-head.ts";

/** Selects entries of a thread, from the newest backwards. */
export interface EntryRange {
  /** Entries with smaller numbers than this. By default the newest. */
  readonly before?: number | undefined;
  readonly limit: number;
}

/** Consecutive entries of a thread as they are saved, all of one version. */
export interface SavedEntries {
  /** The number of the first of `recorded`. */
  readonly first: number;
  /** The selected entries, and those between them that are not shown. */
  readonly recorded: readonly Recorded[];
  /** The entries after them up to the next turn: these can retract or restore the last turn. */
  readonly following: readonly Entry[];
  /** Messages that wait for open calls. None if `before` is given. */
  readonly queue: readonly InputEntry[];
  /** The number of entries in the thread. */
  readonly entries: number;
  /** The last event whose effects the entries contain. */
  readonly lastEvent: number;
  /** The mode of the last run. */
  readonly mode?: Ledger["mode"];
}

/** True for an entry that people see: a message, a turn or a system text. */
export const isShown = ({ type }: Entry): boolean => type === "input" || type === "answer" || type === "system";

/** Reads entries of a thread from the store. They are read again if a commit changes the thread meanwhile. */
export async function readEntries(store: Store, threadId: string, range: EntryRange): Promise<SavedEntries> {
  for (let head = await store.load(threadId); ;) {
    if (head === undefined) return nothing;
    if (head.deletedAt !== undefined) throw new UndangleError("thread/deleted", { threadId });
    const read = await entriesOf(store, head, range);
    const now = await store.load(threadId);
    if (now?.version === head.version && now.createdAt === head.createdAt) return read;
    head = now;
  }
}

const nothing: SavedEntries = { first: 0, recorded: [], following: [], queue: [], entries: 0, lastEvent: 0 };

async function entriesOf(store: Store, head: StoredThread, { before, limit }: EntryRange): Promise<SavedEntries> {
  const { id, entries } = head;
  const end = Math.min(before ?? entries, entries);
  let first = end;
  const recorded: Recorded[] = [];
  for (let left = limit; left > 0 && first > 0;) {
    const range = { from: Math.max(0, first - left), to: first };
    const [rows, calls] = await Promise.all([store.entries(id, range), store.calls(id, range)]);
    const more = recordedOf(rows, calls);
    left -= more.filter(({ entry }) => isShown(entry)).length;
    recorded.unshift(...more);
    first = range.from;
  }
  return {
    first,
    recorded,
    following: await entriesUntilTurn(store, id, { from: end, to: entries }),
    queue: before === undefined ? queueOf(head) : [],
    entries,
    lastEvent: isAnswering(head) ? await lastBeforeResponse(store, head) : head.lastEvent,
    mode: modeOf(head),
  };
}

/** Stored entries with their calls. The values were written by the ledger. */
export function recordedOf(entries: readonly StoredEntry[], calls: readonly StoredCall[]): readonly Recorded[] {
  const byEntry = Map.groupBy(calls, ({ entry }) => entry);
  return entries.map(({ seq, value }) => ({
    entry: value as Entry,
    calls: (byEntry.get(seq) ?? []).map((call) => call.value as LedgerCall),
  }));
}

const atOnce = 50;

async function entriesUntilTurn(
  store: Store,
  id: string,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<readonly Entry[]> {
  const found: Entry[] = [];
  for (let start = from; start < to; start += atOnce) {
    const rows = await store.entries(id, { from: start, to: Math.min(to, start + atOnce) });
    const entries = rows.map(({ value }) => value as Entry); // written by the ledger
    const turn = entries.findIndex(({ type }) => type === "answer");
    found.push(...(turn === -1 ? entries : entries.slice(0, turn)));
    if (turn !== -1) break;
  }
  return found;
}

/**
 * The last event before the response that the model is giving. A commit in between saves a part of its text as events,
 * and the turn becomes an entry only at its end.
 */
async function lastBeforeResponse(store: Store, { id, lastEvent }: StoredThread): Promise<number> {
  for (let last = lastEvent; last > 0; last -= atOnce) {
    const after = Math.max(0, last - atOnce);
    const events = await store.events(id, { after, limit: last - after });
    const found = events.findLast(beginsOrEndsResponse);
    if (found !== undefined) return found.type === "model_start" ? found.seq - 1 : lastEvent;
  }
  return lastEvent;
}

/** Requests with a purpose are outside the conversation. */
const beginsOrEndsResponse = ({ type, data }: StoredEvent): boolean =>
  type === "run_start" ||
  ((type === "model_start" || type === "model_end") &&
    (data as EventData["model_start" | "model_end"]).purpose === undefined); // written by the engine
