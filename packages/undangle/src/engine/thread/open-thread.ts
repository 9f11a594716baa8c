import { UndangleError } from "#core";
import type { StoredThread } from "#store";

import type { OnEvent } from "../journal/event-log.ts";
import { persist, retryStore } from "../journal/retry-store.ts";
import { firstDeadline } from "../journal/thread-head.ts";
import { readThreadJournal, ThreadJournal } from "../journal/thread-journal.ts";
import type { HeldEvent } from "../journal/thread-journal.ts";
import type { LedgerEvent } from "../ledger/ledger.ts";
import { asError } from "../result/thrown.ts";
import { beginRun, finishRun, isTakenOver } from "../run/loop.ts";
import type { RunStart } from "../run/loop.ts";
import { neverBegun } from "../run/run.ts";
import type { LiveRun } from "../run/run.ts";
import { Session } from "../run/session.ts";
import type { Setup } from "../run/setup.ts";
import { settleCrash, settleExpired } from "../step/settle-calls.ts";
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

/** A thread in the memory of this process, and its current run. */
export class OpenThread {
  readonly listeners = new Set<ThreadListener>();
  readonly #threadId: string;
  readonly #options: OpenThreadOptions;
  #state: ThreadState = { phase: "closed" };

  constructor(threadId: string, options: OpenThreadOptions) {
    this.#threadId = threadId;
    this.#options = options;
  }

  state(): ThreadState {
    return this.#state;
  }

  /** The loaded journal. */
  journal(): ThreadJournal | undefined {
    return this.#state.phase === "closed" ? undefined : this.#state.journal;
  }

  /** The current run. */
  session(): Session | undefined {
    return this.#state.phase === "running" ? this.#state.session : undefined;
  }

  /** The current run, if it still accepts commands. A run that is ending is given little time for its hooks. */
  async acceptingSession(): Promise<Session | undefined> {
    while (this.session()?.isClosing === true) await this.endRun("superseded");
    return this.session();
  }

  /** Resolves when the current run has ended. */
  over(): Promise<void> | undefined {
    return this.#state.phase === "running" ? this.#state.over : undefined;
  }

  /** True for the current run, and for a run that has joined it. */
  isCurrent(run: LiveRun): boolean {
    return this.#state.phase === "running" && run.is(this.#state.session.run);
  }

