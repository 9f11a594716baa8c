import { UndangleError } from "#core";
import type { JsonObject } from "#core";

import type { AgentEvent } from "../events.ts";
import type { Input } from "../input.ts";
import type { InputEntry, InputPart } from "../ledger/entry.ts";
import type { LedgerEvent } from "../ledger/ledger.ts";
import { nextOf } from "../ledger/step.ts";
import { allowForAgent } from "./allow-for-agent.ts";
import { createPendingRequest } from "./pending-request.ts";
import type { PendingRequest } from "./pending-request.ts";
import type { ThreadJournal } from "../journal/thread-journal.ts";
import { noteEnds, notePending, openIds } from "../journal/call-events.ts";
import { currentDecisions } from "./held-decisions.ts";
import { createMutex } from "./mutex.ts";
import { createLiveThread } from "./live-thread.ts";
import type { ThreadEnvironment, ThreadListener } from "./live-thread.ts";
import type { Reason } from "../run/finish-run.ts";
import { retraction } from "./retract-turn.ts";
import { revocation } from "./revoke-allowance.ts";
import { endOf, neverBegun } from "../run/run-end.ts";
import type { LiveRun } from "../run/run.ts";
import type { Session } from "../run/session.ts";
import type { InputPolicy } from "../run/setup.ts";
import type { Semaphore } from "./semaphore.ts";
import { persist } from "../journal/retry-store.ts";

/** Serializes all work on one thread in this process. */
export interface ThreadActor {
  readonly send: (parts: () => readonly InputPart[], options: SendOptions) => LiveRun;
  readonly decide: (
    decisions: (journal: ThreadJournal) => unknown,
    options: Omit<DecideOptions, "input"> & { readonly parts?: (() => readonly InputPart[]) | undefined },
  ) => LiveRun;
  /** Requests another response, without the last turn if it had no effects. */
  readonly regenerate: (options: RegenerateOptions) => LiveRun;
  /** Begins a thread that must not exist yet, with these events, in one commit. */
  readonly create: (
    events: (journal: ThreadJournal) => Promise<readonly LedgerEvent[]>,
    signal: AbortSignal | undefined,
  ) => LiveRun;
  /** Imports a history after the existing entries. */
  readonly take: (entries: (journal: ThreadJournal) => Promise<readonly LedgerEvent[]>) => Promise<void>;
  /** Revokes an allowance of the thread, so that its calls need decisions again. */
  readonly revoke: (id: unknown, options: RevokeOptions) => Promise<void>;
  readonly describe: (about: Description) => Promise<void>;
  readonly stop: (options?: StopOptions) => Promise<void>;
  /** Stops the current run, if there is one. Pending calls keep waiting. */
  readonly halt: () => Promise<void>;
  /**
   * Resumes after a crash or an expired approval, as soon as the semaphore has a free permit. Undefined if there is
   * nothing to do.
   */
  readonly recover: (semaphore: Semaphore) => Promise<LiveRun | undefined>;
  /** The thread for reading. Interrupted calls are settled in the result, not in the store. */
  readonly read: () => Promise<ThreadJournal>;
  readonly listen: (listener: ThreadListener) => () => void;
  /** Events that were emitted but not saved yet. */
  readonly unsaved: () => AgentEvent[];
  /** True while this process runs the thread. */
  readonly isLive: () => boolean;
  /** True if nothing runs and there is no listener, so that it can be dropped and reloaded from the store. */
  readonly isIdle: () => boolean;
  /** True if nothing runs, so that its cached state can be dropped and reloaded. */
  readonly isAtRest: () => boolean;
  /** The approximate size of the cached state in bytes. */
  readonly weight: () => number;
  readonly forget: () => void;
  /** Resolves when all requested work has finished, and is saved if the store is available. */
  readonly settled: () => Promise<void>;
}

/** Options of every command that starts a run. */
interface StartOptions {
  readonly signal?: AbortSignal | undefined;
  /** Saved in the commit that starts the run. If that commit fails, the description is not stored. */
  readonly describe?: Description | undefined;
}

