import { setTimeout as pause } from "node:timers/promises";

import { digestOf } from "../approvals/rules.ts";
import type { GatedCall } from "../approvals/rules.ts";
import { validateText } from "../arguments-text.ts";
import { emitEnds } from "../journal/call-events.ts";
import { persist } from "../journal/retry-store.ts";
import { firstDeadline } from "../journal/thread-head.ts";
import { isReady } from "../ledger/call.ts";
import type { LedgerCall } from "../ledger/call.ts";
import { silent } from "../logger.ts";
import { isOffered } from "../run/run-mode.ts";
import type { Session } from "../run/session.ts";
import { andThen, toolError } from "../tool-result.ts";
import type { Tool } from "../tool.ts";
import { readable, startView } from "../views/call-view.ts";
import { attemptCall } from "./attempt-tool.ts";
import type { Attempt, Attempted, Ended } from "./attempt-tool.ts";
import { changedCall, deniedCall, invalidArguments, outsideMode, unknownTool } from "./error-outcomes.ts";
import { availableTools } from "./guard-tool.ts";
import { saveEnds, keepEnd } from "./settle-calls.ts";

/** Starts ready calls, and waits until something happens. The start of a call is saved before its tool runs. */
export async function callTools(session: Session): Promise<void> {
  const { journal, setup, running } = session;
  const ready = readyCalls(session);
  const starting = ready.slice(0, Math.max(0, setup.limits.parallel - running.size));
  if (starting.length > 0) {
    const ids = starting.map(({ id }) => id);
    journal.apply({ type: "start", ids, at: setup.now() });
    for (const id of ids) {
      const call = journal.callOf(id);
      if (call !== undefined)
        journal.events.emitOnSave({ type: "tool_call_running", data: startView(call, call.attempts) });
    }
    try {
      await persist(journal, setup);
    } catch (error) {
      journal.apply({ type: "reclaim", ids, hasBegun: false });
      throw error;
    }
    if (session.ending() !== undefined) {
      journal.apply({ type: "reclaim", ids, hasBegun: false });
      return;
    }
    for (const { id } of starting) {
      const call = journal.callOf(id);
      if (call?.state === "running") executeCall(session, call);
    }
    if (session.ended.length > 0) {
      await saveEnds(session);
      return;
    }
  } else if (running.size === 0) {
    await persist(journal, setup); // all remaining calls were settled
    return;
  }
  await wokenInTime(session);
}

/** The longest time between two readings of the clock, which may jump, in milliseconds. */
const longestWait = 60_000;

/** Resolves at the next `wake`, or when an approval expires. */
async function wokenInTime(session: Session): Promise<void> {
  const { journal, setup } = session;
  const deadline = firstDeadline(journal.ledger().turn?.calls ?? []);
  if (deadline === undefined) return session.woken();
  const wait = Math.min(Math.max(1, deadline - setup.now()), longestWait);
  const timer = setTimeout(() => session.wake(), wait).unref();
  await session.woken();
  clearTimeout(timer);
  return undefined;
}

/** The calls that may start. Calls beyond the limit of the run are settled. */
function readyCalls(session: Session): readonly LedgerCall[] {
  const { journal, setup } = session;
  const { turn, run } = journal.ledger();
  const ready = turn?.calls.filter(isReady) ?? [];
  const fresh = ready.filter(({ child }) => child === undefined); // the others were counted when they first started
  const left = setup.limits.calls - (run?.calls ?? 0);
  if (fresh.length <= left) return ready;
  const ids = fresh.slice(left).map(({ id }) => id);
  session.isOverCalls = true;
  journal.apply({ type: "close", how: "limit", at: setup.now(), ids });
  emitEnds({ journal, setup }, ids);
  return ready.filter(({ id }) => !ids.includes(id));
}

/**
 * Runs the tool of a call. An asynchronous result is saved when it is known; the caller saves synchronous results with
 * `saveEnds`.
 */
