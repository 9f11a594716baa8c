import { randomUUID } from "node:crypto";

import { UndangleError } from "#core";
import type { StoredThread } from "#store";

import { resolveDecisions } from "../approvals/decisions.ts";
import type { AgentEvent } from "../events.ts";
import type { InputEntry, InputPart } from "../ledger/entry.ts";
import type { AppliedDecision, LedgerEvent } from "../ledger/ledger.ts";
import { nextOf } from "../ledger/step.ts";
import { asError } from "./as-error.ts";
import { firstDeadline } from "./book-head.ts";
import { createBook, readBook } from "./book.ts";
import type { Book } from "./book.ts";
import { noteEnds, openIds } from "./call-events.ts";
import { beginRun, finishRun, isTakenOver } from "./live-run.ts";
import type { Reason } from "./live-run.ts";
import type { Owner } from "./owner.ts";
import { settleCrash, settleExpired } from "./recover.ts";
import { endOf, neverBegun } from "./run-end.ts";
import { createRun } from "./run.ts";
import type { LiveRun } from "./run.ts";
import { createSession } from "./session.ts";
import type { Session } from "./session.ts";
import type { InputPolicy, Setup } from "./setup.ts";
import { patiently, persist } from "./store-fault.ts";

/** All that happens to one thread in this process, one thing after the other. */
export interface Actor {
  readonly send: (parts: () => readonly InputPart[], options: SendOptions) => LiveRun;
  readonly decide: (decisions: (book: Book) => unknown, options: DecideOptions) => LiveRun;
  readonly stop: () => Promise<void>;
  /** Goes on where a dead process left off, or after approvals have expired; undefined when there is nothing to do. */
  readonly recover: () => Promise<LiveRun | undefined>;
  /** The thread as it stands, for reading: what a dead process left is settled there, and not in the store. */
  readonly read: () => Promise<Book>;
  readonly listen: (listener: (event: AgentEvent) => void) => () => void;
  /** What was told and is not saved yet. */
  readonly unsaved: () => AgentEvent[];
  /** True while a run goes on in this process. */
  readonly isLive: () => boolean;
  /** True while nothing goes on: then it can be forgotten, and made anew from the store. */
  readonly isIdle: () => boolean;
  /** Resolves when everything that was asked for is over. */
  readonly settled: () => Promise<void>;
}

