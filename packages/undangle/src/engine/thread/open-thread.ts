import { UndangleError } from "#core";
import type { StoredThread } from "#store";

import type { OnEvent } from "../journal/event-log.ts";
import { persist, retryStore } from "../journal/retry-store.ts";
import { firstDeadline } from "../journal/thread-head.ts";
import { createThreadJournal, readThreadJournal } from "../journal/thread-journal.ts";
import type { ThreadJournal } from "../journal/thread-journal.ts";
import type { LedgerEvent } from "../ledger/ledger.ts";
import { asError } from "../result/thrown.ts";
import { createSession } from "../run/create-session.ts";
import { beginRun, finishRun, isTakenOver } from "../run/finish-run.ts";
import type { Reason } from "../run/finish-run.ts";
import { neverBegun } from "../run/run.ts";
import type { LiveRun } from "../run/run.ts";
import type { Session } from "../run/session.ts";
import type { Setup } from "../run/setup.ts";
import { settleExpired } from "../step/settle-calls.ts";
import { settleCrash } from "./crash-recovery.ts";
import type { ExpiryTimers } from "./expiry-timers.ts";
import type { ProcessLease } from "./process-lease.ts";

/**
 * The state of a thread in this process.
 *
 * ```text
 *            open                  begin
 *   closed ────────▶ idle ──────────────────▶ running
 *    │  ▲             ▲ ▲        end            │ ▲
 *    │  │ forget      │ └───────────────────────┘ │
 *    │  │             │ save                      │
 *    │  └───────── tentative ─────────────────────┘
 *    └─────────────────▲             begin
 *      open, after a crash or an expiry
 * ```
 *
 * `tentative`: opening has settled what a dead process left, or expired approvals, and this is not saved yet.
 */
export type ThreadState =
  | { readonly phase: "closed" }
  | { readonly phase: "idle" | "tentative"; readonly journal: ThreadJournal }
  | {
      readonly phase: "running";
      readonly journal: ThreadJournal;
      readonly session: Session;
      readonly over: Promise<void>;
    };

/** What happens to a thread in this process. */
export type ThreadChange =
  | { readonly type: "open"; readonly journal: ThreadJournal; readonly isTentative: boolean }
  | { readonly type: "begin"; readonly session: Session; readonly over: Promise<void> }
  | { readonly type: "save" | "end" | "forget" };

export function transition(state: ThreadState, change: ThreadChange): ThreadState {
  switch (change.type) {
    case "open":
      return { phase: change.isTentative ? "tentative" : "idle", journal: change.journal };
    case "begin":
      return { phase: "running", journal: change.session.journal, session: change.session, over: change.over };
    case "save":
      return state.phase === "tentative" ? { phase: "idle", journal: state.journal } : state;
    case "end":
      return state.phase === "running" ? { phase: "idle", journal: state.journal } : state;
    case "forget":
      return { phase: "closed" };
  }
}

/** A thread in the memory of this process, and its current run. */
export interface OpenThread {
  readonly state: () => ThreadState;
  /** The loaded journal. */
  readonly journal: () => ThreadJournal | undefined;
  /** The current run. */
  readonly session: () => Session | undefined;
  /** The current run, if it still accepts commands. A run that is ending is given little time for its hooks. */
  readonly acceptingSession: () => Promise<Session | undefined>;
  /** Resolves when the current run has ended. */
  readonly over: () => Promise<void> | undefined;
  /** True for the current run, and for a run that has joined it. */
  readonly isCurrent: (run: LiveRun) => boolean;
  /** The journal to write to. Loads the thread, and settles what a dead process left and expired approvals. */
  readonly open: () => Promise<ThreadJournal>;
  /** The journal to read. Loads the thread and settles in the same way, but changes nothing. */
  readonly view: () => Promise<ThreadJournal>;
  /** Starts a run with these events. It continues by itself when they and `saved` are done. */
  readonly begin: (
    run: LiveRun,
    reason: Reason,
    events: readonly LedgerEvent[],
    saved?: (session: Session) => Promise<void>,
  ) => Promise<void>;
  /** Ends the current run, and waits for its end. */
  readonly endRun: (how: "stopped" | "superseded") => Promise<void>;
  /** Saves the changes of a journal. */
  readonly save: (current: ThreadJournal) => Promise<void>;
  /** Saves a command that was given during a session, or between two. If that fails, the command has no effect. */
  readonly saveOrForget: (current: ThreadJournal, during: Session | undefined, undo?: () => void) => Promise<void>;
  /** Repeats work if another process wrote in between. If that keeps happening, the other process owns the thread. */
  readonly retryOnConflict: <T>(work: () => Promise<T>) => Promise<T>;
  /** Wakes the thread when its first approval expires, or to repeat what failed. */
  readonly scheduleNext: () => void;
  /** Drops the journal with everything unsaved. */
  readonly forget: () => void;
  /** Drops what was settled on opening. The next writer settles it again. */
  readonly forgetTentative: () => void;
  readonly listeners: Set<ThreadListener>;
}

