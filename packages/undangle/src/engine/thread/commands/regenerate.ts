import { UndangleError } from "#core";

import { refuseChild, restingChildren } from "../../children/child-thread.ts";
import { retraction } from "../../ledger/recorded.ts";
import type { LiveRun } from "../../run/run.ts";
import { isOverLimit } from "../../run/run-mode.ts";
import type { RunMode } from "../../run/run-mode.ts";
import type { ThreadActor } from "../thread-actor.ts";
import { describeEvents, startRun } from "./request.ts";
import type { StartOptions } from "./request.ts";

export interface RegenerateOptions extends StartOptions {
  /** The widest mode that the caller may give. If the run before it had a wider one, the run has the mode of the agent. */
  readonly maxMode?: RunMode | undefined;
}

/** Requests another response, without the last turn if it had no effects. */
export function regenerate(actor: ThreadActor, { signal, describe, maxMode }: RegenerateOptions): LiveRun {
  const { threadId, setup, thread } = actor;
  return startRun(actor, { signal }, async ({ run }) => {
    refuseChild(await thread.open());
    await thread.endRun("superseded");
    const journal = await thread.open();
    const { turn, queue, mode = setup.mode } = journal.ledger();
    const events = retraction(journal.recorded(), setup.now());
    if (events === undefined) throw new UndangleError("thread/empty", { threadId });
    const children = restingChildren(journal, setup);
    const { mode: own } = setup;
    await thread.begin(run, { reason: "regenerate", mode: isOverLimit(mode, { own, maxMode }) ? own : mode }, [
      ...describeEvents(describe),
      ...queue.map((entry) => ({ type: "withdraw" as const, entry })), // later messages come after it
      ...(turn === undefined ? [] : [{ type: "close" as const, how: "stopped" as const, at: setup.now() }]),
      ...events,
      ...queue.map((entry) => ({ type: "say" as const, entry })),
    ]);
    void setup.children.stop(children, "stopped");
  });
}
