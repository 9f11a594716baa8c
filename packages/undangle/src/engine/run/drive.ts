import { UndangleError } from "#core";

import { isSettled } from "../ledger/call.ts";
import { nextOf } from "../ledger/step.ts";
import { asError } from "./as-error.ts";
import { ask } from "./ask.ts";
import { outputOf } from "./output.ts";
import { callTools } from "./call-tools.ts";
import { noteEnds } from "./call-events.ts";
import type { RunStatus } from "../events.ts";
import { contextOf } from "./session.ts";
import type { Ending, Session } from "./session.ts";

/** How a run comes to its end. */
export interface Outcome {
  readonly status: RunStatus;
  readonly error?: Error;
  readonly output?: unknown;
}

/** Goes on with a thread until there is nothing to do, a person has to decide, or the run has to end. */
export async function drive(session: Session): Promise<Outcome> {
  const { book, setup } = session;
  try {
    const { beforeAgent } = setup.hooks;
    if (beforeAgent !== undefined) await session.orOver(beforeAgent(contextOf(session)));
    for (;;) {
      const output = setup.output === undefined ? undefined : await outputOf(session);
      if (output !== undefined) return ended(session, { status: "done", output: output.value });
      const ending = session.ending() ?? limitReached(session);
      if (ending !== undefined) return ended(session, close(session, ending));
      switch (nextOf(book.ledger())) {
        case "ask":
          await ask(session);
          break;
        case "call":
          await callTools(session);
          break;
        case "wait":
          return ended(session, { status: "waiting" });
        case "rest":
          return ended(session, { status: "done" });
      }
    }
  } catch (error) {
    return ended(session, close(session, session.ending() ?? { how: "fault", error: asError(error) }));
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
