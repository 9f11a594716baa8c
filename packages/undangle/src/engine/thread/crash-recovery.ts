import { errorText, UndangleError } from "#core";

import { emitEnds } from "../journal/call-events.ts";
import type { ThreadJournal } from "../journal/thread-journal.ts";
import { endData, usageIn } from "../run/run.ts";
import type { Setup } from "../run/setup.ts";

/**
 * Settles what a dead process left. Calls that had started are lost, unless their tools may run twice. Calls that had
 * not started may still start. A partly streamed turn is discarded.
 */
export function settleCrash(
  journal: ThreadJournal,
  setup: Setup,
  owner: string,
): Readonly<Record<"lost" | "again", number>> {
  const { turn, run, isAsking } = journal.ledger();
  const started = turn?.calls.filter(({ state }) => state === "running") ?? [];
  const again = started.filter(({ name }) => setup.tools.get(name)?.idempotent === true).map(({ id }) => id);
  const lost = started.map(({ id }) => id).filter((id) => !again.includes(id));
  if (again.length > 0) journal.apply({ type: "reclaim", ids: again, hasBegun: true });
  if (lost.length > 0) journal.apply({ type: "close", how: "crashed", ids: lost });
  emitEnds({ journal, setup }, lost);
  const error = new UndangleError("run/crashed", { owner });
  if (isAsking) journal.emitOnSave({ type: "model_discarded", data: { reason: errorText(error, setup.language) } });
  const used = usageIn(journal);
  journal.apply({ type: "finish" });
  if (run !== undefined)
    journal.emitOnSave({
      type: "run_end",
      data: endData(run.id, { status: "failed", error, ...used }, setup.language),
    });
  return { lost: lost.length, again: again.length };
}