/** Receives the events of a thread in this process. */
export interface ThreadListener {
  readonly onEvent: OnEvent;
  /** Events after this number were emitted and will never be saved. Other events get their numbers. */
  readonly onLost: (lastEvent: number) => void;
}

/** What the threads of an agent share. */
export interface ThreadEnvironment {
  readonly setup: Setup;
  readonly lease: ProcessLease;
  readonly timers: ExpiryTimers;
}

export interface OpenThreadOptions extends ThreadEnvironment {
  /** A command of the thread runs or is queued. */
  readonly isWriting: () => boolean;
  /** A run ended, and the model has not replied to messages that were queued in it. These runs wait for that. */
  readonly onOwing: (runs: readonly LiveRun[]) => void;
}

/** Milliseconds after which a failed commit or start is repeated. */
const retryAfter = 2000;

export function createOpenThread(threadId: string, options: OpenThreadOptions): OpenThread {
  const { setup, lease, timers, isWriting, onOwing } = options;
  const { store } = setup;
  const listeners = new Set<ThreadListener>();
  let state: ThreadState = { phase: "closed" };

  const change = (event: ThreadChange): void => {
    state = transition(state, event);
  };
  const journal = (): ThreadJournal | undefined => (state.phase === "closed" ? undefined : state.journal);
  const session = (): Session | undefined => (state.phase === "running" ? state.session : undefined);
  const over = (): Promise<void> | undefined => (state.phase === "running" ? state.over : undefined);

  const onEvent: OnEvent = (event, isKept) => {
    session()?.run.push(event);
    for (const listener of listeners) listener.onEvent(event, isKept);
  };
  const forget = (): void => {
    const forgotten = journal();
    change({ type: "forget" });
    if (forgotten === undefined || forgotten.unsavedEvents().length === 0) return;
    for (const listener of listeners) listener.onLost(forgotten.lastEvent());
  };
  const forgetTentative = (): void => {
    if (state.phase === "tentative") forget();
  };

  /** The journal of the stored thread: the known one if it is current. */
  const load = async (
    known: ThreadJournal | undefined,
  ): Promise<{ readonly head: StoredThread | undefined; readonly current: ThreadJournal }> => {
    const head = await retryStore(setup, threadId, () => store.load(threadId));
    if (head?.deletedAt !== undefined) throw new UndangleError("thread/deleted", { threadId });
    if (known?.isOf(head) === true) return { head, current: known };
    const stored =
      head === undefined ? undefined : await retryStore(setup, threadId, () => readThreadJournal(store, head));
    const { projection, now } = setup;
    return {
      head,
      current: createThreadJournal({ threadId, store, owner: lease.id, projection, now, onEvent }, stored),
    };
  };

  /** The owner of the thread, if it is dead. Undefined also between two runs. */
  const deadOwner = async (head: StoredThread | undefined, current: ThreadJournal): Promise<string | undefined> => {
    const { run, isOwing } = current.ledger();
    if (head?.owner === undefined || (run === undefined && !isOwing)) return undefined;
    if (head.owner !== lease.id && (await lease.isAlive(head.owner)))
      throw new UndangleError("thread/owned", { threadId, owner: head.owner });
    return run === undefined ? undefined : head.owner;
  };

  const open = async (): Promise<ThreadJournal> => {
    if (state.phase === "running") return state.journal;
    forgetTentative(); // it was not saved: it is settled again
    const known = journal();
    if (known?.hasUnsaved() === true) await persist(known, setup); // the store was unavailable when the last run ended
    const { head, current } = await load(known);
    change({ type: "open", journal: current, isTentative: false });
    const dead = await deadOwner(head, current);
    if (dead !== undefined) {
      const settled = settleCrash(current, setup, dead);
      setup.logger.warn({ threadId, owner: dead, ...settled }, "Settled what a dead process left");
    }
    const isTentative = settleExpired(current, setup) || dead !== undefined;
    change({ type: "open", journal: current, isTentative });
    return current;
  };

  const view = async (): Promise<ThreadJournal> => {
    const known = journal();
    if (known !== undefined && (state.phase === "running" || known.hasUnsaved())) return known;
    const { head, current } = await load(known);
    const isSettled = head?.owner === undefined && (head?.deadline ?? Infinity) > setup.now();
    if (isSettled) {
      const isUnchanged = journal() === known && known?.hasUnsaved() !== true;
      if (state.phase !== "running" && !isWriting() && isUnchanged)
        change({ type: "open", journal: current, isTentative: false }); // for the next reader
      return current;
    }
    const { current: copy } = await load(undefined);
    const dead = await deadOwner(head, copy).catch(() => undefined); // another process runs it
    if (dead !== undefined) settleCrash(copy, setup, dead);
    settleExpired(copy, setup);
    return copy;
  };

  const save = async (current: ThreadJournal): Promise<void> => {
    await persist(current, setup);
    if (journal() === current) change({ type: "save" });
  };

  const begin: OpenThread["begin"] = async (run, reason, events, saved) => {
    const begun = createSession(run, journal() ?? (await open()), setup);
    const { promise, resolve: finish } = Promise.withResolvers<void>();
    change({ type: "begin", session: begun, over: promise });
    try {
      lease.begin();
      await retryStore(setup, threadId, lease.beat);
      await beginRun(begun, reason, events);
    } catch (error) {
      forget();
      lease.end();
      finish();
      throw error;
    }
    timers.set(threadId, undefined); // a run that could not start is repeated
    if (saved !== undefined) await begun.orOver(saved(begun));
    void complete(begun).then(finish);
  };

  /** Runs a session to its end. */
  const complete = async (begun: Session): Promise<void> => {
    const end = await finishRun(begun).catch((error: unknown) => neverBegun(error, begun.journal, false)); // a bug
    change({ type: "end" });
    lease.end();
    if (isTakenOver(end)) forget();
    else {
      scheduleNext();
      const { owed, queued } = begun;
      if (owed.length > 0) onOwing(owed.flatMap((entry) => queued.get(entry) ?? []));
    }
    begun.run.settle(end);
  };

  const scheduleNext = (): void => {
    const current = journal();
    if (current === undefined) return;
    const { turn, isOwing } = current.ledger();
    const isLeft = current.hasUnsaved() || isOwing;
    timers.set(threadId, isLeft ? setup.now() + retryAfter : firstDeadline(turn?.calls ?? []));
  };

  return {
    state: () => state,
    journal,
    session,
    async acceptingSession() {
      while (state.phase === "running" && state.session.isClosing) {
        state.session.end({ how: "superseded" });
        await state.over;
      }
      return session();
    },
    over,
    isCurrent: (run) => state.phase === "running" && run.is(state.session.run),
    open,
    view,
    begin,
    async endRun(how) {
      if (state.phase !== "running") return;
      state.session.end({ how });
      await state.over;
    },
    save,
    async saveOrForget(current, during, undo) {
      try {
        await save(current);
      } catch (error) {
        undo?.();
        if (during === undefined) forget();
        else during.end({ how: "fault", error: asError(error) });
        throw error;
      }
    },
    async retryOnConflict(work) {
      for (let left = 3; ; left--) {
        try {
          return await work();
        } catch (error) {
          if (!(error instanceof UndangleError && error.is("store/conflict"))) throw error;
          session()?.end({ how: "fault", error }); // its next save would fail too
          await over();
          forget();
          if (left > 0) continue;
          const head = await retryStore(setup, threadId, () => store.load(threadId));
          throw new UndangleError("thread/owned", { threadId, owner: head?.owner ?? "not known" }, error);
        }
      }
    },
    scheduleNext,
    forget,
    forgetTentative,
    listeners,
  };
}
