import { UndangleError } from "#core";

import type { AgentEvent } from "../events.ts";
import type { Input } from "../input.ts";
import type { InputEntry, InputPart } from "../ledger/entry.ts";
import type { LedgerEvent } from "../ledger/ledger.ts";
import { nextOf } from "../ledger/step.ts";
import { allowForAgent } from "./allow-for-agent.ts";
import { createAsked } from "./pending-request.ts";
import type { Asked } from "./pending-request.ts";
import type { Book } from "../journal/thread-journal.ts";
import { noteEnds, notePending, openIds } from "../journal/call-events.ts";
import { holdingDecisions } from "./held-decisions.ts";
import { createLine } from "./mutex.ts";
import { createLiveThread } from "./live-thread.ts";
import type { Surroundings, ThreadListener } from "./live-thread.ts";
import type { Reason } from "../run/finish-run.ts";
import { retraction } from "./retract-turn.ts";
import { revocation } from "./revoke-allowance.ts";
import { endOf, neverBegun } from "../run/run-end.ts";
import type { LiveRun } from "../run/run.ts";
import type { Session } from "../run/session.ts";
import type { InputPolicy } from "../run/setup.ts";
import type { Slots } from "./semaphore.ts";
import { persist } from "../journal/retry-store.ts";

/** All that happens to one thread in this process, one thing after the other. */
export interface Actor {
  readonly send: (parts: () => readonly InputPart[], options: SendOptions) => LiveRun;
  readonly decide: (
    decisions: (book: Book) => unknown,
    options: Omit<DecideOptions, "input"> & { readonly parts?: (() => readonly InputPart[]) | undefined },
  ) => LiveRun;
  /** Lets the model answer anew, without its last answer if nothing has come of that. */
  readonly regenerate: (options: RegenerateOptions) => LiveRun;
  /** Begins a thread that must not exist yet, with these events, in one commit. */
  readonly found: (events: (book: Book) => Promise<readonly LedgerEvent[]>, signal: AbortSignal | undefined) => LiveRun;
  /** Takes a history over, behind what is there. */
  readonly take: (entries: (book: Book) => Promise<readonly LedgerEvent[]>) => Promise<void>;
  /** Has calls decided about again that were allowed in the thread. */
  readonly revoke: (id: unknown, options: RevokeOptions) => Promise<void>;
  readonly describe: (about: Description) => Promise<void>;
  readonly stop: (options?: StopOptions) => Promise<void>;
  /** Ends the run that goes on, if there is one; calls that wait for a person go on waiting. */
  readonly halt: () => Promise<void>;
  /**
   * Goes on where a dead process left off, or after approvals have expired, as soon as there is room for it; undefined when
   * there is nothing to do.
   */
  readonly recover: (slots: Slots) => Promise<LiveRun | undefined>;
  /** The thread as it stands, for reading: what a dead process left is settled there, and not in the store. */
  readonly read: () => Promise<Book>;
  readonly listen: (listener: ThreadListener) => () => void;
  /** What was told and is not saved yet. */
  readonly unsaved: () => AgentEvent[];
  /** True while a run goes on in this process. */
  readonly isLive: () => boolean;
  /** True while nothing goes on, and nobody listens: then it can be let go, and made anew from the store. */
  readonly isIdle: () => boolean;
  /** True while nothing goes on: then what it holds of the thread can be forgotten, and read anew. */
  readonly isAtRest: () => boolean;
  /** About how many bytes that is. */
  readonly weight: () => number;
  readonly forget: () => void;
  /** Resolves when everything that was asked for is over, and saved if the store can be used. */
  readonly settled: () => Promise<void>;
}

/** What everything that starts a run takes. */
interface StartOptions {
  readonly signal?: AbortSignal | undefined;
  /** Saved in the commit in which the run starts: where that is refused, nothing is noted. */
  readonly describe?: Description | undefined;
}

export interface SendOptions extends StartOptions {
  readonly onInput?: InputPolicy | undefined;
}

export interface DecideOptions extends StartOptions {
  /** Who decides. */
  readonly by?: string | undefined;
  /** Said with the decisions, in the same commit; the model reads it after the results of all calls. */
  readonly input?: Input | undefined;
}

export interface RegenerateOptions extends StartOptions {}

export interface StopOptions {
  /** Calls that have not started are settled with this cause: `superseded` where something else takes the run's place. */
  readonly cause?: "stopped" | "superseded" | undefined;
}

export interface RevokeOptions {
  /** Who takes it back. */
  readonly by?: string | undefined;
}