export interface SendOptions {
  readonly onInput?: InputPolicy | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface DecideOptions {
  /** Who decides. */
  readonly by?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A thread that is open, and the run that goes on in it. */
interface Opened {
  readonly session: Session | undefined;
  readonly current: Book;
}

/** A run that goes on, and when it will be over. */
interface Live {
  readonly session: Session;
  readonly over: Promise<void>;
}

export function createActor(threadId: string, setup: Setup, owner: Owner): Actor {
  const { store } = setup;
  const listeners = new Set<(event: AgentEvent) => void>();
  let book: Book | undefined;
  let live: Live | undefined;
  let tail: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  let isTentative = false; // the book holds what `open` has settled, and nothing has come of it yet
  let expiry: NodeJS.Timeout | undefined;

  const onEvent = (event: AgentEvent): void => {
    live?.session.run.push(event);
    for (const listener of listeners) listener(event);
  };

  /** Lets one thing happen after those before it. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    waiting++;
    const done = tail.then(work).finally(() => {
      waiting--;
    });
    tail = done.catch(() => undefined);
    return done;
  };

  /** The run that goes on and can still be told something. */
  const liveSession = async (): Promise<Session | undefined> => {
    while (live?.session.isClosing === true) {
      live.session.end({ how: "superseded" }); // what comes after it is not waited for long
      await live.over;
    }
    return live?.session;
  };

  /** The thread as the store has it. */
  const load = async (
    known: Book | undefined,
  ): Promise<{ readonly head: StoredThread | undefined; readonly current: Book }> => {
    const head = await patiently(setup, threadId, () => store.load(threadId));
    if (head?.deletedAt !== undefined) throw new UndangleError("thread/deleted", { threadId });
    if (known !== undefined && known.version() === (head?.version ?? 0)) return { head, current: known };
    const stored = head === undefined ? undefined : await patiently(setup, threadId, () => readBook(store, head));
    const { telling, now } = setup;
    return { head, current: createBook({ threadId, store, owner: owner.id, telling, now, onEvent }, stored) };
  };

  /** Who is running the thread, and not alive any more. */
  const deadOwner = async (head: StoredThread | undefined, current: Book): Promise<string | undefined> => {
    if (head?.owner === undefined || current.ledger().run === undefined) return undefined;
    if (head.owner !== owner.id && (await owner.isAlive(head.owner)))
      throw new UndangleError("thread/owned", { threadId, owner: head.owner });
    return head.owner;
  };

  /** The thread to write to, with what a dead process left, and approvals that have expired, settled. */
  const open = async (): Promise<Book> => {
    if (live !== undefined && book !== undefined) return book;
    if (isTentative) book = undefined; // nothing came of it: it is settled anew
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
  };

  /** The thread to read: as `open` would have it, and nothing is changed by that. */
  const view = async (): Promise<Book> => {
    if (book !== undefined && (live !== undefined || book.hasUnsaved())) return book;
    const { head, current } = await load(book);
    const isAtRest = head?.owner === undefined && (head?.deadline ?? Infinity) > setup.now();
    if (isAtRest) {
      book = current;
      return current;
    }
    const { current: copy } = await load(undefined);
    const dead = await deadOwner(head, copy).catch(() => undefined); // somebody is at work there
    if (dead !== undefined) settleCrash(copy, setup, dead);
    settleExpired(copy, setup);
    return copy;
  };

  /** Starts a run with what happens first; the thread goes on by itself from there. */
  const begin = async (run: LiveRun, reason: Reason, events: readonly LedgerEvent[]): Promise<void> => {
    const current = book ?? (await open());
    stopExpiry();
    const session = createSession(run, current, setup);
    const { promise: over, resolve: finish } = Promise.withResolvers<void>();
    live = { session, over };
    try {
      owner.begin();
      await patiently(setup, threadId, owner.beat);
      await beginRun(session, reason, events);
    } catch (error) {
      live = undefined;
      book = undefined; // what is not saved did not happen
      owner.end();
      finish();
      throw error;
    }
    isTentative = false;
    void goOn(session).then(finish);
  };

  const goOn = async (session: Session): Promise<void> => {
    const end = await finishRun(session);
    live = undefined;
    owner.end();
    if (isTakenOver(end)) book = undefined;
    else expireLater(session.book);
    session.run.settle(end);
  };

  const stopExpiry = (): void => {
    clearTimeout(expiry);
    expiry = undefined;
  };

  /** Comes back when the first approval expires. */
  const expireLater = (current: Book): void => {
    stopExpiry();
    const deadline = firstDeadline(current.ledger().turn?.calls ?? []);
    if (deadline === undefined) return;
    const wait = Math.min(Math.max(1, deadline - setup.now()), 2 ** 31 - 1);
    expiry = setTimeout(() => {
      expiry = undefined;
      actor.recover().catch((error: unknown) => {
        setup.logger.warn({ threadId, err: error }, "An approval could not be settled when its time was over");
      });
    }, wait).unref();
  };

  const endLive = async (how: "stopped" | "superseded"): Promise<void> => {
    const current = live;
    current?.session.end({ how });
    await current?.over;
  };

  const stopRun = async (run: LiveRun): Promise<void> => {
    const isLive = (): boolean => live !== undefined && run.is(live.session.run);
    if (isLive()) return endLive("stopped");
    if (!run.isOver()) await inTurn(async () => (isLive() ? endLive("stopped") : undefined)); // it has not begun
  };

  /** Makes a run that does something first. What keeps it from that is how it ends. */
  const start = (signal: AbortSignal | undefined, work: (run: LiveRun) => Promise<void>): LiveRun => {
    const run = createRun(randomUUID(), stopRun);
    const stop = (): void => void stopRun(run);
    signal?.addEventListener("abort", stop, { once: true });
    void run.result.then(() => signal?.removeEventListener("abort", stop));
    inTurn(async () => {
      if (signal?.aborted === true) run.settle(neverBegun(signal.reason, book, true));
      else await retried(() => work(run));
    }).catch((error: unknown) => {
      if (isTentative) book = undefined; // it is settled again by whoever goes on with it
      if (!run.isOver()) run.settle(neverBegun(error, book, false));
    });
    return run;
  };

  /** Somebody else may have written between our reading and our writing: then it is read again. */
  const retried = async <T>(work: () => Promise<T>): Promise<T> => {
    for (let left = 3; ; left--) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof UndangleError && error.is("store/conflict")) || left === 0) throw error;
        book = undefined;
      }
    }
  };

  /** Saves what somebody asked for. What they are told has failed must not happen: nobody goes on with it. */
  const saveOrForget = async (current: Book, session: Session | undefined, takeBack?: () => void): Promise<void> => {
    try {
      await persist(current, setup);
    } catch (error) {
      takeBack?.();
      if (session === undefined) book = undefined;
      else session.end({ how: "fault", error: asError(error) });
      throw error;
    }
  };

  /** Decisions that hold at the moment when this resolves: a call may be settled while others are looked at. */
  const resolved = async (
    current: Book,
    decisions: (book: Book) => unknown,
    by: string | undefined,
  ): Promise<readonly AppliedDecision[]> => {
    for (;;) {
      const { turn } = current.ledger();
      const { tools, language } = setup;
      const stateOf = (id: string): string | undefined => current.callOf(id)?.state;
      const given = decisions(current);
      const applied = await resolveDecisions(given, { turn, stateOf, tools, at: setup.now(), by, language });
      if (current.ledger().turn === turn) return applied;
    }
  };

  /** Keeps a message until all calls are settled. */
  const queue = async (run: LiveRun, entry: InputEntry, { session, current }: Opened): Promise<void> => {
    if (session === undefined && nextOf(current.ledger()) !== "wait")
      return begin(run, "message", [{ type: "queue", entry }]); // a dead process left something to do before it
    if (session !== undefined) run.join(session.run);
    current.apply({ type: "queue", entry });
    await saveOrForget(current, session, () => current.apply({ type: "withdraw", entry }));
    if (session === undefined) run.settle(endOf(current, { status: "waiting" }));
    return undefined;
  };

  const actor: Actor = {
    send: (parts, { onInput = setup.onInput, signal }) =>
      start(signal, async (run) => {
        const entry = { type: "input" as const, at: setup.now(), parts: parts() };
        for (;;) {
          const session = await liveSession();
          const current = await open();
          if (session?.isClosing === true) continue; // it would be said to a run that is over
          const isBusy = session !== undefined || current.ledger().turn !== undefined;
          if (isBusy && onInput === "refuse")
            throw new UndangleError("thread/busy", { threadId, calls: openIds(current) });
          if (isBusy && onInput === "queue") return queue(run, entry, { session, current });
          await endLive("superseded");
          // What a dead process left is settled in the commit that goes on with it, and not before: it must be found until then.
          const isOpen = (session === undefined ? current : await open()).ledger().turn !== undefined;
          return begin(run, "message", [
            ...(isOpen ? [{ type: "close" as const, how: "superseded" as const }] : []),
            { type: "say", entry },
          ]);
        }
      }),
    decide: (decisions, { by, signal }) =>
      start(signal, async (run) => {
        for (;;) {
          const session = await liveSession();
          const current = await open();
          const applied = await resolved(current, decisions, by);
          if (session?.isClosing === true) continue; // what was waiting may be settled by now
          const event = { type: "decide" as const, decisions: applied };
          if (session === undefined) await begin(run, "decision", [event]);
          else {
            run.join(session.run); // what comes of it is told there
            current.apply(event);
            noteEnds(
              session,
              applied.map(({ id }) => id),
            );
            await saveOrForget(current, session);
            session.wake();
          }
          const rejected = applied.filter(({ type }) => type === "reject").length;
          if (rejected > 0)
            setup.logger.info({ threadId, rejected, by }, `Rejected ${rejected} ${rejected === 1 ? "call" : "calls"}`);
          return;
        }
      }),
    stop: () =>
      live === undefined
        ? inTurn(async () => {
            if (live !== undefined) return endLive("stopped");
            const current = await open();
            const ids = openIds(current);
            if (ids.length > 0) current.apply({ type: "close", how: "stopped" });
            noteEnds({ book: current, setup }, ids);
            stopExpiry();
            await saveOrForget(current, undefined);
          })
        : endLive("stopped"),
    recover: () =>
      inTurn(() =>
        retried(async () => {
          if (live !== undefined) return undefined;
          const current = await open();
          const next = nextOf(current.ledger());
          if (current.hasUnsaved() && (next === "ask" || next === "call")) {
            const run = createRun(randomUUID(), stopRun);
            await begin(run, "recovery", []);
            return run;
          }
          await persist(current, setup);
          expireLater(current);
          return undefined;
        }),
      ),
    read: () => inTurn(view),
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    unsaved: () => book?.unsavedEvents() ?? [],
    isLive: () => live !== undefined,
    isIdle: () =>
      live === undefined &&
      waiting === 0 &&
      listeners.size === 0 &&
      expiry === undefined &&
      book?.hasUnsaved() !== true, // the store was away: what was done is known here only
    async settled() {
      for (;;) {
        const seen = tail;
        await seen;
        await live?.over;
        if (seen === tail) return;
      }
    },
  };
  return actor;
}
