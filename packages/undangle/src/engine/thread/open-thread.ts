import { UndangleError } from "#core";
import type { StoredThread } from "#store";

import { createThreadJournal, readThreadJournal } from "../journal/thread-journal.ts";
import type { ThreadJournal } from "../journal/thread-journal.ts";
import type { OnEvent } from "../journal/event-log.ts";
import type { ProcessLease } from "./process-lease.ts";
import { settleCrash, settleExpired } from "./crash-recovery.ts";
import type { Setup } from "../run/setup.ts";
import { patiently, persist } from "../journal/retry-store.ts";

/** A thread in the memory of this process: loaded from the store, with what a dead process left settled. */
export interface OpenThread {
  /** The loaded journal. */
  readonly journal: () => ThreadJournal | undefined;
  /** Loads the thread for writing. Settles what a dead process left, and expired approvals. */
  readonly open: () => Promise<ThreadJournal>;
  /** Loads the thread for reading, in the same way. Nothing is changed. */
  readonly view: () => Promise<ThreadJournal>;
  /** Marks what was settled on opening as saved. */
  readonly keep: () => void;
  /** Drops everything unsaved. */
  readonly forget: () => void;
  /** Drops what was settled on opening. The next writer settles it again. */
  readonly forgetTentative: () => void;
}

export interface OpenThreadOptions {
  readonly threadId: string;
  readonly setup: Setup;
  readonly owner: ProcessLease;
  readonly onEvent: OnEvent;
  /** Events after this number were emitted and will never be saved. Other events get their numbers. */
  readonly onLost: (lastEvent: number) => void;
  /** A command of this process writes to the thread, or is queued. */
  readonly isWriting: () => boolean;
}

export function createOpenThread({
  threadId,
  setup,
  owner,
  onEvent,
  onLost,
  isWriting,
}: OpenThreadOptions): OpenThread {
  const { store } = setup;
  let journal: ThreadJournal | undefined;
  let isTentative = false; // the journal contains what `open` settled, and it is not saved

  const load = async (
    known: ThreadJournal | undefined,
  ): Promise<{ readonly head: StoredThread | undefined; readonly current: ThreadJournal }> => {
    const head = await patiently(setup, threadId, () => store.load(threadId));
    if (head?.deletedAt !== undefined) throw new UndangleError("thread/deleted", { threadId });
    if (known?.isOf(head) === true) return { head, current: known };
    const stored =
      head === undefined ? undefined : await patiently(setup, threadId, () => readThreadJournal(store, head));
    const { telling, now } = setup;
    return { head, current: createThreadJournal({ threadId, store, owner: owner.id, telling, now, onEvent }, stored) };
  };

  /** The owner of the thread, if it is dead. Undefined also between two runs. */
  const deadOwner = async (head: StoredThread | undefined, current: ThreadJournal): Promise<string | undefined> => {
    const { run, isOwing } = current.ledger();
    if (head?.owner === undefined || (run === undefined && !isOwing)) return undefined;
    if (head.owner !== owner.id && (await owner.isAlive(head.owner)))
      throw new UndangleError("thread/owned", { threadId, owner: head.owner });
    return run === undefined ? undefined : head.owner;
  };

  const forget = (): void => {
    const forgotten = journal;
    journal = undefined;
    isTentative = false;
    if (forgotten !== undefined && forgotten.unsavedEvents().length > 0) onLost(forgotten.lastEvent());
  };

  return {
    journal: () => journal,
    async open() {
      if (isTentative) forget(); // it was not saved: it is settled again
      if (journal?.hasUnsaved() === true) await persist(journal, setup); // the store was unavailable when the last run ended
      const { head, current } = await load(journal);
      journal = current;
      const dead = await deadOwner(head, current);
      if (dead !== undefined) {
        const settled = settleCrash(current, setup, dead);
        setup.logger.warn({ threadId, owner: dead, ...settled }, "Settled what a dead process left");
      }
      isTentative = settleExpired(current, setup) || dead !== undefined;
      return current;
    },
    async view() {
      const known = journal;
      if (known?.hasUnsaved() === true) return known;
      const { head, current } = await load(known);
      const isAtRest = head?.owner === undefined && (head?.deadline ?? Infinity) > setup.now();
      if (isAtRest) {
        if (!isWriting() && journal === known && known?.hasUnsaved() !== true) journal = current; // for the next reader
        return current;
      }
      const { current: copy } = await load(undefined);
      const dead = await deadOwner(head, copy).catch(() => undefined); // another process runs it
      if (dead !== undefined) settleCrash(copy, setup, dead);
      settleExpired(copy, setup);
      return copy;
    },
    keep() {
      isTentative = false;
    },
    forget,
    forgetTentative() {
      if (isTentative) forget();
    },
  };
}
