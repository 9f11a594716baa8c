import { setTimeout as pause } from "node:timers/promises";

import { validateText } from "../arguments-text.ts";
import type { Denied } from "../approvals/deny-rules.ts";
import { digestOf } from "../approvals/digest.ts";
import type { GatedCall } from "../approvals/rules.ts";
import type { LedgerCall } from "../ledger/call.ts";
import { silent } from "../logger.ts";
import { toolError } from "../tool-result.ts";
import type { Tool } from "../tool.ts";
import { createAbortable } from "../run/abortable.ts";
import type { Abortable } from "../run/abortable.ts";
import { attemptCall } from "./attempt-tool.ts";
import type { Attempt, Attempted, Ended } from "./attempt-tool.ts";
import { startOf } from "../journal/call-events.ts";
import { changedCall, deniedCall, invalidArguments, unknownTool } from "./error-outcomes.ts";
import { keepEnd, saveEnds } from "./collect-results.ts";
import { availableTools } from "./guard-tool.ts";
import { readable } from "../views/decision-view.ts";
import type { Session } from "../run/session.ts";

/**
 * Runs the tool of a call. An asynchronous result is saved when it is known; the caller saves synchronous results with
 * `saveEnds`.
 */
export function executeCall(session: Session, call: LedgerCall): void {
  const { journal, setup } = session;
  const begin = performance.now();
  const abortable = createAbortable();
  if (session.ending() !== undefined) abortable.abort(session.signal.reason); // another call of the turn has stopped the run
  if (setup.logger !== silent && session.hooks()?.isAroundTools !== true) {
    const { id: callId, name: tool, raw } = call;
    setup.logger.info({ threadId: journal.threadId, callId, tool, arguments: raw }, "Tool started");
  }
  const ended = run(session, call, abortable);
  if (ended instanceof Promise) void settle(session, call, { ended, abortable, begin });
  else keepEnd(session, call, ended, begin);
}

/** A call whose tool is running. */
interface Running {
  readonly ended: Promise<Ended>;
  readonly abortable: Abortable;
  readonly begin: number;
}

async function settle(session: Session, call: LedgerCall, { ended, abortable, begin }: Running): Promise<void> {
  const { running } = session;
  running.set(call.id, abortable);
  if (session.ending() !== undefined) abortable.abort(session.signal.reason); // the tool has stopped the run itself
  const end = await ended.catch((error: unknown) => failed(session, error));
  running.delete(call.id);
  keepEnd(session, call, end, begin);
  if (session.ended.length !== 1) return; // another save is pending, or it was settled before
  await Promise.resolve(); // collects calls that end at the same time
  await saveEnds(session);
  session.wake();
}

/** The outcome of a tool that was not created by `tool()`. Other tools never throw here. */
const failed = ({ setup }: Session, error: unknown): Ended => ({
  state: "failed",
  outcome: { type: "result", ...toolError(error, setup.language) },
});

/** The outcome of a call. Synchronous if its tool and schema are. */
function run(session: Session, call: LedgerCall, abortable: Abortable): Ended | Promise<Ended> {
  try {
    return check(session, call, abortable);
  } catch (error) {
    return failed(session, error);
  }
}

function check(session: Session, call: LedgerCall, abortable: Abortable): Ended | Promise<Ended> {
  const { tools, language } = session.setup;
  const { name, raw } = call.proposed ?? call; // hooks get the proposed call, also on a retry
  if (call.decision !== undefined && call.decision.digest !== digestOf(call.name, call.raw))
    return { state: "failed", outcome: changedCall(call.name, language) };
  const tool = tools.get(name);
  if (tool === undefined) {
    const available = availableTools(session.setup, session.journal.openAnswer()?.hidden ?? []);
    return { state: "failed", outcome: unknownTool(name, available, language) };
  }
  const validated = validatedArguments(session, { id: call.id, name, raw }, tool);
  const permitted = (found: Validated): Ended | Promise<Ended> => {
    const denied = session.setup.deny?.(gatedCall(session, { id: call.id, name, raw })); // rules may have changed since it was proposed
    const judged = (by: Denied | undefined): Ended | Promise<Ended> =>
      by === undefined
        ? start(session, { tool, call, abortable }, found)
        : { state: "failed", outcome: deniedCall(name, by.reason, language) };
    return denied instanceof Promise ? denied.then(judged) : judged(denied);
  };
  return validated instanceof Promise ? validated.then(permitted) : permitted(validated);
}

/** A call as rules see it. */
const gatedCall = ({ journal }: Session, { id, name, raw }: Pick<LedgerCall, "id" | "name" | "raw">): GatedCall => ({
  id,
  name,
  arguments: readable(raw) as GatedCall["arguments"], // only complete calls run
  threadId: journal.threadId,
});

function start(
  session: Session,
  { tool, call, abortable }: Pick<Attempt, "tool" | "call" | "abortable">,
  validated: Validated,
): Ended | Promise<Ended> {
  if (!validated.ok)
    return { state: "failed", outcome: invalidArguments(tool.name, validated.problems, session.setup.language) };
  const given = { tool, call, attempt: call.attempts, abortable, args: validated.value };
  const first = attemptCall(session, given);
  const isOver = !(first instanceof Promise) && !mayRetry(session, first, given);
  return isOver || tool.retries.times === 0 ? first : retried(session, given, first);
}

type Validated = Awaited<ReturnType<Tool["validate"]>>;

/** A tool that a hook substituted is not retried. */
const mayRetry = (
  { journal }: Session,
  { state, isFinal }: Attempted,
  { tool, call }: Pick<Attempt, "tool" | "call">,
): boolean =>
  isFinal !== true &&
  (state === "failed" || (state === "timed-out" && tool.idempotent)) &&
  journal.callOf(call.id)?.name === tool.name;

/** Retries a tool while it fails and retries are left. */
async function retried(
  session: Session,
  { tool, call, args: given }: Attempt,
  first: Attempted | Promise<Attempted>,
): Promise<Ended> {
  const { setup } = session;
  let ended = await first;
  let args = given;
  for (let number = call.attempts + 1, left = tool.retries.times; left > 0; number++, left--) {
    if (!mayRetry(session, ended, { tool, call }) || session.ending() !== undefined) return ended;
    const abortable = createAbortable(); // the previous attempt may have been aborted
    session.running.set(call.id, abortable);
    if (tool.retries.delay > 0) await session.orOver(pause(tool.retries.delay, undefined, { ref: false }));
    if (session.ending() !== undefined) return ended;
    const again = await validateText(tool, (call.proposed ?? call).raw, setup.language);
    if (again.ok) args = again.value; // the previous attempt may have changed its arguments
    session.journal.mention({ type: "tool_call_running", data: startOf(call, number) });
    const next = await attemptCall(session, { tool, call, attempt: number, abortable, args });
    if (next.fault !== undefined) return next.hasBegun === false ? { ...ended, fault: next.fault } : next;
    ended = next;
  }
  return ended;
}

/** Validates the arguments again, unless this run has already validated the same text. */
function validatedArguments(
  { validated, setup }: Session,
  { id, name, raw }: Pick<LedgerCall, "id" | "name" | "raw">,
  tool: Tool,
): ReturnType<Tool["validate"]> {
  const known = validated.get(id);
  if (known?.name === name && known.raw === raw) return { ok: true, value: known.value };
  return validateText(tool, raw, setup.language); // a proposed call is complete
}
