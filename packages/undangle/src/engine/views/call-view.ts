import { copyJson, isTooDeep, rejections } from "#core";

import { shownText, readArguments } from "../arguments-text.ts";
import type { CallView, ProposedCall, ShownDecision, EventData, PendingCall, ToolCallEnd } from "../events.ts";
import { isSettled, present } from "../ledger/call.ts";
import type { LedgerCall, CallText, OutcomePart } from "../ledger/call.ts";
import { noticeOf } from "../ledger/project.ts";

/** A call for display, in any state. */
export function callView(call: LedgerCall, language: "en" | "zh"): CallView {
  const { id, name, raw, state, allowance, proposed, child, startedAt, endedAt } = call;
  const { result, error } = isSettled(call) ? outcomeView(call, language) : {};
  return {
    id,
    name,
    arguments: readable(raw),
    ...shownText(raw),
    status: state,
    ...present({ decision: shownDecision(call) }),
    ...shownProposal(proposed),
    ...present({ allowance: allowance && { ...allowance }, thread: child?.thread, result, error, startedAt, endedAt }),
  };
}

/** The decision about a call, for display. */
export function shownDecision({ decision }: Pick<LedgerCall, "decision">): ShownDecision | undefined {
  if (decision === undefined) return undefined;
  const { type, at, by, reason, proposed, always } = decision;
  return {
    type,
    at,
    ...present({ by, reason }),
    ...shownProposal(proposed),
    ...present({ always: always && { ...always } }),
  };
}

/** The original call, if something else runs. */
const shownProposal = (proposed: CallText | undefined): { readonly proposed?: ProposedCall } =>
  proposed === undefined ? {} : { proposed: { name: proposed.name, arguments: readable(proposed.raw) } };

/** Parsed arguments, or their text if they are invalid or nested too deeply to be copied and written again. */
export function readable(raw: string): unknown {
  if (isTooDeep(raw)) return raw;
  try {
    const { value, isFinite } = readArguments(raw);
    return isFinite ? value : raw;
  } catch {
    return raw; // such a call never runs
  }
}

/** The `tool_call_end` data of a settled call. */
export function endView(call: LedgerCall, language: "en" | "zh"): ToolCallEnd {
  const decision = shownDecision(call);
  const end = outcomeView(call, language);
  const outcome = end.userRejected === true ? { ...end, error: rejections[language] } : end;
  return { ...outcome, ...present({ decision, endedAt: call.endedAt }), ...shownProposal(call.proposed) };
}

/** The end of a call, with the result for the model. */
function outcomeView(call: LedgerCall, language: "en" | "zh"): ToolCallEnd {
  const { id, name, state, outcome } = call;
  const status = state as ToolCallEnd["status"]; // the call is settled
  const isError = outcome?.type === "result" && outcome.isError; // a person may respond with an error
  const success = state === "succeeded" || (state === "responded" && !isError);
  if (outcome?.type === "notice") {
    const error = noticeOf(call, outcome, language);
    return { id, name, success, status, error, ...(state === "rejected" && { userRejected: true as const }) };
  }
  const content = outcome === undefined ? "" : shown(outcome.parts);
  return success
    ? { id, name, success, status, result: content }
    : { id, name, success, status, error: typeof content === "string" ? content : JSON.stringify(content) };
}

/** A single text as it is, other content as a copy of its parts. */
const shown = (parts: readonly OutcomePart[]): unknown =>
  parts.length === 1 && parts[0]?.type === "text" ? parts[0].text : copyJson(parts);

/** The pending calls of a thread and of its children that wait, without those that have expired. */
export function pendingCalls(calls: readonly LedgerCall[], now = -Infinity): readonly PendingCall[] {
  return calls
    .flatMap((call) => (call.state === "awaiting" ? [pendingView(call)] : pendingInChild(call)))
    .filter(({ deadline = Infinity }) => deadline > now);
}

/** The pending calls of a child thread that waits, without those that were decided since. */
function pendingInChild(call: LedgerCall): readonly PendingCall[] {
  if (isSettled(call) || call.state === "running") return [];
  const { pending = [] } = call.child ?? {};
  return pending.filter(({ id }) => !isDecidedInChild(call, id)).map((each) => fromChild(call, copyJson(each)));
}

/** True for a call of a child thread that is decided, while the child has not received the decision. */
export const isDecidedInChild = ({ child }: Pick<LedgerCall, "child">, id: string): boolean =>
  child?.decisions?.some(({ decisions }) => Object.hasOwn(decisions, id)) === true;

/** A pending call of a child thread, as its parent shows it. */
export const fromChild = ({ id, name }: Pick<LedgerCall, "id" | "name">, pending: PendingCall): PendingCall => ({
  ...pending,
  id: `${id}/${pending.id}`,
  path: `${name}#${id} > ${pending.path ?? pending.name}`,
});

/** A pending call, for a person. */
export function pendingView({ id, name, raw, gate }: LedgerCall): PendingCall {
  const { deadline, since, agent, rule, display } = gate ?? {};
  return {
    id,
    name,
    arguments: readable(raw),
    ...shownText(raw),
    digest: gate?.digest ?? "",
    decisions: [...(gate?.decisions ?? [])], // a copy, because the ledger keeps its own
    ...present({ deadline, since, agent }),
    always: [...(gate?.always ?? [])],
    ...(rule !== undefined && { rule: copyJson(rule) }),
    ...(display !== undefined && copyJson(display)),
  };
}

/** The start of a call, with its decision or allowance and the changes of hooks. */
export function startView(call: LedgerCall, attempt: number): EventData["tool_call_running"] {
  const { id, name, raw, allowance, proposed, startedAt } = call;
  const decision = shownDecision(call);
  const start = { id, name, attempt, ...present({ startedAt }) };
  const by = allowance === undefined ? {} : { allowance: { ...allowance } };
  if (proposed !== undefined) return { ...start, arguments: readable(raw), ...shownProposal(proposed), ...by };
  if (allowance !== undefined) return { ...start, ...by };
  if (decision === undefined) return start;
  return { ...start, decision, ...(decision.type === "edit" && { arguments: readable(raw) }) };
}