  /** The journal to write to. Loads the thread, and settles what a dead process left and expired approvals. */
  async open(): Promise<ThreadJournal> {
    const { setup } = this.#options;
    if (this.#state.phase === "running") return this.#state.journal;
    this.forgetTentative(); // it was not saved: it is settled again
    const known = this.journal();
    if (known?.hasUnsaved() === true) await persist(known, setup); // the store was unavailable when the last run ended
    const { head, current } = await this.#load(known);
    this.#change({ type: "open", journal: current, isTentative: false });
    const dead = await this.#deadOwner(head, current);
    if (dead !== undefined) {
      const settled = settleCrash(current, setup, dead);
      setup.logger.warn({ threadId: this.#threadId, owner: dead, ...settled }, "Settled what a dead process left");
    }
    const isTentative = settleExpired(current, setup) || dead !== undefined;
    this.#change({ type: "open", journal: current, isTentative });
    return current;
  }

  /** The journal to read. Loads the thread and settles in the same way, but changes nothing. */
  async view(): Promise<ThreadJournal> {
    const { setup, isWriting } = this.#options;
    const known = this.journal();
    if (known !== undefined && (this.#state.phase === "running" || known.hasUnsaved())) return known;
    const { head, current } = await this.#load(known);
    const isSettled = head?.owner === undefined && (head?.deadline ?? Infinity) > setup.now();
    if (isSettled) {
      const isUnchanged = this.journal() === known && known?.hasUnsaved() !== true;
      if (this.session() === undefined && !isWriting() && isUnchanged)
        this.#change({ type: "open", journal: current, isTentative: false }); // for the next reader
      return current;
    }
    const { head: latest, current: copy } = await this.#load(undefined);
    const dead = await this.#deadOwner(latest, copy).catch((error: unknown) => {
      if (error instanceof UndangleError && error.is("thread/owned")) return undefined; // another process runs it
      throw error;
    });
    if (dead !== undefined) settleCrash(copy, setup, dead);
    settleExpired(copy, setup);
    return copy;
  }

  /** Starts a run with these events. It continues by itself when they and `saved` are done. */
  async begin(
    run: LiveRun,
    start: RunStart,
    events: readonly LedgerEvent[],
    saved?: (session: Session) => Promise<void>,
  ): Promise<void> {
    const { setup, lease, timers } = this.#options;
    const journal = this.journal() ?? (await this.open());
    const session = new Session({ run, journal, setup, reason: start.reason });
    const { promise: over, resolve: finish } = Promise.withResolvers<void>();
    this.#change({ type: "begin", session, over });
    try {
      lease.begin(this.#threadId);
      await retryStore(setup, this.#threadId, () => lease.beat());
      await beginRun(session, start, events);
    } catch (error) {
      this.forget();
      lease.end(this.#threadId);
      finish();
      throw error;
    }
    timers.set(this.#threadId, undefined); // a run that could not start is repeated
    try {
      if (saved !== undefined) await session.orOver(saved(session));
    } finally {
      void this.#complete(session).then(finish);
    }
  }

  /** Ends the current run, and waits for its end. */
  async endRun(how: "stopped" | "superseded"): Promise<void> {
    if (this.#state.phase !== "running") return;
    this.#state.session.end({ how });
    await this.#state.over;
  }

  /** Saves the changes of a journal. */
  async save(current: ThreadJournal): Promise<void> {
    await persist(current, this.#options.setup);
    if (this.journal() === current) this.#change({ type: "save" });
  }

  /** Saves a command that was given during a session, or between two. If that fails, the command has no effect. */
  async saveOrForget(
    current: ThreadJournal,
    during: Session | undefined,
    { held = [], undo }: { readonly held?: readonly HeldEvent[]; readonly undo?: () => void } = {},
  ): Promise<void> {
    current.hold(held);
    try {
      await this.save(current);
    } catch (error) {
      if (!(await current.isHeld(held))) return; // saved by the run
      undo?.();
      if (during === undefined) this.forget();
      else during.end({ how: "fault", error: asError(error) });
      throw error;
    } finally {
      current.release(held);
    }
  }

  /** Repeats work if another process wrote in between. If that keeps happening, the other process owns the thread. */
  async retryOnConflict<T>(work: () => Promise<T>): Promise<T> {
    const { setup } = this.#options;
    const threadId = this.#threadId;
    for (let left = 3; ; left--) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof UndangleError && error.is("store/conflict"))) throw error;
        this.session()?.end({ how: "fault", error }); // its next save would fail too
        await this.over();
        this.forget();
        if (left > 0) continue;
        const head = await retryStore(setup, threadId, () => setup.store.load(threadId));
        throw new UndangleError("thread/owned", { threadId, owner: head?.owner ?? "not known" }, error);
      }
    }
  }

  /** Wakes the thread when its first approval expires, or to repeat what failed. */
  scheduleNext(): void {
    const { setup, timers } = this.#options;
    const current = this.journal();
    if (current === undefined) return;
    const { turn, isOwing, parent } = current.ledger();
    if (parent !== undefined) return; // its parent resumes it
    const isLeft = current.hasUnsaved() || isOwing;
    timers.set(this.#threadId, isLeft ? setup.now() + retryAfter : firstDeadline(turn?.calls ?? []));
  }

  /** Drops the journal with everything unsaved. */
  forget(): void {
    const forgotten = this.journal();
    this.#change({ type: "forget" });
    if (forgotten === undefined || forgotten.events.unsaved().length === 0) return;
    for (const listener of this.listeners) listener.onLost(forgotten.events.lastSaved());
  }

  /** Drops what was settled on opening. The next writer settles it again. */
  forgetTentative(): void {
    if (this.#state.phase === "tentative") this.forget();
  }

  #change(event: ThreadChange): void {
    this.#state = transition(this.#state, event);
  }

  /** The journal of the stored thread: the known one if it is current. */
  async #load(
    known: ThreadJournal | undefined,
  ): Promise<{ readonly head: StoredThread | undefined; readonly current: ThreadJournal }> {
    const { setup, lease } = this.#options;
    const { store, projection, now } = setup;
    const threadId = this.#threadId;
    const head = await retryStore(setup, threadId, () => store.load(threadId));
    if (head?.deletedAt !== undefined) throw new UndangleError("thread/deleted", { threadId });
    if (known?.isOf(head) === true) return { head, current: known };
    const stored =
      head === undefined ? undefined : await retryStore(setup, threadId, () => readThreadJournal(store, head));
    const onEvent: OnEvent = (event, isKept) => {
      this.session()?.run.push(event);
      for (const listener of this.listeners) listener.onEvent(event, isKept);
    };
    const options = { threadId, store, owner: lease.id, projection, now, onEvent };
    return { head, current: new ThreadJournal(options, stored) };
  }

  /** The owner of the thread, if it is dead. Undefined also between two runs. */
  async #deadOwner(head: StoredThread | undefined, current: ThreadJournal): Promise<string | undefined> {
    const { lease } = this.#options;
    const { run, isOwing } = current.ledger();
    if (head?.owner === undefined || (run === undefined && !isOwing)) return undefined;
    const isAlive = head.owner === lease.id ? lease.isRunning(this.#threadId) : await lease.isAlive(head.owner); // the agent of a parent reads its children
    if (isAlive) throw new UndangleError("thread/owned", { threadId: this.#threadId, owner: head.owner });
    return run === undefined ? undefined : head.owner;
  }

  /** Runs a session to its end. */
  async #complete(session: Session): Promise<void> {
    const end = await finishRun(session).catch((error: unknown) => neverBegun(error, session.journal, false)); // a bug
    this.#change({ type: "end" });
    this.#options.lease.end(this.#threadId);
    if (isTakenOver(end)) this.forget();
    else {
      this.scheduleNext();
      const { owed, queued } = session;
      if (owed.length > 0) this.#options.onOwing(owed.flatMap((entry) => queued.get(entry) ?? []));
    }
    session.run.settle(end);
  }
}