/** What may be said about a thread as a whole. */
export interface Description {
  readonly title?: string | undefined;
  /** Added to what was noted before; null takes a name away. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
}

/** A message, and what is noted of the thread with it. */
interface Noted {
  readonly entry: InputEntry;
  readonly about: readonly LedgerEvent[];
}

/** A thread that is open, and the run that goes on in it. */
interface Opened {
  readonly session: Session | undefined;
  readonly current: Book;
}

export function createActor(threadId: string, surroundings: Surroundings): Actor {
  const { setup, alarms } = surroundings;
  const line = createLine();
  const thread = createLiveThread(threadId, surroundings, {
    isAsked: () => !line.isEmpty(),
    onOwing(runs) {
      const next = start(undefined, (asked) => resume(asked, isAsking, "message"));
      for (const run of runs) if (!run.isOver()) run.join(next);
    },
  });
  const { opening, open, begin, endLive, isLive, liveSession, retried, saveOrForget, comeBack } = thread;
  const isWriting = (): boolean => thread.live() !== undefined || !line.isEmpty();
  let looking: Asked | undefined; // the decision that is being looked at
  let waiting = 0; // recoveries for which there is no room yet: a second actor of the thread would not know of them
  const isAtRest = (): boolean => !isWriting() && waiting === 0 && opening.book()?.hasUnsaved() !== true; // else it is known here only

  /** Ends the run that goes on; one that was about to wait leaves calls that wait, and those are settled too. */
  const stopLive = async (cause: "stopped" | "superseded" = "stopped"): Promise<void> => {
    const wasClosing = thread.live()?.session.isClosing === true;
    await endLive(cause);
    if (wasClosing) await line.join(() => retried(() => closeOpen(cause)));
  };

  const stopAsked = async (asked: Asked): Promise<void> => {
    if (asked.run.isOver() || (await asked.withdraw?.()) === true) return;
    const { run } = asked;
    if (isLive(run)) return stopLive();
    asked.takeBack();
    if (!run.isOver()) await line.join(async () => (isLive(run) ? endLive("stopped") : undefined)); // it had begun
  };

  /** Does what was asked for, in its turn. What keeps it from that is how its run ends. */
  const perform = async (asked: Asked, work: () => Promise<void>): Promise<void> => {
    try {
      await line.join(() => (asked.isTakenBack() ? Promise.resolve() : retried(work)));
    } catch (error) {
      const current = opening.book();
      if (thread.live() === undefined && current !== undefined) comeBack(current); // what was settled on opening is to be saved
      opening.forgetSettled();
      if (!asked.run.isOver()) asked.run.settle(neverBegun(error, opening.book() ?? current, false));
    }
    if (asked.isTakenBack() && !asked.run.isOver() && !isLive(asked.run))
      asked.run.settle(neverBegun(undefined, opening.book(), true));
  };

  /** Makes a run that does something first. */
  const start = (signal: AbortSignal | undefined, work: (asked: Asked) => Promise<void>): LiveRun => {
    const asked = createAsked(stopAsked, setup.language);
    const stop = (): void => void stopAsked(asked);
    if (signal?.aborted === true) asked.takeBack();
    signal?.addEventListener("abort", stop, { once: true });
    void asked.run.result.then(() => signal?.removeEventListener("abort", stop));
    void perform(asked, () => work(asked));
    return asked.run;
  };

  /** What comes of looking at decisions; undefined when it is not wanted any more, or the run has ended before that. */
  const looked = async <T>(asked: Asked, session: Session | undefined, look: Promise<T>): Promise<T | undefined> => {
    looking = asked;
    try {
      return await line.aside(Promise.race([look, asked.takenBack, ...(session === undefined ? [] : [session.over])]));
    } finally {
      looking = undefined;
    }
  };

  /** Takes back a message that waits; false when it waits no more, or that could not be saved. */
  const withdraw = async (run: LiveRun, entry: InputEntry, { session, current }: Opened): Promise<boolean> => {
    if (!current.ledger().queue.includes(entry)) return false; // it was said
    current.apply({ type: "withdraw", entry });
    try {
      await saveOrForget(current, session, () => current.apply({ type: "queue", entry }));
      if (!run.isOver()) run.settle(endOf(current, { status: "stopped" }));
      return true;
    } catch {
      return false; // the run hears of it, and ends
    }
  };

  /** Keeps a message until all calls are settled. */
  const queue = async (asked: Asked, noted: Noted, { session, current }: Opened): Promise<void> => {
    const { run } = asked;
    const { entry, about } = noted;
    if (session === undefined && nextOf(current.ledger()) !== "wait")
      return begin(run, "message", [...about, { type: "queue", entry }]); // a dead process left something to do before it
    if (session !== undefined) run.join(session.run);
    for (const event of about) current.apply(event);
    current.apply({ type: "queue", entry });
    await saveOrForget(current, session, () => current.apply({ type: "withdraw", entry }));
    if (session === undefined) run.settle(endOf(current, { status: "waiting" }));
    else {
      session.queued.set(entry, run);
      asked.withdraw = () => {
        const leaving = withdraw(run, entry, { session, current });
        run.leave(leaving);
        return leaving;
      };
    }
    return undefined;
  };

  /** Settles what is open, whether or not somebody runs it. */
  const closeOpen = async (cause: "stopped" | "superseded"): Promise<void> => {
    if (thread.live() !== undefined) return endLive(cause);
    const current = await open();
    const ids = openIds(current);
    if (ids.length > 0) current.apply({ type: "close", how: cause });
    if (current.ledger().isOwing) current.apply({ type: "finish" });
    noteEnds({ book: current, setup }, ids);
    alarms.set(threadId, undefined);
    return saveOrForget(current, undefined);
  };

  /** Goes on with what was left to do, if somebody else has not done so meanwhile. */
  const resume = async ({ run }: Asked, isLeft: (book: Book) => boolean, reason: Reason): Promise<void> => {
    const live = thread.live();
    if (live !== undefined) return run.join(live.session.run);
    const current = await open();
    if (isLeft(current)) return begin(run, reason, []);
    await persist(current, setup);
    return run.settle(endOf(current, { status: nextOf(current.ledger()) === "wait" ? "waiting" : "done" }));
  };

  /** Saves what could not be saved before; what somebody else has settled meanwhile never can be. */
  const saveAtLast = async (current: Book): Promise<void> => {
    try {
      await persist(current, setup);
    } catch (error) {
      if (!(error instanceof UndangleError && error.is("store/conflict"))) throw error;
      opening.forget();
      setup.logger.warn(
        { threadId, err: error },
        "Another process has taken over the thread; local changes are discarded",
      );
    }
  };

  /** Changes the thread beside what goes on in it. */
  const change = (event: (book: Book) => LedgerEvent): Promise<void> =>
    line
      .join(() =>
        retried(async () => {
          const current = await open();
          const made = event(current);
          if (thread.live() === undefined && hasToGoOn(current))
            return begin(createAsked(stopAsked, setup.language).run, "recovery", [made]); // settled with what comes of it
          current.apply(made);
          await saveOrForget(current, thread.live()?.session);
          if (thread.live() !== undefined) return undefined;
          opening.keep();
          return comeBack(current);
        }),
      )
      .finally(opening.forgetSettled);

  const actor: Actor = {
    send: (parts, { onInput = setup.onInput, signal, describe }) =>
      start(signal, async (asked) => {
        const about = describing(describe);
        const entry = { type: "input" as const, at: setup.now(), parts: parts() };
        for (;;) {
          const session = await liveSession();
          const current = await open();
          if (session?.isClosing === true) continue; // it would be said to a run that is over
          const isBusy = session !== undefined || current.ledger().turn !== undefined;
          if (isBusy && onInput === "refuse")
            throw new UndangleError("thread/busy", { threadId, calls: openIds(current) });
          if (isBusy && onInput === "queue") return queue(asked, { entry, about }, { session, current });
          await endLive("superseded");
          // What a dead process left is settled in the commit that goes on with it, and not before: it must be found until then.
          const isOpen = (session === undefined ? current : await open()).ledger().turn !== undefined;
          return begin(asked.run, "message", [
            ...about,
            ...(isOpen ? [{ type: "close" as const, how: "superseded" as const }] : []),
            { type: "say", entry },
          ]);
        }
      }),
    decide: (decisions, { by, signal, describe, parts }) =>
      start(signal, async (asked) => {
        const said: readonly InputEntry[] =
          parts === undefined ? [] : [{ type: "input", at: setup.now(), parts: parts() }];
        const besides = [...describing(describe), ...said.map((entry) => ({ type: "queue" as const, entry }))];
        for (;;) {
          const session = await liveSession();
          const current = await open();
          const applied = await looked(asked, session, holdingDecisions(current, setup, { decisions, by }));
          if (asked.isTakenBack()) return;
          if (applied === undefined) await thread.live()?.over;
          if (applied === undefined || session?.isClosing === true) continue; // what was waiting may be settled by now
          const event = { type: "decide" as const, decisions: applied };
          const lasting = applied.flatMap(({ always }) => (always === undefined ? [] : [always.allowance.id]));
          if (session === undefined) {
            const saved = lasting.length === 0 ? undefined : (begun: Session) => allowForAgent(begun, applied);
            await begin(asked.run, "decision", [...besides, event], saved);
          } else {
            asked.run.join(session.run); // what comes of it is told there
            for (const each of [...besides, event]) current.apply(each);
            for (const entry of said) session.queued.set(entry, asked.run);
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
    found: (events, signal) =>
      start(signal, async ({ run }) => {
        const current = await open();
        if (current.version() > 0) throw new UndangleError("thread/exists", { threadId });
        return begin(run, "message", await line.aside(events(current)));
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
          ...waiting.map((entry) => ({ type: "withdraw" as const, entry })), // what was said meanwhile stands behind it
          ...(turn === undefined ? [] : [{ type: "close" as const, how: "superseded" as const }]),
          ...events,
          ...waiting.map((entry) => ({ type: "say" as const, entry })),
        ]);
      }),
    take: (entries) =>
      line.join(() =>
        retried(async () => {
          const current = await open();
          const taken = await line.aside(entries(current)); // a thread that must be a new one is more than busy
          if (thread.live() !== undefined || current.ledger().turn !== undefined)
            throw new UndangleError("thread/busy", { threadId, calls: openIds(current) });
          try {
            for (const event of taken) current.apply(event);
            notePending(current);
          } catch (error) {
            opening.forget(); // half of it is nothing
            throw error;
          }
          await saveOrForget(current, undefined);
          opening.keep();
          comeBack(current);
        }),
      ),
    revoke: (id, { by }) => change((book) => revocation(book, setup, { id, by })),
    describe: (about) => change(() => description(about)),
    async stop({ cause = "stopped" } = {}) {
      if (thread.live() !== undefined) return stopLive(cause);
      looking?.takeBack(); // it would be waited for
      return line.join(() => retried(() => closeOpen(cause)));
    },
    halt: () => endLive("stopped"),
    recover: (slots) =>
      line.join(() =>
        retried(async () => {
          if (thread.live() !== undefined) return undefined;
          const current = await open();
          if (!hasToGoOn(current)) {
            await persist(current, setup);
            comeBack(current);
            return undefined;
          }
          const asked = createAsked(stopAsked, setup.language);
          const room = slots.take();
          if (room !== undefined) {
            opening.forgetSettled();
            waiting++;
            void Promise.race([room, asked.takenBack])
              .then(() => perform(asked, () => resume(asked, hasToGoOn, "recovery")))
              .finally(() => waiting--);
          } else {
            await begin(asked.run, "recovery", []).catch((error: unknown) => {
              slots.give();
              throw error;
            });
          }
          void Promise.all([room, asked.run.result]).then(slots.give); // a place is given back by those who have one
          return asked.run;
        }),
      ),
    async read() {
      await line.passed();
      const known = opening.book();
      return thread.live() !== undefined && known !== undefined ? known : opening.view();
    },
    listen(listener) {
      thread.listeners.add(listener);
      return () => thread.listeners.delete(listener);
    },
    unsaved: () => opening.book()?.unsavedEvents() ?? [],
    isLive: () => thread.live() !== undefined,
    isIdle: () => isAtRest() && thread.listeners.size === 0,
    isAtRest,
    weight: () => opening.book()?.weight() ?? 0,
    forget: opening.forget,
    async settled() {
      do {
        await line.join(() => Promise.resolve());
        await thread.live()?.over;
      } while (isWriting());
      const current = opening.book();
      if (current?.hasUnsaved() === true) await saveAtLast(current);
    },
  };
  return actor;
}

/** What is said about a thread, as something that happens to it. */
export const description = ({ title, meta = {} }: Description): LedgerEvent => ({
  type: "describe",
  meta,
  ...(title !== undefined && { title }),
});

const describing = (about: Description | undefined): readonly LedgerEvent[] =>
  about === undefined ? [] : [description(about)];

/** True when the model is to speak. */
const isAsking = (book: Book): boolean => nextOf(book.ledger()) === "ask";

/** True when something was settled on opening, or a run was to follow another, and the model or a tool is next. */
const hasToGoOn = (book: Book): boolean => {
  const ledger = book.ledger();
  const next = nextOf(ledger);
  return (book.hasUnsaved() || ledger.isOwing) && (next === "ask" || next === "call");
};
