import type { Language } from "#core";

import type { AskAgain, EndRun } from "../middleware/middleware.ts";
import { noUsage } from "../ledger/ledger.ts";
import type { Outcome } from "./loop.ts";
import type { Session } from "./session.ts";
import { settleOpen } from "../step/settle-open-calls.ts";

/** Ends a run at the request of a hook. Open calls are settled first. Queued messages are left for the next run. */
export function endRun(session: Session, { text = "" }: EndRun): Outcome {
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
    journal.tell({ type: "text_delta", data: { text } });
    journal.apply({ type: "answer", entry, calls: [], usage: noUsage });
    journal.note({ type: "model_end", data: { finish: "stop", entry: journal.ledger().entries - 1 } });
  }
  for (const entry of queue) journal.apply({ type: "queue", entry });
  session.owed = queue;
  return { status: setup.output === undefined ? "done" : "stopped" }; // without a structured output the run is not done
}

/** Requests another turn of the model for a hook. Open calls are settled first. */
export function askAgain(session: Session, { message }: AskAgain): void {
  const { journal, setup } = session;
  settleOpen(session, "stopped");
  // A run does not respond to its own turn, and a structured output would be found again.
  const hasAnswered = !journal.ledger().isAsking || setup.output !== undefined;
  const text = message ?? (hasAnswered ? goOn[setup.language] : undefined);
  if (text === undefined) return;
  journal.apply({
    type: "say",
    entry: { type: "input", by: "engine", at: setup.now(), parts: [{ type: "text", text }] },
  });
}

const goOn: Readonly<Record<Language, string>> = { en: "Go on.", zh: "请继续。" };
