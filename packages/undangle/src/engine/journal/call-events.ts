import { copyJson, rejections } from "#core";

import { shownText } from "../arguments-text.ts";
import { isSettled } from "../ledger/call.ts";
import type { LedgerCall, OutcomePart } from "../ledger/call.ts";
import { noticeOf } from "../ledger/project.ts";
import type { EventData, PendingCall, ToolCallEnd } from "../events.ts";
import type { ThreadJournal } from "./thread-journal.ts";
import { readable, shownDecision, shownProposal } from "../views/decision-view.ts";
import type { Session } from "../run/session.ts";

/** Emits the ends of calls when they are saved. */
export function noteEnds({ journal, setup }: Pick<Session, "journal" | "setup">, ids: readonly string[]): void {
  for (const id of ids) {
    const call = journal.callOf(id);
    if (call !== undefined && isSettled(call))
      journal.note({ type: "tool_call_end", data: endOf(call, setup.language) });
  }
}

/** Emits pending calls when they are saved. */
export function notePending(journal: ThreadJournal): void {
  for (const call of journal.ledger().turn?.calls ?? []) {
    if (call.state === "awaiting") journal.note({ type: "approval_required", data: pendingOf(call) });
  }
}

/** The calls of a thread that are not settled. */
export const openIds = (journal: ThreadJournal): readonly string[] =>
  journal
    .ledger()
    .turn?.calls.filter((call) => !isSettled(call))
    .map(({ id }) => id) ?? [];

/** The `tool_call_end` data of a settled call. */
export function endOf(call: LedgerCall, language: "en" | "zh"): ToolCallEnd {
  const decision = shownDecision(call);
  const told = outcomeOf(call, language);
  const outcome = told.userRejected === true ? { ...told, error: rejections[language] } : told;
  if (decision === undefined && call.proposed === undefined) return outcome;
  return { ...outcome, ...(decision !== undefined && { decision }), ...shownProposal(call.proposed) };
}

/** The end of a call, with the result for the model. */
export function outcomeOf(call: LedgerCall, language: "en" | "zh"): ToolCallEnd {
  const { id, name, state, outcome } = call;
  const status = state as ToolCallEnd["status"]; // the call is settled
  const isError = outcome?.type === "result" && outcome.isError; // a person may respond with an error
  const success = state === "succeeded" || (state === "responded" && !isError);
  if (outcome?.type === "notice") {
    const error = noticeOf(call, outcome, language);
    return { id, name, success, status, error, ...(state === "rejected" && { userRejected: true as const }) };
  }
  const told = outcome === undefined ? "" : shown(outcome.parts);
  return success
    ? { id, name, success, status, result: told }
    : { id, name, success, status, error: typeof told === "string" ? told : JSON.stringify(told) };
}

/** A single text as it is, other content as a copy of its parts. */
const shown = (parts: readonly OutcomePart[]): unknown =>
  parts.length === 1 && parts[0]?.type === "text" ? parts[0].text : copyJson(parts);

/** A pending call, for a person. */
export function pendingOf({ id, name, raw, gate }: LedgerCall): PendingCall {
  return {
    id,
    name,
    arguments: readable(raw),
    ...shownText(raw),
    digest: gate?.digest ?? "",
    decisions: [...(gate?.decisions ?? [])], // a copy, because the ledger keeps its own
    ...(gate?.deadline !== undefined && { deadline: gate.deadline }),
    always: [...(gate?.always ?? [])],
    ...(gate?.display !== undefined && copyJson(gate.display)),
  };
}

/** The start of a call, with its decision or allowance and the changes of hooks. */
export function startOf(call: LedgerCall, attempt: number): EventData["tool_call_running"] {
  const { id, name, raw, allowance, proposed } = call;
  const decision = shownDecision(call);
  if (proposed !== undefined)
    return {
      id,
      name,
      attempt,
      arguments: readable(raw),
      ...shownProposal(proposed),
      ...(allowance !== undefined && { allowance: { ...allowance } }),
    };
  if (allowance !== undefined) return { id, name, attempt, allowance: { ...allowance } };
  if (decision === undefined) return { id, name, attempt };
  return { id, name, attempt, decision, ...(decision.type === "edit" && { arguments: readable(raw) }) };
}
