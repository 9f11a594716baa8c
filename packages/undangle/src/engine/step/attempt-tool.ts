import { setTimeout as pause } from "node:timers/promises";

import type { UndangleError } from "#core";

import type { PendingCall } from "../events.ts";
import type { LedgerCall, Outcome, SettledState } from "../ledger/call.ts";
import { asError } from "../result/thrown.ts";
import type { Session } from "../run/session.ts";
import { isThenable, toolError, toolResult } from "../tool-result.ts";
import type { Tool, ToolContext } from "../tool.ts";
import { CallRefused } from "./guard-tool.ts";
import { CallContext } from "./tool-context.ts";

/** The outcome of a call, or the pending calls that its child thread waits for. */
export type Ended = SettledEnd | DelegatedEnd;

export interface SettledEnd {
  readonly state: SettledState;
  readonly outcome: Outcome;
  /** A hook around the tool has failed. The run ends with this error. */
  readonly fault?: UndangleError;
}

export interface DelegatedEnd {
  readonly state: "delegated";
  readonly pending: readonly PendingCall[];
  readonly fault?: UndangleError;
}

export interface Attempt {
  readonly tool: Tool;
  readonly call: LedgerCall;
  readonly attempt: number;
  readonly abort: AbortController;
  readonly args: unknown;
}

/** The outcome of one attempt. */
export type Attempted = Ended & {
  /** True if a retry cannot change the outcome. */
  readonly isFinal?: boolean;
  /** False if a hook failed before the tool was started. */
  readonly hasBegun?: boolean;
};

/** Runs one attempt of a tool. Synchronous if the tool is. */
export function attemptCall(session: Session, given: Attempt): Attempted | Promise<Attempted> {
  const { tool, args } = given;
  const { call, attempt, abort } = given;
  session.drafts.begin(call.id);
  const context = new CallContext(session, { call, attempt, signal: abort.signal });
  try {
    const hooks = session.hooks();
    const returned =
      hooks === undefined ? tool.execute(args, context) : hooks.execute({ tool, arguments: args, context });
    return isThenable(returned)
      ? awaited(session, { ...given, context }, Promise.resolve(returned))
      : returning(session, context, returned);
  } catch (error) {
    return throwing(session, context, error);
  }
}

async function awaited(
  session: Session,
  { tool, abort, context }: Attempt & { readonly context: ToolContext },
  promise: Promise<unknown>,
): Promise<Attempted> {
  try {
    const value = tool.timeout === undefined ? await promise : await withinTime(promise, tool.timeout, abort);
    return returning(session, context, value);
  } catch (error) {
    return throwing(session, context, error);
  }
}

function returning(session: Session, context: ToolContext, value: unknown): Attempted {
  const { setup } = session;
  const pause = CallContext.pauseOf(context); // takes precedence over what a hook made of it
  if (pause !== undefined) return { ...pause, isFinal: true };
  const refusal = session.hooks()?.refusalOf(context); // takes precedence over any result that a hook returned
  if (refusal !== undefined) return throwing(session, context, refusal);
  if (value === timedOut) return { state: "timed-out", outcome: { type: "notice", cause: "timed-out" } };
  const { parts, isError } = toolResult(value, setup.language);
  return { state: isError ? "failed" : "succeeded", outcome: { type: "result", parts, isError }, isFinal: true };
}

function throwing(session: Session, context: ToolContext, error: unknown): Attempted {
  const { hooks, language } = session.setup;
  const pause = CallContext.pauseOf(context);
  if (pause !== undefined && !hooks.isFault(error)) return { ...pause, isFinal: true };
  if (error instanceof CallRefused) return { state: "failed", outcome: error.outcome, isFinal: true };
  if (hooks.isFault(error)) return { ...beforeFault(session, context), fault: asError(error), isFinal: true };
  return { state: "failed", outcome: { type: "result", ...toolError(error, language) } };
}

/** The outcome of a call at the time a hook around its tool failed. */
function beforeFault(session: Session, context: ToolContext): Attempted {
  const hooks = session.hooks();
  const refusal = hooks?.refusalOf(context);
  if (refusal !== undefined) return throwing(session, context, refusal);
  const { hasBegun, settled } = hooks?.progressOf(context) ?? { hasBegun: false, settled: undefined };
  if (settled?.isThrown === true) return throwing(session, context, settled.value);
  if (settled !== undefined) return returning(session, context, settled.value);
  const hasRun = hasBegun || context.attempt > 1; // in this process, or in one that died
  return { state: "stopped", outcome: { type: "notice", cause: hasRun ? "stopped-running" : "stopped" }, hasBegun };
}

const timedOut = Symbol("timed out");

/** The value of a promise, or a timeout. */
async function withinTime(promise: Promise<unknown>, timeout: number, abort: AbortController): Promise<unknown> {
  const done = new AbortController();
  const over = pause(timeout, timedOut, { signal: done.signal });
  try {
    const value = await Promise.race([promise, over]);
    if (value === timedOut) abort.abort(new DOMException("The tool took too long.", "TimeoutError"));
    return value;
  } finally {
    done.abort();
    over.catch(() => undefined);
    promise.catch(() => undefined); // errors of a tool after its timeout are ignored
  }
}
