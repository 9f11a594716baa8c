import { setTimeout as pause } from "node:timers/promises";

import type { Language } from "#core";

import type { EventData } from "../events.ts";
import { emitEnds, emitPending, openIds } from "../journal/call-events.ts";
import { persist } from "../journal/retry-store.ts";
import { firstDeadline } from "../journal/thread-head.ts";
import { noUsage } from "../ledger/ledger.ts";
import type { LedgerEvent } from "../ledger/ledger.ts";
import { restoration } from "../ledger/recorded.ts";
import { nextOf } from "../ledger/step.ts";
import type { AskAgain, EndRun } from "../middleware/middleware.ts";
import { asError } from "../result/thrown.ts";
import { afterTurn, ask } from "../step/ask-model.ts";
import { regateCalls, isUndecided } from "../step/propose-calls.ts";
import { callTools } from "../step/run-tools.ts";
import { settleExpired, settleOpen } from "../step/settle-calls.ts";
import { endData, endOf } from "./run.ts";
import type { RunEnd, RunOutcome } from "./run.ts";
import type { RunMode } from "./run-mode.ts";
import { limitEnding, limitReached } from "./limits.ts";
import type { Ending, Session } from "./session.ts";
import { outputOf } from "./structured-output.ts";

/** Why a run starts; `recovery`: a dead process left work, or an approval has expired. */
export type Reason = EventData["run_start"]["reason"];

/** How a run starts. Without a mode it has that of the run that it resumes. */
export interface RunStart {
  readonly reason: Reason;
  readonly mode?: RunMode | undefined;
}

/** Saves the start of a run and its first events in one commit. */
export async function beginRun(session: Session, start: RunStart, events: readonly LedgerEvent[]): Promise<void> {
  const { journal, run, setup } = session;
  const { reason, mode: given = session.mode() } = start;
  const mode = setup.mode === "read-only" ? setup.mode : given; // another agent may have begun what this one resumes
  journal.claim();
  journal.apply({ type: "begin", run: run.id, at: setup.now(), mode });
  journal.events.emitStartOnSave({ type: "run_start", data: { runId: run.id, reason, mode } });
  for (const event of events) {
    const open = openIds(journal);
    journal.apply(event);
    emitEnds(session, open);
    if (event.type === "import") emitPending(journal);
  }
  await persist(journal, setup);
}

const longestTimer = 2 ** 31 - 1;

/** Runs a thread to the end of its run, and saves that end. */
export async function finishRun(session: Session): Promise<RunEnd> {
  const { time } = session.setup.limits;
  const timer = time > longestTimer ? undefined : setTimeout(() => session.end(limitEnding("time", time)), time);
  let outcome = await runLoop(session);
  for (let steps = -1; ;) {
    const after = await afterRun(session, outcome);
    const made = session.journal.ledger().run?.steps ?? 0;
    if (after.again === undefined || made === steps) {
      clearTimeout(timer);
      return saveEnd(session, after.outcome); // also if the hook requested a turn and none was made
    }
    steps = made;
    outcome = await continueLoop(session, after.again);
  }
}

/** Milliseconds that a stopped run waits for its `afterAgent` hooks. */
const grace = 1000;

/** Runs the `afterAgent` hooks. If one fails, the run fails. */
async function afterRun(
  session: Session,
  outcome: RunOutcome,
): Promise<{ readonly outcome: RunOutcome; readonly again?: AskAgain }> {
  try {
    const returned = session.hooks()?.afterAgent(outcome);
    const again = returned instanceof Promise ? await Promise.race([returned, graceOver(session)]) : returned;
    const mayContinue = outcome.status === "done" && session.ending() === undefined;
    return mayContinue && again !== undefined ? { outcome, again } : { outcome };
  } catch (error) {
    return { outcome: { status: "failed", error: asError(error) } };
  }
}

const graceOver = (session: Session): Promise<undefined> =>
  session.over.then(() => pause(grace, undefined, { ref: false }));

async function saveEnd(session: Session, outcome: RunOutcome): Promise<RunEnd> {
  const { journal, run, setup } = session;
  const end = endOf(journal, outcome); // computed before queued messages are added to the thread
  const hasTurns = journal.ledger().run?.steps !== 0;
  const back = hasTurns ? undefined : restoration(journal.recorded(), setup.now());
  if (back !== undefined) journal.apply(back);
  journal.apply({ type: "finish", isOwing: isOwing(session) });
  const shown = { ...outcome, usage: end.usage, threadUsage: end.threadUsage, restored: back?.from };
  journal.events.emitOnSave({ type: "run_end", data: endData(run.id, shown, setup.language) });
  try {
    await persist(journal, setup);
    void setup.children.stop(
      session.abandoned,
      outcome.status === "stopped" ? (outcome.cause ?? "stopped") : "stopped",
    );
    return end;
  } catch (fault) {
    setup.logger.error({ threadId: journal.threadId, err: fault }, "The end of a run could not be saved");
    return endOf(journal, { status: "failed", error: asError(fault) });
  }
}

/** True if another run must follow, even after a crash, because the thread was not stopped. */
function isOwing(session: Session): boolean {
  const { queue } = session.journal.ledger();
  return session.owed.some((entry) => queue.includes(entry)) && session.ending()?.how !== "stopped";
}