function executeCall(session: Session, call: LedgerCall): void {
  const { journal, setup } = session;
  const begin = performance.now();
  const abort = new AbortController();
  if (session.ending() !== undefined) abort.abort(session.signal.reason); // another call of the turn has stopped the run
  if (setup.logger !== silent && session.hooks()?.isAroundTools !== true) {
    const { id: callId, name: tool, raw } = call;
    setup.logger.info({ threadId: journal.threadId, callId, tool, arguments: raw }, "Tool started");
  }
  const ended = run(session, call, abort);
  if (ended instanceof Promise) void settle(session, call, { ended, abort, begin });
  else keepEnd(session, call, ended, begin);
}

/** A call whose tool is running. */
interface Running {
  readonly ended: Promise<Ended>;
  readonly abort: AbortController;
  readonly begin: number;
}

async function settle(session: Session, call: LedgerCall, { ended, abort, begin }: Running): Promise<void> {
  const { running } = session;
  running.set(call.id, abort);
  if (session.ending() !== undefined) abort.abort(session.signal.reason); // the tool has stopped the run itself
  const end = await ended.catch((error: unknown) => failed(session, error));
  running.delete(call.id);
  keepEnd(session, call, end, begin);
  if (session.ended.length + session.delegated.length !== 1) return; // another save is pending, or it was settled before
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
function run(session: Session, call: LedgerCall, abort: AbortController): Ended | Promise<Ended> {
  try {
    return check(session, call, abort);
  } catch (error) {
    return failed(session, error);
  }
}

function check(session: Session, call: LedgerCall, abort: AbortController): Ended | Promise<Ended> {
  const { tools, deny, language } = session.setup;
  const { name, raw } = call.proposed ?? call; // hooks get the proposed call, also on a retry
  if (call.decision !== undefined && call.decision.digest !== digestOf(call.name, call.raw))
    return { state: "failed", outcome: changedCall(call.name, language) };
  const tool = tools.get(name);
  const mode = session.mode();
  if (tool === undefined || !isOffered(mode, tool)) {
    const available = availableTools(session.setup, session.journal.openTurn()?.hidden ?? []);
    const outcome =
      tool === undefined ? unknownTool(name, available, language) : outsideMode(name, { mode, available }, language); // it was proposed in another mode
    return { state: "failed", outcome };
  }
  return andThen(validatedArguments(session, { id: call.id, name, raw }, tool), (validated) => {
    if (deny === undefined) return start(session, { tool, call, abort }, validated);
    const args = readable(raw) as GatedCall["arguments"]; // only complete calls run
    const shown = { id: call.id, name, arguments: args, threadId: session.journal.threadId };
    return andThen(deny(shown), (denied) =>
      denied === undefined // rules may have changed since it was proposed
        ? start(session, { tool, call, abort }, validated)
        : { state: "failed", outcome: deniedCall(name, denied.reason, language) },
    );
  });
}

function start(
  session: Session,
  { tool, call, abort }: Pick<Attempt, "tool" | "call" | "abort">,
  validated: Validated,
): Ended | Promise<Ended> {
  if (!validated.ok)
    return { state: "failed", outcome: invalidArguments(tool.name, validated.problems, session.setup.language) };
  const given = { tool, call, attempt: call.attempts, abort, args: validated.value };
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
    const abort = new AbortController(); // the previous attempt may have been aborted
    session.running.set(call.id, abort);
    if (tool.retries.delay > 0) await session.orOver(pause(tool.retries.delay, undefined, { ref: false }));
    if (session.ending() !== undefined) return ended;
    const again = await validateText(tool, (call.proposed ?? call).raw, setup.language);
    if (again.ok) args = again.value; // the previous attempt may have changed its arguments
    session.journal.events.emitUnsaved({ type: "tool_call_running", data: startView(call, number) });
    const next = await attemptCall(session, { tool, call, attempt: number, abort, args });
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
