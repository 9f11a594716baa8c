import { UndangleError } from "#core";

import { isSettled } from "../ledger/call.ts";
import { nextOf } from "../ledger/step.ts";
import type { AskAgain } from "../middleware/middleware.ts";
import { asError } from "./as-error.ts";
import { afterAnswer, ask } from "./ask.ts";
import { holdUp } from "./hold-up.ts";
import { askAgain, endRun } from "./obey.ts";
import { outputOf } from "./output.ts";
import { callTools } from "./call-tools.ts";
import { noteEnds } from "./call-events.ts";
import { applyEnds } from "./ended-calls.ts";
import type { Ending, Session } from "./session.ts";

/** How a run comes to its end. */
export type Outcome =
  | { readonly status: "done"; readonly output?: unknown }
  | { readonly status: "waiting" }
  | { readonly status: "stopped"; readonly error?: UndangleError }
  | { readonly status: "failed"; readonly error: UndangleError };

/** Goes on with a thread until there is nothing to do, a person has to decide, or the run has to end. */
export async function drive(session: Session): Promise<Outcome> {
  const { book } = session;
  try {
    const said = session.hooks()?.beforeAgent();
    const end = said instanceof Promise ? await session.orOver(said) : said;
    if (end !== undefined) return ended(session, endRun(session, end));
    if (book.ledger().turn?.calls.some(({ state }) => state === "proposed") === true) {
      await holdUp(session);
      const judged = await afterAnswer(session); // a dead process may not have come to that
      if (judged?.type === "end") return ended(session, endRun(session, judged));
      if (judged?.type === "again") askAgain(session, judged);
    }
    return await goOn(session);
  } catch (error) {
    return ended(session, close(session, session.ending() ?? { how: "fault", error: asError(error) }));
  }
}

/** The same for a run that a hook does not let end. */
export async function driveOn(session: Session, again: AskAgain): Promise<Outcome> {
  session.isClosing = false;
  try {
    askAgain(session, again);
    return await goOn(session);
  } catch (error) {
    return ended(session, close(session, session.ending() ?? { how: "fault", error: asError(error) }));
  }
}

async function goOn(session: Session): Promise<Outcome> {
  const { book, setup } = session;
  for (;;) {
    const output = setup.output === undefined ? undefined : await outputOf(session);
    if (output !== undefined) return ended(session, { status: "done", output: output.value });
    const ending = session.ending() ?? limitReached(session);
    if (ending !== undefined) return ended(session, close(session, ending));
    switch (nextOf(book.ledger())) {
      case "ask": {
        const said = await ask(session);
        if (said?.type === "end") return ended(session, endRun(session, said));
        if (said?.type === "again") askAgain(session, said);
        break;
      }
      case "call":
        await callTools(session);
        break;
      case "wait":
        return ended(session, { status: "waiting" });
      case "rest":
        return ended(session, { status: "done" });
    }
  }
}

/** Nothing more is taken up: whatever comes from this moment on is for the next run. */
function ended(session: Session, outcome: Outcome): Outcome {
  session.isClosing = true;
  return outcome;
}

/** Settles what is open. */
function close(session: Session, ending: Ending): Outcome {
  const { book } = session;
  applyEnds(session); // they keep their results
  const open = book.ledger().turn?.calls.filter((call) => !isSettled(call)) ?? [];
  if (open.length > 0) {
    book.apply({ type: "close", how: ending.how === "fault" ? "stopped" : ending.how });
    noteEnds(
      session,
      open.map(({ id }) => id),
    );
  }
  for (const controller of session.running.values()) controller.abort();
  if (ending.how === "fault") return { status: "failed", error: ending.error };
  return { status: "stopped", ...(ending.error !== undefined && { error: ending.error }) };
}

/** A limit that the run has come to before its next answer. */
function limitReached({ book, isOverCalls, setup: { limits } }: Session): Ending | undefined {
  const { run, isAsking } = book.ledger();
  if (run === undefined || !isAsking) return undefined;
  if (run.steps >= limits.steps) return limit("steps", limits.steps);
  if (isOverCalls) return limit("calls", limits.calls);
  if (run.tokens >= limits.tokens) return limit("tokens", limits.tokens);
  if (run.faulty >= limits.faulty)
    return { how: "fault", error: new UndangleError("model/faulty", { answers: run.faulty }) };
  return undefined;
}

export const limit = (name: string, value: number): Ending => ({
  how: "limit",
  error: new UndangleError("run/limit", { limit: name, value }),
});
