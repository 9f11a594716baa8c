import { setTimeout as pause } from "node:timers/promises";

import { UndangleError } from "#core";

import type { EventData } from "../events.ts";
import type { LedgerEvent } from "../ledger/ledger.ts";
import { noteEnds, openIds } from "./call-events.ts";
import { drive, limit } from "./drive.ts";
import type { Outcome } from "./drive.ts";
import { asError } from "./as-error.ts";
import { codeOf, endOf } from "./run-end.ts";
import type { RunEnd } from "./run.ts";
import { contextOf } from "./session.ts";
import type { Session } from "./session.ts";
import { persist } from "./store-fault.ts";

/** Why a run begins; `recovery`: a dead process left something to do, or an approval has expired. */
export type Reason = EventData["run_start"]["reason"];

/** Takes down that a run begins, and what it begins with, all at once. */
export async function beginRun(session: Session, reason: Reason, events: readonly LedgerEvent[]): Promise<void> {
  const { book, run, setup } = session;
  book.claim();
  book.apply({ type: "begin", run: run.id, at: setup.now() });
  book.note({ type: "run_start", data: { runId: run.id, reason } });
  for (const event of events) {
    const open = openIds(book);
    book.apply(event);
    noteEnds(session, open);
  }
  await persist(book, setup);
}

const longestTimer = 2 ** 31 - 1;

/** Lets a run come to its end, and takes that down. */
export async function finishRun(session: Session): Promise<RunEnd> {
  const { time } = session.setup.limits;
  const timer = time > longestTimer ? undefined : setTimeout(() => session.end(limit("time", time)), time);
  const outcome = await drive(session);
  clearTimeout(timer);
  return saveEnd(session, await afterRun(session, outcome));
}

/** How long what comes after a run that was stopped is waited for. */
const grace = 1000;

/** Runs what comes after a run; when that fails, the run has. */
async function afterRun(session: Session, outcome: Outcome): Promise<Outcome> {
  const { afterAgent } = session.setup.hooks;
  if (afterAgent === undefined) return outcome;
  const patience = session.over.then(() => pause(grace, undefined, { ref: false }));
  try {
    await Promise.race([afterAgent({ ...contextOf(session), status: outcome.status }), patience]);
    return outcome;
  } catch (error) {
    return { status: "failed", error: asError(error) };
  }
}

async function saveEnd({ book, run, setup }: Session, outcome: Outcome): Promise<RunEnd> {
  book.apply({ type: "finish" });
  const { status, error } = outcome;
  const told = error === undefined ? {} : { error: { code: codeOf(error), message: error.message } };
  book.note({ type: "run_end", data: { runId: run.id, status, ...told, usage: book.ledger().usage } });
  try {
    await persist(book, setup);
    return endOf(book, outcome);
  } catch (fault) {
    setup.logger.error({ threadId: book.threadId, err: fault }, "The end of a run could not be saved");
    return endOf(book, { status: "failed", error: asError(fault) });
  }
}

/** True for the end of a run whose thread somebody else has gone on with. */
export const isTakenOver = ({ error }: RunEnd): boolean => error instanceof UndangleError && error.is("store/conflict");
