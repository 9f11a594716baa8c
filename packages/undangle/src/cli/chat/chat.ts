import { setTimeout as pause } from "node:timers/promises";

import { errorText, UndangleError } from "#core";
import type { AgentEvent, Run } from "#engine";

import { isSystemError } from "../input/system-fault.ts";
import type { Io, Terminal } from "../io.ts";
import { createApprover } from "./approval/approver.ts";
import { completeSlash, runSlash } from "./commands/slash-commands.ts";
import type { Talk } from "./commands/slash-command.ts";
import { openDesk } from "./desk.ts";
import type { Manner } from "./manner.ts";
import { openAgentIn, resumeCommand } from "./open-chat.ts";
import type { Place } from "./open-chat.ts";
import { createOutbox } from "./outbox.ts";
import { savedHistory } from "./saved-history.ts";
import { openSeat } from "./seat.ts";
import { printFault, printRemark, printSaid, showEvent } from "./view/show-event.ts";
import { newView } from "./view/view.ts";
import { resumeStep } from "./welcome.ts";

export interface Beginning {
  readonly place: Place;
  readonly manner: Manner;
  /** The thread to continue; undefined for a new thread. */
  readonly thread: string | undefined;
  /** The first message, if any. */
  readonly message: string | undefined;
  /** A remark to print at the start. */
  readonly remark: string | undefined;
}

/** The time in which a second Ctrl-C exits, in milliseconds. */
const twice = 1000;

/** How long an exit waits for calls that can be decided later, in milliseconds. */
const grace = 2000;

/** Runs the chat in a terminal until the user exits. */
export async function chat({ place, manner, ...first }: Beginning, io: Io, terminal: Terminal): Promise<number> {
  const { promise: ended, resolve: end, reject: fail } = Promise.withResolvers<void>();
  const agent = openAgentIn(place, manner); // reports errors before the terminal is taken over
  const history = savedHistory(place.folder);
  let [isLeaving, interruptedAt] = [false, -Infinity];

  const desk = openDesk({
    terminal,
    now: () => io.now(),
    face: () => manner.face(terminal.columns, terminal.rows),
    view: newView(),
    history: await history.load(),
    complete: completeSlash,
    queued: () => outbox.waiting(),
    listener: { said: (text) => guard(said(text)), touched: askIfDue, interrupted, left: () => guard(leave()) },
  });
  const texts = () => desk.face().texts;
  const remark = (text: string): void => desk.show((view, face) => printRemark(view, text, face));
  const isRunning = (): boolean => desk.view().isRunning;
  const hasWaiting = (): boolean => desk.view().calls.some(({ state }) => state === "waiting");
  const now = (): number => io.now();
  const own = new Set<string>(); // the runs that this chat started
  const seat = openSeat(
    { desk, place, manner, version: io.version, now, heard, isOwn: (id) => own.has(id), guard },
    { agent, thread: first.thread },
  );
  const { thread } = seat;
  const approver = createApprover({ desk, manner, thread, watch });
  const outbox = createOutbox({ desk, thread, agent: seat.agent, approver, watch, now, mode: () => manner.mode() });

  /** Prints expected errors. An unexpected error ends the chat. */
  function guard(work: Promise<unknown>): void {
    work.catch((error: unknown) => {
      const isUsual = error instanceof UndangleError || isSystemError(error);
      if (!isUsual) return fail(error);
      const text = error instanceof UndangleError ? wordsFor(error) : error.message;
      return desk.show((view, face) => printFault(view, text, face));
    });
  }

  const wordsFor = (error: UndangleError): string =>
    error.is("thread/owned") ? texts().owned : errorText(error, manner.language());

  /** The reason why a run did not start; undefined if it started, regardless of its outcome. */
  async function watch(run: Run): Promise<string | undefined> {
    own.add(run.id);
    for await (const { id, type, data } of run) {
      if (id !== "0" || type !== "run_end") return undefined;
      return data.error?.code === "thread/owned" ? texts().owned : data.error?.message;
    }
    return undefined;
  }

  async function said(text: string): Promise<void> {
    guard(history.add(text)); // a message is sent even if it cannot be added to the history
    if (!text.startsWith("/") || text.includes("\n")) return outbox.say(text);
    desk.show((view, face) => printSaid(view, text, face));
    return runSlash(text, talk);
  }

  async function askPending(isSudden = false): Promise<void> {
    await approver.ask(isSudden);
    if (!isLeaving) await outbox.goOn();
  }

  function askIfDue(): void {
    if (!isLeaving && approver.isDue()) guard(askPending(true));
  }

  function heard(event: AgentEvent): void {
    desk.show((view, face) => showEvent(view, event, { face, at: io.now() }));
    approver.heard(event);
    if (event.type === "run_end") desk.hint("");
    if (event.type === "run_end" && (event.data.status === "failed" || event.data.status === "stopped"))
      outbox.giveBack();
    askIfDue();
    if (event.type === "run_end" && !isLeaving) guard(outbox.goOn());
  }

  function stop(): void {
    desk.hint(texts().stopping);
    guard(thread().stop());
  }

  function interrupted(): void {
    if (isLeaving) return end();
    if (isRunning()) return stop();
    if (desk.isAsking()) return desk.dismiss();
    if (desk.draft() !== "") return desk.setDraft("");
    if (io.now() - interruptedAt < twice) return guard(leave());
    interruptedAt = io.now();
    return desk.hint(texts().onceMore, twice);
  }

  /** A second exit does not wait for running work to stop. */
  async function leave(): Promise<void> {
    if (isLeaving) return end();
    isLeaving = true;
    try {
      for (let waited = 0; isRunning() && hasWaiting() && waited < grace; waited += 50) await pause(50); // a stop would cancel them
      if (isRunning()) await thread().stop();
    } catch (error) {
      if (!(error instanceof UndangleError && error.is("thread/owned"))) throw error; // another window runs the thread and continues
    } finally {
      end();
    }
  }

  const talk: Talk = {
    desk,
    place,
    thread,
    agent: seat.agent,
    isRunning,
    async enter(id) {
      approver.forget();
      await seat.enter(id);
      askIfDue();
    },
    fork: seat.fork,
    watch,
    askPending,
    switchModel: seat.switchModel,
    setLanguage: seat.setLanguage,
    manner,
    stop,
    leave: () => guard(leave()),
  };

  try {
    if (first.remark !== undefined) remark(first.remark);
    await seat.sitDown();
    askIfDue();
    if (first.message !== undefined && first.message !== "") guard(said(first.message));
    await ended;
    return 0;
  } finally {
    isLeaving = true;
    const isSpoken = await place.store.load(thread().id).then(
      (head) => head !== undefined,
      () => false, // the store is unavailable, so there is nothing to resume
    );
    if (place.isKept && isSpoken) desk.show((view, face) => resumeStep(view, face, resumeCommand(place, thread().id)));
    desk.close();
    await seat.leave();
  }
}
