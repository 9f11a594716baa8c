import { errorText, UndangleError } from "#core";

import { agentOptions } from "../agent-core.ts";
import type { EventData } from "../events.ts";
import type { ThreadJournal } from "../journal/thread-journal.ts";
import type { ChildDecisions, LedgerCall } from "../ledger/call.ts";
import { entryText } from "../ledger/entry.ts";
import type { LedgerEvent } from "../ledger/ledger.ts";
import { nextOf } from "../ledger/step.ts";
import type { RunEnd } from "../run/run.ts";
import { narrowMode } from "../run/run-mode.ts";
import { limitEnding } from "../run/session.ts";
import type { Session } from "../run/session.ts";
import { givenOutput } from "../run/structured-output.ts";
import { decide } from "../thread/commands/decide.ts";
import { createThreadWith } from "../thread/commands/import.ts";
import { recover } from "../thread/commands/recover.ts";
import type { Semaphore } from "../thread/commands/recover.ts";
import { inputParts } from "../thread/commands/send.ts";
import { stopThread } from "../thread/commands/stop.ts";
import type { ThreadListener } from "../thread/open-thread.ts";
import { applyChildState, stateForChild } from "../thread/stored-state.ts";
import type { ThreadActor } from "../thread/thread-actor.ts";
import { pendingCalls } from "../views/call-view.ts";
import { eventFromChild } from "./child-events.ts";
import { childActor } from "./child-thread.ts";
import type { ChildEnd, ChildOutcome, ChildRun, ChildThreads } from "./child-thread.ts";
import { filesForParent } from "./inherited-files.ts";

export const childThreads: ChildThreads = { run: runChild, stop: stopChildren };

/**
 * Runs an agent on the child thread of a call: starts the thread, or resumes it after a crash or with the decisions that
 * the call has for it. What it used is counted in this run, and its files become files of the call.
 */
async function runChild(session: Session, child: ChildRun): Promise<ChildOutcome> {
  const { call, agent, signal } = child;
  const { journal } = session;
  const actor = childActor(agent, journal.threadId, call.id);
  const stop = (): void => {
    const cause = session.ending()?.how === "superseded" ? "superseded" : "stopped";
    stopThread(actor, { cause }).catch(() => undefined); // its run ends with the error
  };
  const listener: ThreadListener = {
    onEvent(event) {
      if (event.type === "model_end") trackUsage(session, call, actor);
      const draft = eventFromChild(call, event);
      if (draft !== undefined) journal.events.emitUnsaved(draft);
    },
    onLost: () => undefined, // the child thread keeps its own events
  };
  actor.thread.listeners.add(listener);
  signal.addEventListener("abort", stop);
  try {
    if (signal.aborted) return { type: "aborted" };
    trackUsage(session, call, actor);
    const end = await advance(session, child, actor);
    const current = await actor.read();
    trackUsage(session, call, actor);
    if (signal.aborted) return { type: "aborted" };
    if (nextOf(current.ledger()) === "wait")
      return { type: "waiting", pending: pendingCalls(current.ledger().turn?.calls ?? []) };
    const changes = await filesForParent(current);
    if (changes.length > 0) await session.drafts.filesOf(call.id).write(changes);
    applyChildState(current, session.setup.middleware, session.drafts.stateOf(call.id));
    return { type: "end", end: await endOf(actor, current, end) };
  } finally {
    signal.removeEventListener("abort", stop);
    actor.thread.listeners.delete(listener);
  }
}

/**
 * Stops child threads whose calls were closed, after that is saved: a crash in between leaves a child that waits, which
 * no call refers to. The other order could leave a call that waits for a child with nothing to decide.
 */
function stopChildren(actors: readonly ThreadActor[], cause: "stopped" | "superseded"): void {
  for (const actor of actors) {
    const { threadId, setup } = actor;
    stopThread(actor, { cause }).catch((error: unknown) =>
      setup.logger.warn({ threadId, err: error }, "A child thread could not be stopped"),
    );
  }
}

/** Counts what the child thread has used so far. The limit of tokens applies to a run with its children. */
function trackUsage(session: Session, { id }: LedgerCall, actor: ThreadActor): void {
  const { journal, setup } = session;
  const { usage } = actor.thread.journal()?.ledger() ?? {};
  if (usage === undefined) return;
  journal.apply({ type: "track-child", id, thread: actor.threadId, usage });
  const { tokens } = setup.limits;
  if ((journal.ledger().run?.usage.totalTokens ?? 0) >= tokens) session.end(limitEnding("tokens", tokens));
}

