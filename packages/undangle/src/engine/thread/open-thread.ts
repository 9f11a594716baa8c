import { UndangleError } from "#core";
import type { StoredThread } from "#store";

import { createBook, readBook } from "../journal/thread-journal.ts";
import type { Book } from "../journal/thread-journal.ts";
import type { OnEvent } from "../journal/event-log.ts";
import type { Owner } from "./process-lease.ts";
import { settleCrash, settleExpired } from "./crash-recovery.ts";
import type { Setup } from "../run/setup.ts";
import { patiently, persist } from "../journal/retry-store.ts";

/** A thread as this process holds it, while it rests: read from the store, and settled where a dead process left it. */
export interface Opening {
  /** The book that is open. */
  readonly book: () => Book | undefined;
  /** The thread to write to, with what a dead process left, and approvals that have expired, settled. */
  readonly open: () => Promise<Book>;
  /** The thread to read: as `open` would have it, and nothing is changed by that. */
  readonly view: () => Promise<Book>;
  /** What was settled on opening is saved, with what came of it. */
  readonly keep: () => void;
  /** What is not saved did not happen. */
  readonly forget: () => void;
  /** The same, for what was settled on opening only: whoever goes on with the thread settles it again. */
  readonly forgetSettled: () => void;
}

export interface OpeningOptions {
  readonly threadId: string;
  readonly setup: Setup;
  readonly owner: Owner;
  readonly onEvent: OnEvent;
  /** Events after this number were told, and will never be saved: the numbers belong to other events. */
  readonly onLost: (lastEvent: number) => void;
  /** True while somebody here writes to the thread, or is about to. */
  readonly isWriting: () => boolean;
}

export function createOpening({ threadId, setup, owner, onEvent, onLost, isWriting }: OpeningOptions): Opening {
  const { store } = setup;
  let book: Book | undefined;
  let isTentative = false; // the book holds what `open` has settled, and nothing has come of it yet

  /** The thread as the store has it. */
  const load = async (
    known: Book | undefined,
  ): Promise<{ readonly head: StoredThread | undefined; readonly current: Book }> => {
    const head = await patiently(setup, threadId, () => store.load(threadId));
    if (head?.deletedAt !== undefined) throw new UndangleError("thread/deleted", { threadId });
    if (known?.isOf(head) === true) return { head, current: known };
    const stored = head === undefined ? undefined : await patiently(setup, threadId, () => readBook(store, head));
    const { telling, now } = setup;
    return { head, current: createBook({ threadId, store, owner: owner.id, telling, now, onEvent }, stored) };
  };

  /** Who is running the thread, and not alive any more; undefined also where it was between two runs. */
  const deadOwner = async (head: StoredThread | undefined, current: Book): Promise<string | undefined> => {
    const { run, isOwing } = current.ledger();
    if (head?.owner === undefined || (run === undefined && !isOwing)) return undefined;
    if (head.owner !== owner.id && (await owner.isAlive(head.owner)))
      throw new UndangleError("thread/owned", { threadId, owner: head.owner });
    return run === undefined ? undefined : head.owner;
  };

  const forget = (): void => {
    const forgotten = book;
    book = undefined;
    isTentative = false;
    if (forgotten !== undefined && forgotten.unsavedEvents().length > 0) onLost(forgotten.lastEvent());
  };

  return {
    book: () => book,
    async open() {
      if (isTentative) forget(); // nothing came of it: it is settled anew
      if (book?.hasUnsaved() === true) await persist(book, setup); // the store was away when the last run ended
      const { head, current } = await load(book);
      book = current;
      const dead = await deadOwner(head, current);
      if (dead !== undefined) {
        const settled = settleCrash(current, setup, dead);
        setup.logger.warn({ threadId, owner: dead, ...settled }, "Settled what a dead process left");
      }
      isTentative = settleExpired(current, setup) || dead !== undefined;
      return current;
    },
    async view() {
      const known = book;
      if (known?.hasUnsaved() === true) return known;
      const { head, current } = await load(known);
      const isAtRest = head?.owner === undefined && (head?.deadline ?? Infinity) > setup.now();
      if (isAtRest) {
        if (!isWriting() && book === known && known?.hasUnsaved() !== true) book = current; // to be read again
        return current;
      }
      const { current: copy } = await load(undefined);
      const dead = await deadOwner(head, copy).catch(() => undefined); // somebody is at work there
      if (dead !== undefined) settleCrash(copy, setup, dead);
      settleExpired(copy, setup);
      return copy;
    },
    keep() {
      isTentative = false;
    },
    forget,
    forgetSettled() {
      if (isTentative) forget();
    },
  };
}
