import { UndangleError } from "#core";
import type { Language } from "#core";

import { persist } from "../journal/retry-store.ts";
import { firstDeadline } from "../journal/thread-head.ts";
import { noUsage } from "../ledger/ledger.ts";
import { nextOf } from "../ledger/step.ts";
import type { AskAgain, EndRun } from "../middleware/middleware.ts";
import { asError } from "../result/thrown.ts";
import { afterTurn, ask } from "../step/ask-model.ts";
import { regateCalls, isUndecided } from "../step/propose-calls.ts";
import { callTools } from "../step/run-tools.ts";
import { settleExpired, settleOpen } from "../step/settle-calls.ts";
import type { RunOutcome } from "./run.ts";
import type { Ending, Session } from "./session.ts";
import { outputOf } from "./structured-output.ts";

/** Runs a thread until there is nothing to do, a decision is needed, or the run must end. */
export const runLoop = (session: Session): Promise<RunOutcome> =>
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
export function continueLoop(session: Session, again: AskAgain): Promise<RunOutcome> {
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
    if (ending !== undefined) return ended(session, close(session, ending));
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

/** The limit that the run has reached before its next turn, or before it would wait for a decision. */
function limitReached({ journal, isOverCalls, setup: { limits } }: Session): Ending | undefined {
  const ledger = journal.ledger();
  const { run, isAsking } = ledger;
  if (isOverCalls && nextOf(ledger) === "wait") return limit("calls", limits.calls);
  if (run === undefined || !isAsking) return undefined;
  if (run.steps >= limits.steps) return limit("steps", limits.steps);
  if (isOverCalls) return limit("calls", limits.calls);
  if (run.usage.totalTokens >= limits.tokens) return limit("tokens", limits.tokens);
  if (run.faulty >= limits.faulty)
    return { how: "fault", error: new UndangleError("model/faulty", { answers: run.faulty }) };
  return undefined;
}

export const limit = (name: string, value: number): Ending => ({
  how: "limit",
  error: new UndangleError("run/limit", { limit: name, value }),
});

/** Ends a run at the request of a hook. Open calls are settled first. Queued messages are left for the next run. */
function endRun(session: Session, { text = "" }: EndRun): RunOutcome {
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
    journal.emit({ type: "text_delta", data: { text } });
    journal.apply({ type: "answer", entry, calls: [], usage: noUsage });
    journal.emitOnSave({ type: "model_end", data: { finish: "stop", entry: journal.ledger().entries - 1 } });
  }
  for (const entry of queue) journal.apply({ type: "queue", entry });
  session.owed = queue;
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
