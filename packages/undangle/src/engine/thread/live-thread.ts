import { UndangleError } from "#core";

import type { LedgerEvent } from "../ledger/ledger.ts";
import type { ExpiryTimers } from "./expiry-timers.ts";
import { asError } from "../run/as-error.ts";
import { firstDeadline } from "../journal/thread-head.ts";
import type { ThreadJournal } from "../journal/thread-journal.ts";
import type { OnEvent } from "../journal/event-log.ts";
import { beginRun, finishRun, isTakenOver } from "../run/finish-run.ts";
import type { Reason } from "../run/finish-run.ts";
import { createOpenThread } from "./open-thread.ts";
import type { OpenThread } from "./open-thread.ts";
import type { ProcessLease } from "./process-lease.ts";
import { neverBegun } from "../run/run-end.ts";
import type { LiveRun } from "../run/run.ts";
import { createSession } from "../run/session.ts";
import type { Session } from "../run/session.ts";
import type { Setup } from "../run/setup.ts";
import { patiently, persist } from "../journal/retry-store.ts";

/** What the threads of an agent share. */
export interface ThreadEnvironment {
  readonly setup: Setup;
  readonly owner: ProcessLease;
  readonly timers: ExpiryTimers;
}

/** A thread in this process, and its current run. */
export interface LiveThread {
  readonly opened: OpenThread;
  /** The journal to write to. */
  readonly open: () => Promise<ThreadJournal>;
  /** The current run. */
  readonly live: () => Live | undefined;
  /** The current run, if it still accepts commands. */
  readonly liveSession: () => Promise<Session | undefined>;
  readonly isLive: (run: LiveRun) => boolean;
  /** Starts a run with these events. It continues by itself when they and `saved` are done. */
  readonly begin: (
    run: LiveRun,
    reason: Reason,
    events: readonly LedgerEvent[],
    saved?: (session: Session) => Promise<void>,
  ) => Promise<void>;
  readonly endLive: (how: "stopped" | "superseded") => Promise<void>;
  /** Repeats work if another process wrote in between. If that keeps happening, the other process owns the thread. */
  readonly retryOnConflict: <T>(work: () => Promise<T>) => Promise<T>;
  /** Saves a command. If that fails, the command has no effect. */
  readonly saveOrForget: (current: ThreadJournal, session: Session | undefined, takeBack?: () => void) => Promise<void>;
  /** Wakes the thread when its first approval expires, or to repeat what failed. */
  readonly scheduleNext: (current: ThreadJournal) => void;
  readonly listeners: Set<ThreadListener>;
}

/** Receives the events of a thread in this process. */
export interface ThreadListener {
  readonly onEvent: OnEvent;
  /** Events after this number were emitted and will never be saved. Other events get their numbers. */
  readonly onLost: (lastEvent: number) => void;
}

/** The current run, and a promise for its end. */
export interface Live {
  readonly session: Session;
  readonly over: Promise<void>;
}

/** How a thread interacts with its commands. */
export interface Askers {
  /** A command runs or is queued. */
  readonly isAsked: () => boolean;
  /** A run ended, and the model has not replied to messages that were queued in it. These runs wait for that. */
  readonly onOwing: (runs: readonly LiveRun[]) => void;
}

/** Milliseconds after which a failed commit or start is repeated. */
const tryAgainAfter = 2000;

export function createLiveThread(
  threadId: string,
  { setup, owner, timers }: ThreadEnvironment,
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
  const opened = createOpenThread({ threadId, setup, owner, onEvent, onLost, isWriting });

  const open = async (): Promise<ThreadJournal> => {
    const known = opened.journal();
    return live !== undefined && known !== undefined ? known : opened.open();
  };

  const liveSession = async (): Promise<Session | undefined> => {
    while (live?.session.isClosing === true) {
      live.session.end({ how: "superseded" }); // its final hooks get little time
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
    const current = opened.journal() ?? (await open());
    const session = createSession(run, current, setup);
    const { promise: over, resolve: finish } = Promise.withResolvers<void>();
    live = { session, over };
    try {
      owner.begin();
      await patiently(setup, threadId, owner.beat);
      await beginRun(session, reason, events);
    } catch (error) {
      live = undefined;
      opened.forget();
      owner.end();
      finish();
      throw error;
    }
    opened.keep();
    timers.set(threadId, undefined); // a run that could not start is repeated
    if (saved !== undefined) await session.orOver(saved(session));
    void goOn(session).then(finish);
  };

  const goOn = async (session: Session): Promise<void> => {
    const end = await finishRun(session).catch((error: unknown) => neverBegun(error, session.journal, false)); // a bug
    live = undefined;
    owner.end();
    if (isTakenOver(end)) opened.forget();
    else {
      comeBack(session.journal);
      const { owed, queued } = session;
      if (owed.length > 0) onOwing(owed.flatMap((entry) => queued.get(entry) ?? []));
    }
    session.run.settle(end);
  };

  const comeBack = (current: ThreadJournal): void => {
    const { turn, isOwing } = current.ledger();
    const deadline = firstDeadline(turn?.calls ?? []);
    timers.set(threadId, current.hasUnsaved() || isOwing ? setup.now() + tryAgainAfter : deadline);
  };

  const endLive = async (how: "stopped" | "superseded"): Promise<void> => {
    const current = live;
    current?.session.end({ how });
    await current?.over;
  };

  const retried = async <T>(work: () => Promise<T>): Promise<T> => {
    for (let left = 3; ; left--) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof UndangleError && error.is("store/conflict"))) throw error;
        opened.forget();
        if (left > 0) continue;
        const head = await patiently(setup, threadId, () => setup.store.load(threadId));
        throw new UndangleError("thread/owned", { threadId, owner: head?.owner ?? "not known" }, error);
      }
    }
  };

  const saveOrForget = async (
    current: ThreadJournal,
    session: Session | undefined,
    takeBack?: () => void,
  ): Promise<void> => {
    try {
      await persist(current, setup);
    } catch (error) {
      takeBack?.();
      if (session === undefined) opened.forget();
      else session.end({ how: "fault", error: asError(error) });
      throw error;
    }
  };

  const isLive = (run: LiveRun): boolean => live !== undefined && run.is(live.session.run);

  return {
    opened,
    open,
    live: () => live,
    liveSession,
    isLive,
    begin,
    endLive,
    retryOnConflict: retried,
    saveOrForget,
    scheduleNext: comeBack,
    listeners,
  };
}
