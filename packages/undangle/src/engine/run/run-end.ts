import { errorText } from "#core";
import type { Language, UndangleError } from "#core";

import type { EventData } from "../events.ts";
import { spokenText } from "../ledger/entry.ts";
import { noUsage } from "../ledger/ledger.ts";
import { asError } from "./as-error.ts";
import type { ThreadJournal } from "../journal/thread-journal.ts";
import { pendingOf } from "../journal/call-events.ts";
import type { Outcome } from "./loop.ts";
import type { RunEnd } from "./run.ts";

/** The end of a run, with the text, pending calls and usage of its thread. */
export function endOf(journal: ThreadJournal, outcome: Outcome): RunEnd {
  const last = journal.recorded().at(-1)?.entry;
  const said = {
    text: last?.type === "answer" ? spokenText(last) : "",
    pending: pendingIn(journal),
    ...usageIn(journal),
  };
  return outcome.status === "done" ? { ...said, status: "done", output: outcome.output } : { ...said, ...outcome };
}

/** The token usage of the current run and of the whole thread. */
export function usageIn(journal: ThreadJournal): Pick<RunEnd, "usage" | "threadUsage"> {
  const { run, usage } = journal.ledger();
  return { usage: run?.usage ?? noUsage, threadUsage: usage };
}

const pendingIn = (journal: ThreadJournal): RunEnd["pending"] =>
  (journal.ledger().turn?.calls ?? []).filter(({ state }) => state === "awaiting").map(pendingOf);

/** The end of a run that could not start. */
export function neverBegun(reason: unknown, journal: ThreadJournal | undefined, isStopped: boolean): RunEnd {
  const pending = journal === undefined ? [] : pendingIn(journal);
  const ended = { text: "", pending, usage: noUsage, threadUsage: journal?.ledger().usage ?? noUsage };
  return isStopped ? { status: "stopped", ...ended } : { status: "failed", ...ended, error: asError(reason) };
}

/** The data of the `run_end` event. */
export function endData(
  runId: string,
  {
    status,
    error,
    cause,
    usage,
    threadUsage,
    restored,
  }: Pick<EventData["run_end"], "status" | "cause" | "usage" | "threadUsage"> & {
    readonly error?: UndangleError | undefined;
    readonly restored?: number | undefined;
  },
  language: Language,
): EventData["run_end"] {
  const told = error === undefined ? undefined : { code: error.code, message: errorText(error, language) };
  return {
    runId,
    status,
    ...(told !== undefined && { error: told }),
    ...(cause !== undefined && { cause }),
    usage,
    threadUsage,
    ...(restored !== undefined && { restored }),
  };
}