/** True for the end of a run whose thread another process has resumed. */
export const isTakenOver = ({ error }: RunEnd): boolean => error?.is("store/conflict") === true;

/** Runs a thread until there is nothing to do, a decision is needed, or the run must end. */
const runLoop = (session: Session): Promise<RunOutcome> =>
  outcomeOf(session, async () => {
    const returned = session.hooks()?.beforeAgent();
    const end = returned instanceof Promise ? await session.orOver(returned) : returned;
    if (end !== undefined) return ended(session, endRun(session, end));
    const calls = session.journal.ledger().turn?.calls ?? [];
    if (calls.some(isUndecided)) await regateCalls(session);
    if (calls.some(({ state }) => state === "proposed")) {
      const over = applyDirective(session, await afterTurn(session)); // a dead process may not have run these hooks
      if (over !== undefined) return over;
    }
    return advance(session);
  });

/** Continues a run that a hook does not let end. */
function continueLoop(session: Session, again: AskAgain): Promise<RunOutcome> {
  session.isClosing = false;
  session.owed = []; // the next request contains these messages
  return outcomeOf(session, () => {
    askAgain(session, again);
    return advance(session);
  });
}

/** The outcome of a run. Errors become outcomes. */
async function outcomeOf(session: Session, work: () => Promise<RunOutcome>): Promise<RunOutcome> {
  try {
    return await work();
  } catch (error) {
    return ended(session, close(session, session.ending() ?? { how: "fault", error: asError(error) }));
  }
}

/** Applies the directive of a hook. Returns the outcome if it ends the run. */
function applyDirective(session: Session, directive: EndRun | AskAgain | undefined): RunOutcome | undefined {
  if (directive?.type === "end") return ended(session, endRun(session, directive));
  if (directive?.type === "again") askAgain(session, directive);
  return undefined;
}

async function advance(session: Session): Promise<RunOutcome> {
  const { journal, setup } = session;
  for (;;) {
    const output = setup.output === undefined ? undefined : await outputOf(session);
    if (output !== undefined) return ended(session, { status: "done", output: output.value });
    const ending = session.ending() ?? limitReached(session);
    if (ending !== undefined) {
      if (session.children.size > 0) await Promise.race([Promise.allSettled(session.children), graceOver(session)]);
      return ended(session, close(session, ending));
    }
    switch (nextOf(journal.ledger())) {
      case "ask": {
        const over = applyDirective(session, await ask(session));
        if (over !== undefined) return over;
        break;
      }
      case "call":
        if (isDue(session) && settleExpired(journal, setup)) await persist(journal, setup);
        else await callTools(session);
        break;
      case "wait":
        return ended(session, { status: "waiting" });
      case "rest":
        return ended(session, { status: "done" });
    }
  }
}

/** True if an approval has expired while other calls of the turn run. */
function isDue({ journal, setup }: Session): boolean {
  const deadline = firstDeadline(journal.ledger().turn?.calls ?? []);
  return deadline !== undefined && deadline <= setup.now();
}

/** Closes the run synchronously: later commands apply to the next run. */
function ended(session: Session, outcome: RunOutcome): RunOutcome {
  session.isClosing = true;
  return outcome;
}

/** Settles open calls, and returns the outcome of the run. */
function close(session: Session, ending: Ending): RunOutcome {
  settleOpen(session, ending.how === "fault" ? "stopped" : ending.how);
  if (ending.how === "fault") return { status: "failed", error: ending.error };
  if (ending.how === "superseded") return { status: "stopped", cause: "superseded" };
  return { status: "stopped", ...(ending.error !== undefined && { error: ending.error }) };
}

/** Ends a run at the request of a hook. Open calls are settled first. Queued messages are left for the next run. */
function endRun(session: Session, { text = "", error }: EndRun): RunOutcome {
  const { journal, setup } = session;
  const { queue } = journal.ledger();
  for (const entry of queue) journal.apply({ type: "withdraw", entry }); // the text does not respond to queued messages
  settleOpen(session, "stopped");
  if (text !== "") {
    const entry = {
      type: "answer" as const,
      at: setup.now(),
      model: "middleware",
      parts: [{ type: "text" as const, text }],
      finish: "stop" as const,
    };
    journal.events.emit({ type: "text_delta", data: { text } });
    journal.apply({ type: "answer", entry, calls: [], usage: noUsage });
    journal.events.emitOnSave({ type: "model_end", data: { finish: "stop", entry: journal.ledger().entries - 1 } });
  }
  for (const entry of queue) journal.apply({ type: "queue", entry });
  session.owed = queue;
  if (error !== undefined) return { status: "stopped", error };
  return { status: setup.output === undefined ? "done" : "stopped" }; // without a structured output the run is not done
}

/** Requests another turn of the model for a hook. Open calls are settled first. */
function askAgain(session: Session, { message }: AskAgain): void {
  const { journal, setup } = session;
  settleOpen(session, "stopped");
  // A run does not respond to its own turn, and a structured output would be found again.
  const isComplete = !journal.ledger().isAsking || setup.output !== undefined;
  const text = message ?? (isComplete ? continueText[setup.language] : undefined);
  if (text === undefined) return;
  journal.apply({
    type: "say",
    entry: { type: "input", by: "engine", at: setup.now(), parts: [{ type: "text", text }] },
  });
}

const continueText: Readonly<Record<Language, string>> = { en: "Go on.", zh: "请继续。" };