/** Runs the child until it ends or waits. Undefined if there is nothing left to run. */
async function advance(
  { journal, setup }: Session,
  { call: { id }, agent, input }: ChildRun,
  actor: ThreadActor,
): Promise<RunEnd | undefined> {
  const child = await actor.read();
  if (child.version() === 0) {
    const { parent } = journal.ledger();
    const begin: readonly LedgerEvent[] = [
      { type: "nest", parent: { thread: journal.threadId, call: id, depth: (parent?.depth ?? 0) + 1 } },
      { type: "remember", values: stateForChild(journal, setup.middleware, actor.setup.middleware) },
      { type: "say", entry: { type: "input", at: actor.setup.now(), parts: inputParts(input) } },
    ];
    const mode = narrowMode(journal.ledger().mode ?? setup.mode, agentOptions(agent).mode);
    return createThreadWith(actor, () => Promise.resolve(begin), { mode }).result;
  }
  let last: RunEnd | undefined;
  for (const given of journal.callOf(id)?.child?.decisions ?? []) last = (await handOn(actor, given)) ?? last;
  return last ?? (await recover(actor, unlimited))?.result;
}

/**
 * Gives decisions to the child. After a crash it may have received them already, and an approval may have expired since:
 * decisions that it refuses are reported, and the others apply.
 */
async function handOn(actor: ThreadActor, { decisions, by }: ChildDecisions): Promise<RunEnd | undefined> {
  const pending = pendingCalls((await actor.read()).ledger().turn?.calls ?? []);
  const open = Object.entries(decisions).filter(([id]) => pending.some((each) => each.id === id));
  if (open.length === 0) return undefined;
  const give = (entries: typeof open): Promise<RunEnd> =>
    decide(actor, () => Object.fromEntries(entries), by === undefined ? {} : { by }).result;
  const end = await give(open);
  if (end.error?.is("decision/refused") !== true) return end;
  const refused = new Set(end.error.data.problems.map(({ callId }) => callId));
  const { threadId, setup } = actor;
  setup.logger.warn({ threadId, err: end.error }, "A child thread refused decisions");
  const rest = open.filter(([id]) => !refused.has(id));
  return rest.length === 0 || rest.length === open.length ? undefined : give(rest);
}

/** The parent has a permit already, or needs none. */
const unlimited: Semaphore = { acquire: () => undefined, release: () => undefined };

async function endOf(actor: ThreadActor, journal: ThreadJournal, end: RunEnd | undefined): Promise<ChildEnd> {
  const { setup } = actor;
  const { status, error } = end === undefined ? await lastEnd(actor) : shownEnd(end, setup.language);
  const output = status === "done" && setup.output !== undefined ? await givenOutput(journal, setup.output) : undefined;
  return {
    status: status === "waiting" ? "stopped" : status, // a child that waits has not ended
    text: lastText(journal),
    ...(output !== undefined && { output: output.value }),
    ...(error !== undefined && { error }),
  };
}

const shownEnd = ({ status, error }: RunEnd, language: "en" | "zh"): Pick<EventData["run_end"], "status" | "error"> =>
  error === undefined ? { status } : { status, error: { code: error.code, message: errorText(error, language) } };

/** The end of the last run, as stored. A process may have died before the parent got it. */
async function lastEnd({ threadId, setup }: ThreadActor): Promise<Pick<EventData["run_end"], "status" | "error">> {
  const head = await setup.store.load(threadId);
  for (let last = head?.lastEvent ?? 0; last > 0; last -= page) {
    const events = await setup.store.events(threadId, { after: Math.max(0, last - page), limit: page });
    const end = events.findLast(({ type, seq }) => type === "run_end" && seq <= last);
    if (end !== undefined) return end.data as EventData["run_end"]; // the engine wrote it
  }
  throw new UndangleError("thread/unknown", { threadId });
}

const page = 20;

function lastText(journal: ThreadJournal): string {
  for (const { entry } of journal.recorded().toReversed()) {
    const text = entry.type === "answer" ? entryText(entry).trimEnd() : "";
    if (text !== "") return text;
  }
  return "";
}
