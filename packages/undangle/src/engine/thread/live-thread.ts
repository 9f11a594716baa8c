import { UndangleError } from "#core";

import type { LedgerEvent } from "../ledger/ledger.ts";
import type { Alarms } from "./expiry-timers.ts";
import { asError } from "../run/as-error.ts";
import { firstDeadline } from "../journal/thread-head.ts";
import type { Book } from "../journal/thread-journal.ts";
import type { OnEvent } from "../journal/event-log.ts";
import { beginRun, finishRun, isTakenOver } from "../run/finish-run.ts";
import type { Reason } from "../run/finish-run.ts";
import { createOpening } from "./open-thread.ts";
import type { Opening } from "./open-thread.ts";
import type { Owner } from "./process-lease.ts";
import { neverBegun } from "../run/run-end.ts";
import type { LiveRun } from "../run/run.ts";
import { createSession } from "../run/session.ts";
import type { Session } from "../run/session.ts";
import type { Setup } from "../run/setup.ts";
import { patiently, persist } from "../journal/retry-store.ts";

/** What the threads of an agent share. */
export interface Surroundings {
  readonly setup: Setup;
  readonly owner: Owner;
  readonly alarms: Alarms;
}

/** A thread in this process, and the run that goes on in it. */
export interface LiveThread {
  readonly opening: Opening;
  /** The thread to write to. */
  readonly open: () => Promise<Book>;
  /** The run that goes on, and when it will be over. */
  readonly live: () => Live | undefined;
  /** The run that goes on and can still be told something. */
  readonly liveSession: () => Promise<Session | undefined>;
  readonly isLive: (run: LiveRun) => boolean;
  /** Starts a run with what happens first; when that is saved, and `saved` is done, the thread goes on by itself. */
  readonly begin: (
    run: LiveRun,
    reason: Reason,
    events: readonly LedgerEvent[],
    saved?: (session: Session) => Promise<void>,
  ) => Promise<void>;
  readonly endLive: (how: "stopped" | "superseded") => Promise<void>;
  /** Does something again, from the beginning, where another process has written meanwhile; where it always has, it owns the thread. */
  readonly retried: <T>(work: () => Promise<T>) => Promise<T>;
  /** Saves what somebody asked for. What they are told has failed must not happen: nobody goes on with it. */
  readonly saveOrForget: (current: Book, session: Session | undefined, takeBack?: () => void) => Promise<void>;
  /** Has the thread looked at again when its first approval expires, or to do what could not be done. */
  readonly comeBack: (current: Book) => void;
  readonly listeners: Set<ThreadListener>;
}

/** Gets to know what happens on a thread in this process. */
export interface ThreadListener {
  readonly onEvent: OnEvent;
  /** Events after this number were told, and will never be saved: the numbers belong to other events. */
  readonly onLost: (lastEvent: number) => void;
}

/** A run that goes on, and when it will be over. */
export interface Live {
  readonly session: Session;
  readonly over: Promise<void>;
}

/** What a thread has to do with those who ask for something. */
export interface Askers {
  /** True while somebody has asked for something that is not done yet. */
  readonly isAsked: () => boolean;
  /** A run has ended, and something that was queued in it, by these runs among others, is still to be answered. */
  readonly onOwing: (runs: readonly LiveRun[]) => void;
}

/** After how long what could not be saved is saved again, and a run that could not begin is begun; in milliseconds. */
const tryAgainAfter = 2000;

export function createLiveThread(
  threadId: string,
  { setup, owner, alarms }: Surroundings,
  { isAsked, onOwing }: Askers,
): LiveThread {
  const listeners = new Set<ThreadListener>();
  let live: Live | undefined;

  const onEvent: OnEvent = (event, isKept) => {
    live?.session.run.push(event);
    for (const listener of listeners) listener.onEvent(event, isKept);
  };
  const onLost = (lastEvent: number): void => {
    for (const listener of listeners) listener.onLost(lastEvent);
  };
  const isWriting = (): boolean => live !== undefined || isAsked();
  const opening = createOpening({ threadId, setup, owner, onEvent, onLost, isWriting });

  const open = async (): Promise<Book> => {
    const known = opening.book();
    return live !== undefined && known !== undefined ? known : opening.open();
  };

  const liveSession = async (): Promise<Session | undefined> => {
    while (live?.session.isClosing === true) {
      live.session.end({ how: "superseded" }); // what comes after it is not waited for long
      await live.over;
    }
    return live?.session;
  };

  const begin = async (
    run: LiveRun,
    reason: Reason,
    events: readonly LedgerEvent[],
    saved?: (session: Session) => Promise<void>,
  ): Promise<void> => {
    const current = opening.book() ?? (await open());
    const session = createSession(run, current, setup);
    const { promise: over, resolve: finish } = Promise.withResolvers<void>();
    live = { session, over };
    try {
      owner.begin();
      await patiently(setup, threadId, owner.beat);
      await beginRun(session, reason, events);
    } catch (error) {
      live = undefined;
      opening.forget();
      owner.end();
      finish();
      throw error;
    }
    opening.keep();
    alarms.set(threadId, undefined); // one that could not begin is still to be looked at
    if (saved !== undefined) await session.orOver(saved(session));
    void goOn(session).then(finish);
  };

  const goOn = async (session: Session): Promise<void> => {
    const end = await finishRun(session).catch((error: unknown) => neverBegun(error, session.book, false)); // a fault of ours
    live = undefined;
    owner.end();
    if (isTakenOver(end)) opening.forget();
    else {
      comeBack(session.book);
      const { owed, queued } = session;
      if (owed.length > 0) onOwing(owed.flatMap((entry) => queued.get(entry) ?? []));
    }
    session.run.settle(end);
  };

  const comeBack = (current: Book): void => {
    const { turn, isOwing } = current.ledger();
    const deadline = firstDeadline(turn?.calls ?? []);
    alarms.set(threadId, current.hasUnsaved() || isOwing ? setup.now() + tryAgainAfter : deadline);
  };

  const endLive = async (how: "stopped" | "superseded"): Promise<void> => {
    const current = live;
    current?.session.end({ how });
    await current?.over;
  };

  /** Somebody else may have written between our reading and our writing: then it is read again. */
  const retried = async <T>(work: () => Promise<T>): Promise<T> => {
    for (let left = 3; ; left--) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof UndangleError && error.is("store/conflict"))) throw error;
        opening.forget();
        if (left > 0) continue;
        const head = await patiently(setup, threadId, () => setup.store.load(threadId));
        throw new UndangleError("thread/owned", { threadId, owner: head?.owner ?? "not known" }, error);
      }
    }
  };

  const saveOrForget = async (current: Book, session: Session | undefined, takeBack?: () => void): Promise<void> => {
    try {
      await persist(current, setup);
    } catch (error) {
      takeBack?.();
      if (session === undefined) opening.forget();
      else session.end({ how: "fault", error: asError(error) });
      throw error;
    }
  };

  const isLive = (run: LiveRun): boolean => live !== undefined && run.is(live.session.run);

  return {
    opening,
    open,
    live: () => live,
    liveSession,
    isLive,
    begin,
    endLive,
    retried,
    saveOrForget,
    comeBack,
    listeners,
  };
}
