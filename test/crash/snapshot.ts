import { existsSync } from "node:fs";

import type { Entry, LedgerCall } from "../../packages/undangle/src/engine/index.ts";
import type { StoredCall, StoredEvent, StoredThread } from "../../packages/undangle/src/store/index.ts";
import { openStore } from "../../packages/undangle/test/store/open-store.ts";
import { isOnServer, serverIsDone } from "./places.ts";

/** A thread as it stands in its database at one moment. */
export interface Snapshot {
  readonly head: StoredThread | undefined;
  readonly entries: readonly Entry[];
  readonly calls: readonly SnapshotCall[];
  readonly events: readonly StoredEvent[];
  /** The texts of files, by path. */
  readonly files: ReadonlyMap<string, string>;
}

export interface SnapshotCall extends Pick<StoredCall, "entry" | "place"> {
  readonly value: LedgerCall;
}

export const nothing: Snapshot = {
  head: undefined,
  entries: [],
  calls: [],
  events: [],
  files: new Map(),
};

/** Reads a thread while nobody writes. */
export async function takeSnapshot(path: string, thread: string): Promise<Snapshot> {
  if (isOnServer(path)) await serverIsDone(path);
  else if (!existsSync(path)) return nothing; // it was never opened
  const store = await openStore(path);
  const [head, entries, calls, events, files] = await Promise.all([
    store.load(thread),
    store.entries(thread),
    store.calls(thread),
    store.events(thread),
    store.files(thread),
  ]);
  const texts = new Map<string, string>();
  for (const { path: name } of files)
    texts.set(name, new TextDecoder().decode((await store.file(thread, name))?.data ?? new Uint8Array()));
  await store.close();
  return {
    head,
    // A ledger wrote them.
    entries: entries.map(({ value }) => value as Entry),
    calls: calls.map(({ entry, place, value }) => ({ entry, place, value: value as LedgerCall })),
    events,
    files: texts,
  };
}
