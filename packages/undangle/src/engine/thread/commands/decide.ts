import type { Language } from "#core";

import { addAgentAllowances } from "../../approvals/allowances.ts";
import type { AgentAllowance } from "../../approvals/allowances.ts";
import { resolveTree } from "../../children/tree-decisions.ts";
import type { TreeDecisions } from "../../children/tree-decisions.ts";
import { shownText } from "../../arguments-text.ts";
import { emitEnds } from "../../journal/call-events.ts";
import { retryStore } from "../../journal/retry-store.ts";
import type { ThreadJournal } from "../../journal/thread-journal.ts";
import type { InputEntry } from "../../ledger/entry.ts";
import type { AppliedDecision, LedgerEvent } from "../../ledger/ledger.ts";
import type { LiveRun } from "../../run/run.ts";
import { refuseOverLimit } from "../../run/run-mode.ts";
import type { RunMode } from "../../run/run-mode.ts";
import type { Session } from "../../run/session.ts";
import { readable } from "../../views/call-view.ts";
import type { ThreadActor } from "../thread-actor.ts";
import { describeEvents, requestRun } from "./request.ts";
import type { StartOptions } from "./request.ts";
import { inputParts } from "./send.ts";
import type { Input } from "./send.ts";

export interface DecideOptions extends StartOptions {
  /** The person who decides. */
  readonly by?: string | undefined;
  /** A message saved in the same commit as the decisions. The model reads it after the results of all calls. */
  readonly input?: Input | undefined;
  /** The widest mode that the sender of the message may give. A message that would join a wider run is refused. */
  readonly maxMode?: RunMode | undefined;
}

/** Decisions, or a promise of them. They may depend on the pending calls. */
export type MakeDecisions = (journal: ThreadJournal) => unknown;

/** Decides pending calls. If one decision is invalid, none is applied and the run fails. */
export const decide = (actor: ThreadActor, decisions: MakeDecisions, options: DecideOptions): LiveRun =>
  requestDecision(actor, decisions, options).run;

/** Like `decide`. `performed` resolves when the decisions are saved or refused. */
export function requestDecision(
  actor: ThreadActor,
  decisions: MakeDecisions,
  { by, signal, describe, input, maxMode }: DecideOptions,
): ReturnType<typeof requestRun> {
  const { setup, thread, mailbox } = actor;
  return requestRun(actor, { signal, isDecision: true }, async (request) => {
    const { run } = request;
    const messages: readonly InputEntry[] =
      input === undefined ? [] : [{ type: "input", at: setup.now(), parts: inputParts(input) }];
    const described = describeEvents(describe);
    const queued = messages.map((entry) => ({ type: "queue" as const, entry }));
    for (;;) {
      const session = await thread.acceptingSession();
      const journal = await thread.open();
      if (input !== undefined) refuseOverLimit(journal.ledger().mode ?? setup.mode, { own: setup.mode, maxMode });
      const evaluated = currentDecisions(actor, journal, { decisions, by });
      const ends = session === undefined ? [] : [session.over];
      const resolved = await mailbox.whileWaiting(Promise.race([evaluated, request.cancelled, ...ends]));
      if (request.isCancelled()) return;
      if (resolved === undefined) await thread.over();
      if (resolved === undefined || session?.isClosing === true) continue; // the pending calls may be settled by now
      const { own: applied } = resolved;
      const events = decisionEvents(resolved, by);
      const allowances = applied.flatMap(({ always }) => (always === undefined ? [] : [always.allowance.id]));
      if (session === undefined) {
        const saved = allowances.length === 0 ? undefined : (begun: Session) => allowForAgent(begun, applied);
        await thread.begin(run, { reason: "decision" }, [...described, ...queued, ...events], saved);
      } else {
        const from = session.run.log.mark();
        for (const each of [...queued, ...events]) journal.apply(each);
        for (const entry of messages) session.queued.set(entry, run);
        emitEnds(
          session,
          applied.map(({ id }) => id),
        );
        const undo = (): void => {
          for (const entry of messages) journal.unsend(entry);
          journal.apply({ type: "revoke", ids: allowances });
        };
        await thread.saveOrForget(journal, session, { held: described, undo });
        for (const { call } of resolved.children) session.deciding.get(call.id)?.();
        run.join(session.run, from); // the current run emits the results; before the save, a repeated command would be over
        if (allowances.length > 0) await session.orOver(allowForAgent(session, applied));
        session.wake();
      }
      logDecisions(actor, applied, by);
      return;
    }
  });
}

/** Decisions that are valid when this resolves: a call may be settled while the rules of others are evaluated. */
async function currentDecisions(
  actor: ThreadActor,
  journal: ThreadJournal,
  { decisions, by }: { readonly decisions: MakeDecisions; readonly by: string | undefined },
): Promise<TreeDecisions> {
  for (;;) {
    const { turn } = journal.ledger();
    const resolved = await resolveTree(actor, journal, { decisions: await decisions(journal), by });
    if (journal.ledger().turn === turn) return resolved;
  }
}

/** The ledger events of decisions. A call that waits for its child thread starts again, and hands its decisions on. */
function decisionEvents({ own, children }: TreeDecisions, by: string | undefined): readonly LedgerEvent[] {
  const resumed = children.map(({ call: { id }, decisions }) => ({
    id,
    decisions: { decisions, ...(by !== undefined && { by }) },
  }));
  return [
    ...(own.length === 0 ? [] : [{ type: "decide" as const, decisions: own }]),
    ...(resumed.length === 0 ? [] : [{ type: "resume" as const, calls: resumed }]),
  ];
}

/**
 * Applies allowances to all threads of the agent. The decisions are saved first: if this fails, or the process ends in
 * between, they still apply to their own calls, and the next call needs a decision again.
 */
async function allowForAgent(
  { journal, setup }: Pick<Session, "journal" | "setup">,
  decisions: readonly AppliedDecision[],
): Promise<void> {
  const { name, store, logger, language } = setup;
  const { threadId } = journal;
  const more = decisions.flatMap(({ id, always }): readonly AgentAllowance[] => {
    if (always?.scope !== "agent") return [];
    const { raw } = journal.callOf(id) ?? {};
    const isShown = always.match === "arguments" && raw !== undefined;
    return [{ ...always.allowance, thread: threadId, ...(isShown && { arguments: readable(raw), ...shownText(raw) }) }];
  });
  if (more.length === 0 || name === undefined) return;
  try {
    await retryStore(setup, threadId, () => addAgentAllowances(store, name, more));
  } catch (error) {
    logger.warn({ threadId, agent: name, err: error }, "What was allowed for the agent could not be saved");
    for (const { call, tool } of more)
      journal.events.emitOnSave({ type: "warning", data: { id: call, message: notAllowed[language](tool) } });
  }
}

const notAllowed: Readonly<Record<Language, (tool: string) => string>> = {
  en: (tool) => `${tool} was approved this once: that it is allowed from now on could not be saved`,
  zh: (tool) => `${tool} 仅本次获准：“始终允许”未能保存`,
};

function logDecisions(
  { threadId, setup: { logger } }: ThreadActor,
  applied: readonly AppliedDecision[],
  by: string | undefined,
): void {
  const rejected = applied.filter(({ type }) => type === "reject").length;
  if (rejected > 0)
    logger.info({ threadId, rejected, by }, `Rejected ${rejected} ${rejected === 1 ? "call" : "calls"}`);
  for (const { always } of applied) {
    if (always === undefined) continue;
    const { scope, match, allowance } = always;
    logger.info({ threadId, tool: allowance.tool, scope, match, by }, "Allowed from now on");
  }
}