export interface SendOptions extends StartOptions {
  readonly onInput?: InputPolicy | undefined;
}

export interface DecideOptions extends StartOptions {
  /** The person who decides. */
  readonly by?: string | undefined;
  /** A message saved in the same commit as the decisions. The model reads it after the results of all calls. */
  readonly input?: Input | undefined;
}

export interface RegenerateOptions extends StartOptions {}

export interface StopOptions {
  /** The cause with which calls that have not started are settled. `superseded` if other work replaces the run. */
  readonly cause?: "stopped" | "superseded" | undefined;
}

export interface RevokeOptions {
  /** The person who revokes it. */
  readonly by?: string | undefined;
}

/** The title and metadata of a thread. */
export interface Description {
  readonly title?: string | undefined;
  /** Merged into the existing metadata; null removes a key. */
  readonly meta?: JsonObject | undefined;
}

/** A message, and the metadata to save with it. */
interface Noted {
  readonly entry: InputEntry;
  readonly about: readonly LedgerEvent[];
}

/** An open thread and its current run. */
interface Opened {
  readonly session: Session | undefined;
  readonly current: ThreadJournal;
}

export function createThreadActor(threadId: string, surroundings: ThreadEnvironment): ThreadActor {
  const { setup, timers } = surroundings;
  const mutex = createMutex();
  const thread = createLiveThread(threadId, surroundings, {
    isAsked: () => !mutex.isEmpty(),
    onOwing(runs) {
      const next = start(undefined, (request) => resume(request, isAsking, "message"));
      for (const run of runs) if (!run.isOver()) run.join(next);
    },
  });
  const {
    opened,
    open,
    begin,
    endLive,
    isLive,
    liveSession,
    retryOnConflict: retried,
    saveOrForget,
    scheduleNext: comeBack,
  } = thread;
  const isWriting = (): boolean => thread.live() !== undefined || !mutex.isEmpty();
  let looking: PendingRequest | undefined; // the decision that is being evaluated
  let waiting = 0; // recoveries that wait for a permit; a second actor of the thread would not know about them
  const isAtRest = (): boolean => !isWriting() && waiting === 0 && opened.journal()?.hasUnsaved() !== true; // unsaved changes exist only in this process

  /** Stops the current run. A run that was about to wait leaves pending calls, which are settled too. */
  const stopLive = async (cause: "stopped" | "superseded" = "stopped"): Promise<void> => {
    const wasClosing = thread.live()?.session.isClosing === true;
    await endLive(cause);
    if (wasClosing) await mutex.run(() => retried(() => closeOpen(cause)));
  };

  const stopRequest = async (request: PendingRequest): Promise<void> => {
    if (request.run.isOver() || (await request.withdraw?.()) === true) return;
    const { run } = request;
    if (isLive(run)) return stopLive();
    request.cancel();
    if (!run.isOver()) await mutex.run(async () => (isLive(run) ? endLive("stopped") : undefined)); // the run had started
  };

  /** Performs a command in its turn. If the command fails, its run ends with that error. */
  const perform = async (request: PendingRequest, work: () => Promise<void>): Promise<void> => {
    try {
      await mutex.run(() => (request.isCancelled() ? Promise.resolve() : retried(work)));
    } catch (error) {
      const current = opened.journal();
      if (thread.live() === undefined && current !== undefined) comeBack(current); // saves what was settled when the thread was opened
      opened.forgetTentative();
      if (!request.run.isOver()) request.run.settle(neverBegun(error, opened.journal() ?? current, false));
    }
    if (request.isCancelled() && !request.run.isOver() && !isLive(request.run))
      request.run.settle(neverBegun(undefined, opened.journal(), true));
  };

  /** Creates a run that starts with this work. */
  const start = (signal: AbortSignal | undefined, work: (request: PendingRequest) => Promise<void>): LiveRun => {
    const request = createPendingRequest(stopRequest, setup.language);
    const stop = (): void => void stopRequest(request);
    if (signal?.aborted === true) request.cancel();
    signal?.addEventListener("abort", stop, { once: true });
    void request.run.result.then(() => signal?.removeEventListener("abort", stop));
    void perform(request, () => work(request));
    return request.run;
  };

  /** The result of evaluating decisions. Undefined if the request is cancelled or the run ends first. */
  const looked = async <T>(
    request: PendingRequest,
    session: Session | undefined,
    look: Promise<T>,
  ): Promise<T | undefined> => {
    looking = request;
    try {
      return await mutex.whileWaiting(
        Promise.race([look, request.cancelled, ...(session === undefined ? [] : [session.over])]),
      );
    } finally {
      looking = undefined;
    }
  };

  /** Removes a queued message. False if it is not queued any more, or if the change could not be saved. */
  const withdraw = async (run: LiveRun, entry: InputEntry, { session, current }: Opened): Promise<boolean> => {
    if (!current.ledger().queue.includes(entry)) return false; // the thread already contains it
    current.apply({ type: "withdraw", entry });
    try {
      await saveOrForget(current, session, () => current.apply({ type: "queue", entry }));
      if (!run.isOver()) run.settle(endOf(current, { status: "stopped" }));
      return true;
    } catch {
      return false; // the run gets the error and ends
    }
  };

  /** Queues a message until all calls are settled. */
  const queue = async (request: PendingRequest, noted: Noted, { session, current }: Opened): Promise<void> => {
    const { run } = request;
    const { entry, about } = noted;
    if (session === undefined && nextOf(current.ledger()) !== "wait")
      return begin(run, "message", [...about, { type: "queue", entry }]); // work of a dead process comes first
    if (session !== undefined) run.join(session.run);
    for (const event of about) current.apply(event);
    current.apply({ type: "queue", entry });
    await saveOrForget(current, session, () => current.apply({ type: "withdraw", entry }));
    if (session === undefined) run.settle(endOf(current, { status: "waiting" }));
    else {
      session.queued.set(entry, run);
      request.withdraw = () => {
        const leaving = withdraw(run, entry, { session, current });
        run.leave(leaving);
        return leaving;
      };
    }
    return undefined;
  };

  /** Settles open calls, whether or not the thread is running. */
  const closeOpen = async (cause: "stopped" | "superseded"): Promise<void> => {
    if (thread.live() !== undefined) return endLive(cause);
    const current = await open();
    const ids = openIds(current);
    if (ids.length > 0) current.apply({ type: "close", how: cause });
    if (current.ledger().isOwing) current.apply({ type: "finish" });
    noteEnds({ journal: current, setup }, ids);
    timers.set(threadId, undefined);
    return saveOrForget(current, undefined);
  };

  /** Continues the remaining work, unless another process has done so. */
  const resume = async (
    { run }: PendingRequest,
    isLeft: (journal: ThreadJournal) => boolean,
    reason: Reason,
  ): Promise<void> => {
    const live = thread.live();
    if (live !== undefined) return run.join(live.session.run);
    const current = await open();
    if (isLeft(current)) return begin(run, reason, []);
    await persist(current, setup);
    return run.settle(endOf(current, { status: nextOf(current.ledger()) === "wait" ? "waiting" : "done" }));
  };

  /** Saves what could not be saved before, except what another process has settled meanwhile. */
  const saveAtLast = async (current: ThreadJournal): Promise<void> => {
    try {
      await persist(current, setup);
    } catch (error) {
      if (!(error instanceof UndangleError && error.is("store/conflict"))) throw error;
      opened.forget();
      setup.logger.warn(
        { threadId, err: error },
        "Another process has taken over the thread; local changes are discarded",
      );
    }
  };

  /** Changes the thread independently of its current run. */
  const change = (event: (journal: ThreadJournal) => LedgerEvent): Promise<void> =>
    mutex
      .run(() =>
        retried(async () => {
          const current = await open();
          const made = event(current);
          if (thread.live() === undefined && hasToGoOn(current))
            return begin(createPendingRequest(stopRequest, setup.language).run, "recovery", [made]); // settled in the commit that starts the run
          current.apply(made);
          await saveOrForget(current, thread.live()?.session);
          if (thread.live() !== undefined) return undefined;
          opened.keep();
          return comeBack(current);
        }),
      )
      .finally(opened.forgetTentative);

  const actor: ThreadActor = {
    send: (parts, { onInput = setup.onInput, signal, describe }) =>
      start(signal, async (request) => {
        const about = describing(describe);
        const entry = { type: "input" as const, at: setup.now(), parts: parts() };
        for (;;) {
          const session = await liveSession();
          const current = await open();
          if (session?.isClosing === true) continue; // the closing run would not respond to the message
          const isBusy = session !== undefined || current.ledger().turn !== undefined;
          if (isBusy && onInput === "refuse")
            throw new UndangleError("thread/busy", { threadId, calls: openIds(current) });
          if (isBusy && onInput === "queue") return queue(request, { entry, about }, { session, current });
          await endLive("superseded");
          // Interrupted calls are settled in the commit that resumes the thread, so that they are found until then.
          const isOpen = (session === undefined ? current : await open()).ledger().turn !== undefined;
          return begin(request.run, "message", [
            ...about,
            ...(isOpen ? [{ type: "close" as const, how: "superseded" as const }] : []),
            { type: "say", entry },
          ]);
        }
      }),
    decide: (decisions, { by, signal, describe, parts }) =>
      start(signal, async (request) => {
        const said: readonly InputEntry[] =
          parts === undefined ? [] : [{ type: "input", at: setup.now(), parts: parts() }];
        const besides = [...describing(describe), ...said.map((entry) => ({ type: "queue" as const, entry }))];
        for (;;) {
          const session = await liveSession();
          const current = await open();
          const applied = await looked(request, session, currentDecisions(current, setup, { decisions, by }));
          if (request.isCancelled()) return;
          if (applied === undefined) await thread.live()?.over;
          if (applied === undefined || session?.isClosing === true) continue; // the pending calls may be settled by now
          const event = { type: "decide" as const, decisions: applied };
          const lasting = applied.flatMap(({ always }) => (always === undefined ? [] : [always.allowance.id]));
          if (session === undefined) {
            const saved = lasting.length === 0 ? undefined : (begun: Session) => allowForAgent(begun, applied);
            await begin(request.run, "decision", [...besides, event], saved);
          } else {
            request.run.join(session.run); // the current run emits the result
            for (const each of [...besides, event]) current.apply(each);
            for (const entry of said) session.queued.set(entry, request.run);
            noteEnds(
              session,
              applied.map(({ id }) => id),
            );
            await saveOrForget(current, session, () => current.apply({ type: "revoke", ids: lasting }));
            if (lasting.length > 0) await session.orOver(allowForAgent(session, applied));
            session.wake();
          }
          const rejected = applied.filter(({ type }) => type === "reject").length;
          if (rejected > 0)
            setup.logger.info({ threadId, rejected, by }, `Rejected ${rejected} ${rejected === 1 ? "call" : "calls"}`);
          for (const { always } of applied) {
            if (always === undefined) continue;
            const { scope, match, allowance } = always;
            setup.logger.info({ threadId, tool: allowance.tool, scope, match, by }, "Allowed from now on");
          }
          return;
        }
      }),
    create: (events, signal) =>
      start(signal, async ({ run }) => {
        const current = await open();
        if (current.version() > 0) throw new UndangleError("thread/exists", { threadId });
        return begin(run, "message", await mutex.whileWaiting(events(current)));
      }),
    regenerate: ({ signal, describe }) =>
      start(signal, async ({ run }) => {
        await endLive("superseded");
        const current = await open();
        const { turn, queue: waiting } = current.ledger();
        const events = retraction(current.recorded(), setup.now());
        if (events === undefined) throw new UndangleError("thread/empty", { threadId });
        return begin(run, "regenerate", [
          ...describing(describe),
          ...waiting.map((entry) => ({ type: "withdraw" as const, entry })), // later messages come after it
          ...(turn === undefined ? [] : [{ type: "close" as const, how: "superseded" as const }]),
          ...events,
          ...waiting.map((entry) => ({ type: "say" as const, entry })),
        ]);
      }),
    take: (entries) =>
      mutex.run(() =>
        retried(async () => {
          const current = await open();
          const taken = await mutex.whileWaiting(entries(current)); // an error that the thread exists takes precedence over `thread/busy`
          if (thread.live() !== undefined || current.ledger().turn !== undefined)
            throw new UndangleError("thread/busy", { threadId, calls: openIds(current) });
          try {
            for (const event of taken) current.apply(event);
            notePending(current);
          } catch (error) {
            opened.forget(); // drops a partial import
            throw error;
          }
          await saveOrForget(current, undefined);
          opened.keep();
          comeBack(current);
        }),
      ),
    revoke: (id, { by }) => change((journal) => revocation(journal, setup, { id, by })),
    describe: (about) => change(() => description(about)),
    async stop({ cause = "stopped" } = {}) {
      if (thread.live() !== undefined) return stopLive(cause);
      looking?.cancel(); // otherwise stopping would wait for it
      return mutex.run(() => retried(() => closeOpen(cause)));
    },
    halt: () => endLive("stopped"),
    recover: (semaphore) =>
      mutex.run(() =>
        retried(async () => {
          if (thread.live() !== undefined) return undefined;
          const current = await open();
          if (!hasToGoOn(current)) {
            await persist(current, setup);
            comeBack(current);
            return undefined;
          }
          const request = createPendingRequest(stopRequest, setup.language);
          const room = semaphore.acquire();
          if (room !== undefined) {
            opened.forgetTentative();
            waiting++;
            void Promise.race([room, request.cancelled])
              .then(() => perform(request, () => resume(request, hasToGoOn, "recovery")))
              .finally(() => waiting--);
          } else {
            await begin(request.run, "recovery", []).catch((error: unknown) => {
              semaphore.release();
              throw error;
            });
          }
          void Promise.all([room, request.run.result]).then(semaphore.release); // a permit is released only after it was acquired
          return request.run;
        }),
      ),
    async read() {
      await mutex.whenFree();
      const known = opened.journal();
      return thread.live() !== undefined && known !== undefined ? known : opened.view();
    },
    listen(listener) {
      thread.listeners.add(listener);
      return () => thread.listeners.delete(listener);
    },
    unsaved: () => opened.journal()?.unsavedEvents() ?? [],
    isLive: () => thread.live() !== undefined,
    isIdle: () => isAtRest() && thread.listeners.size === 0,
    isAtRest,
    weight: () => opened.journal()?.weight() ?? 0,
    forget: opened.forget,
    async settled() {
      do {
        await mutex.run(() => Promise.resolve());
        await thread.live()?.over;
      } while (isWriting());
      const current = opened.journal();
      if (current?.hasUnsaved() === true) await saveAtLast(current);
    },
  };
  return actor;
}

/** The ledger event that stores a description. */
export const description = ({ title, meta = {} }: Description): LedgerEvent => ({
  type: "describe",
  meta,
  ...(title !== undefined && { title }),
});

const describing = (about: Description | undefined): readonly LedgerEvent[] =>
  about === undefined ? [] : [description(about)];

/** True if the model must respond. */
const isAsking = (journal: ThreadJournal): boolean => nextOf(journal.ledger()) === "ask";

/** True if the model or a tool is next, after a crash or because another run must follow. */
const hasToGoOn = (journal: ThreadJournal): boolean => {
  const ledger = journal.ledger();
  const next = nextOf(ledger);
  return (journal.hasUnsaved() || ledger.isOwing) && (next === "ask" || next === "call");
};
