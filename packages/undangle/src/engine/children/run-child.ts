import { errorText, UndangleError } from "#core";

import { agentOptions } from "../agent-core.ts";
import type { Decision } from "../approvals/decisions.ts";
import type { EventData } from "../events.ts";
import type { ThreadJournal } from "../journal/thread-journal.ts";
import { present } from "../ledger/call.ts";
import type { ChildDecisions, LedgerCall } from "../ledger/call.ts";
import { entryText } from "../ledger/entry.ts";
import type { LedgerEvent, Usage } from "../ledger/ledger.ts";
import { nextOf } from "../ledger/step.ts";
import type { LiveRun, RunEnd } from "../run/run.ts";
import { narrowMode } from "../run/run-mode.ts";
import { limitEnding } from "../run/limits.ts";
import type { Session } from "../run/session.ts";
import { givenOutput } from "../run/structured-output.ts";
import { requestDecision } from "../thread/commands/decide.ts";
import { mustResume } from "../thread/commands/recover.ts";
import { createRequest } from "../thread/commands/request.ts";
import { inputParts } from "../thread/commands/send.ts";
import { stopThread } from "../thread/commands/stop.ts";
import type { ThreadListener } from "../thread/open-thread.ts";
import { applyChildState, stateForChild } from "../thread/stored-state.ts";
import type { ThreadActor } from "../thread/thread-actor.ts";
import { pendingCalls } from "../views/call-view.ts";
import { eventFromChild } from "./child-events.ts";
import { childActor, isChild, readChild } from "./child-thread.ts";
import type { ChildEnd, ChildOutcome, ChildRun, ChildThreads } from "./child-thread.ts";
import { filesForParent } from "./inherited-files.ts";
import { givenDecisions, pendingInTree } from "./tree-decisions.ts";

export const childThreads: ChildThreads = { run: runChild, stop: stopChildren };

/**
 * Runs an agent on the child thread of a call: starts the thread, or resumes it after a crash or with the decisions that
 * the call has for it. What it used is counted in this run, and its files become files of the call.
 */
async function runChild(session: Session, child: ChildRun): Promise<ChildOutcome> {
  const { call, agent, signal } = child;
  const { journal, setup, drafts } = session;
  const actor = childActor(agent, journal.threadId, call.id);
  if (actor.setup.store !== setup.store) throw otherStore(call.name);
  const stop = (): void => {
    void stopChildren([actor], session.ending()?.how === "superseded" ? "superseded" : "stopped");
  };
  const listener: ThreadListener = {
    onEvent(event) {
      if (journal.callOf(call.id)?.state !== "running") return; // the run of the parent has ended before it
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
    const end = await advance(session, child, actor);
    const current = await actor.read();
    if (signal.aborted) return { type: "aborted" };
    if (nextOf(current.ledger()) === "wait")
      return { type: "waiting", pending: pendingCalls(current.ledger().turn?.calls ?? []) };
    const changes = await filesForParent(current);
    if (changes.length > 0) await drafts.filesOf(call.id).write(changes);
    applyChildState(current, setup.middleware, drafts.stateOf(call.id));
    return { type: "end", end: await endOf(actor, current, end) };
  } catch (error) {
    stop(); // the call fails, and no other refers to the child
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
    actor.thread.listeners.delete(listener);
  }
}

const otherStore = (tool: string): UndangleError =>
  new UndangleError("options/value", {
    option: `agent of the tool ${tool}`,
    value: undefined,
    allowed: ["an agent with the store of the agent that has the tool"],
  });

/**
 * Stops child threads whose calls were closed, after that is saved: a crash in between leaves a child that waits, which
 * no call refers to. The other order could leave a call that waits for a child with nothing to decide.
 */
async function stopChildren(actors: readonly ThreadActor[], cause: "stopped" | "superseded"): Promise<void> {
  const stop = async (actor: ThreadActor): Promise<void> => {
    const { threadId, setup } = actor;
    try {
      if (isChild(await actor.read())) await stopThread(actor, { cause });
    } catch (error) {
      setup.logger.warn({ threadId, err: error }, "A child thread could not be stopped");
    }
  };
  await Promise.all(actors.map(stop));
}

/** Counts what the child thread has used so far. The limit of tokens applies to a run with its children. */
function trackUsage(session: Session, { id }: LedgerCall, actor: ThreadActor): void {
  const { journal, setup } = session;
  const usage: Usage | undefined = actor.thread.journal()?.ledger().usage;
  if (usage === undefined || journal.callOf(id)?.state !== "running") return;
  journal.apply({ type: "track-child", id, thread: actor.threadId, usage });
  const { tokens } = setup.limits;
  if ((journal.ledger().run?.usage.totalTokens ?? 0) >= tokens) session.end(limitEnding("tokens", tokens));
}

/**
 * Runs the child until it ends or waits, and hands on the decisions that the call gets meanwhile. Returns the end of its
 * last run; undefined if none ran. Decisions after that stay with the call, which then starts again.
 */
async function advance(session: Session, child: ChildRun, actor: ThreadActor): Promise<RunEnd | undefined> {
  const { journal, deciding } = session;
  const { call, signal } = child;
  const decisions = (): readonly ChildDecisions[] => journal.callOf(call.id)?.child?.decisions ?? [];
  let wake = (): void => undefined;
  let run: LiveRun | undefined;
  deciding.set(call.id, () => wake());
  try {
    for (;;) {
      const [given] = decisions();
      const over = actor.thread.over();
      if (signal.aborted) {
        await over;
        return undefined;
      } else if (given !== undefined) {
        run = (await handOn(actor, given)) ?? run;
        if (!signal.aborted) journal.apply({ type: "receive", id: call.id, given });
      } else if (over !== undefined) {
        await Promise.race([over, new Promise<void>((resolve) => (wake = resolve))]);
      } else {
        const next = await startOrResume(session, child, actor);
        trackUsage(session, call, actor);
        run = next ?? run;
        const end = next === undefined ? await run?.result : undefined;
        if (next === undefined && decisions().length === 0) return end;
      }
    }
  } finally {
    deciding.delete(call.id);
  }
}

/** Starts the child thread, or resumes it after a crash or an expired approval. Undefined if there is nothing to do. */
function startOrResume(
  { journal, setup }: Session,
  { call, agent, input }: ChildRun,
  actor: ThreadActor,
): Promise<LiveRun | undefined> {
  const { thread, threadId } = actor;
  return actor.exclusive(async () => {
    if (thread.state().phase === "running") return undefined;
    const child = await thread.open();
    if (child.version() > 0 && !isChild(child)) {
      thread.forgetTentative();
      throw new UndangleError("thread/exists", { threadId });
    }
    const { run } = createRequest(actor);
    if (child.version() === 0) {
      const { parent } = journal.ledger();
      const begin: readonly LedgerEvent[] = [
        { type: "nest", parent: { thread: journal.threadId, call: call.id, depth: (parent?.depth ?? 0) + 1 } },
        { type: "remember", values: stateForChild(journal, setup.middleware, actor.setup.middleware) },
        { type: "say", entry: { type: "input", at: actor.setup.now(), parts: inputParts(input) } },
      ];
      const mode = narrowMode(journal.ledger().mode ?? setup.mode, agentOptions(agent).mode);
      await thread.begin(run, { reason: "message", mode }, begin);
      return run;
    }
    const hasEnded = nextOf(child.ledger()) === "rest"; // the process died before it could save the end of the run
    if (!mustResume(child) && !(hasEnded && child.hasUnsaved())) {
      await thread.save(child);
      return undefined;
    }
    await thread.begin(run, { reason: "recovery" }, []);
    return run;
  });
}

/**
 * Gives decisions to the child. Undefined if none of them applies: after a crash it may have received them already, and
 * an approval may have expired since. Decisions that it refuses are reported, and the others apply.
 */
async function handOn(actor: ThreadActor, stored: ChildDecisions): Promise<LiveRun | undefined> {
  const { threadId, setup } = actor;
  const { by } = stored;
  const given = givenDecisions(stored);
  const refused = new Set<string>();
  for (;;) {
    const open = await openDecisions(
      actor,
      given.filter(([id]) => !refused.has(id)),
    );
    if (open.length === 0) return undefined;
    const { run, performed } = requestDecision(actor, () => Object.fromEntries(open), present({ by }));
    await performed;
    if (!run.isOver()) return run;
    const { error } = await run.result;
    if (error?.is("decision/refused") !== true) {
      if (error !== undefined && (await openDecisions(actor, open)).length > 0) throw error; // they could not be saved
      return run;
    }
    setup.logger.warn({ threadId, err: error }, "A child thread refused decisions");
    for (const { callId } of error.data.problems) refused.add(callId);
  }
}

type GivenDecision = readonly [id: string, decision: Decision];

/** The decisions about calls that are still pending. */
async function openDecisions(actor: ThreadActor, given: readonly GivenDecision[]): Promise<readonly GivenDecision[]> {
  const child = await readChild(actor);
  if (child === undefined) return [];
  const pending = new Set((await pendingInTree(actor, child)).map(({ id }) => id));
  return given.filter(([id]) => pending.has(id));
}

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
