import { isDeepStrictEqual } from "node:util";

import { isRecord, isTooDeep } from "#core";
import type { JsonObject } from "#core";

import { createAllowances } from "../approvals/allowances.ts";
import { readArguments } from "../arguments-text.ts";
import type { OpenGate } from "../approvals/rules.ts";
import { persist } from "../journal/retry-store.ts";
import type { CallAllowance, CallText, LedgerCall, Outcome } from "../ledger/call.ts";
import { silent } from "../logger.ts";
import type { RunOne } from "../middleware/middleware.ts";
import { HookMisuse } from "../middleware/wrapping.ts";
import type { Settled } from "../middleware/wrapping.ts";
import { asError } from "../result/thrown.ts";
import { writeJson } from "../result/write-json.ts";
import { isOffered } from "../run/run-mode.ts";
import type { Session } from "../run/session.ts";
import { andThen, isThenable } from "../tool-result.ts";
import type { ToolRun, Tool, ToolContext } from "../tool.ts";
import { isTool } from "../toolbox.ts";
import { startView } from "../views/call-view.ts";
import { deniedCall, outsideMode, refusedSubstitute, unknownTool } from "./error-outcomes.ts";
import { CallContext } from "./tool-context.ts";

/** The progress of a call. */
export interface Progress {
  readonly hasBegun: boolean;
  /** The result of the tool, as returned by the last completed hook. */
  readonly settled: Settled | undefined;
}

/** What a hook passed on may not run. The call fails, and the model receives the error. */
export class CallRefused extends Error {
  readonly outcome: Outcome;

  constructor(outcome: Outcome) {
    super("what a hook has made of the call may not run");
    this.name = "CallRefused";
    this.outcome = outcome;
  }
}

/** One attempt of a tool, and its outcome. */
interface Start {
  readonly run: ToolRun;
  /** The run as hooks see it, frozen. */
  readonly shown: ToolRun;
  /** False after the hooks have returned. */
  isOpen: boolean;
  /** The outcome of the last started tool that may not start again. */
  outcome: Started | undefined;
  progress: Progress;
  refusal: CallRefused | undefined;
}

/** The result or error of a tool, linked to the one before it. */
interface Started {
  readonly name: string;
  readonly value: unknown;
  readonly isThrown: boolean;
  readonly before: Started | undefined;
}

/** What will run, as it is recorded. */
interface CheckedCall extends CallText {
  readonly tool: Tool;
  readonly args: unknown;
  readonly allowance: CallAllowance | undefined;
}

/** Controls what hooks may do when a tool starts. */
export class ToolGuard {
  readonly #session: Session;
  readonly #starts = new WeakMap<object, Start>(); // by the context that hooks must pass on

  constructor(session: Session) {
    this.#session = session;
  }

  /** Starts a tool through hooks. They get a frozen call; to change it they pass a different one to `next`. */
  start(run: ToolRun, through: RunOne): unknown {
    const start: Start = {
      run,
      shown: Object.freeze({ ...run, arguments: frozenCopy(run.arguments) }),
      isOpen: true,
      outcome: undefined,
      progress: notBegun,
      refusal: undefined,
    };
    this.#starts.set(Object.freeze(run.context), start);
    try {
      const given = through(start.shown);
      start.isOpen = isThenable(given);
      return given;
    } catch (error) {
      start.isOpen = false;
      throw error;
    }
  }

  /**
   * Runs the tool that hooks pass on. It does not run after its call is settled, or twice unless it is idempotent.
   * Another tool or other arguments run only if the agent's rules require no approval for them.
   */
  execute(passed: ToolRun): unknown {
    const start = this.#startOf(passed);
    if (start?.isOpen !== true)
      throw new HookMisuse("a hook has to hand on the context that it was given, while the call is open");
    const { run, shown } = start;
    const call = runningCall(this.#session, run.context.callId);
    const isAsProposed = passed === shown || isSame(passed, start);
    if (!isAsProposed && !isTool(passed.tool)) throw new HookMisuse("it handed on something that is not a tool");
    const first = earlierStart(start, isAsProposed ? run.tool : passed.tool);
    if (first?.isThrown === true) throw first.value;
    if (first !== undefined) return first.value;
    const fail = (error: unknown): never => {
      if (error instanceof CallRefused) start.refusal = error;
      throw error;
    };
    try {
      const value = isAsProposed ? this.#runAsProposed(start, call) : this.#runSubstitute(start, call, passed);
      return value instanceof Promise ? value.catch(fail) : value;
    } catch (error) {
      return fail(error);
    }
  }

  /** Why a call was not started: what a hook passed on may not run. */
  refusalOf(context: ToolContext): CallRefused | undefined {
    return this.#starts.get(context)?.refusal;
  }

  /** Records what a tool or a hook around it has returned to the next outer hook. */
  settle(passed: ToolRun, settled: Settled): void {
    const start = this.#startOf(passed);
    if (start?.progress.hasBegun === true) start.progress = { hasBegun: true, settled };
  }

  /** The progress of a call, for a hook that throws. */
  progressOf(context: ToolContext): Progress {
    return this.#starts.get(context)?.progress ?? notBegun;
  }

  #startOf(passed: unknown): Start | undefined {
    const context: unknown = isRecord(passed) ? passed["context"] : undefined;
    return isRecord(context) ? this.#starts.get(context) : undefined;
  }

  #runAsProposed(start: Start, call: LedgerCall): unknown {
    const { tool, arguments: args } = start.run;
    const { proposed } = call;
    const mayDiffer = args === start.shown.arguments && isObject(args); // a hook may have changed the arguments
    const valid = mayDiffer ? validated(tool, readArguments((proposed ?? call).raw).value) : args;
    return andThen(valid, (given) => {
      if (proposed === undefined) return this.#execute(start, { tool, args: given });
      return this.#record(start, { ...proposed, tool, args: given, allowance: proposed.allowance }); // an earlier attempt ran a substituted call
    });
  }

  /** Runs the call as a hook changed it, if that is allowed. */
  #runSubstitute(start: Start, call: LedgerCall, given: ToolRun): unknown {
    const { name } = given.tool;
    const { outcome: before } = start;
    const value = andThen(checkSubstitute(this.#session, call, given), (checked) => this.#record(start, checked));
    if (!(value instanceof Promise)) return value;
    const isIdempotent = (this.#session.setup.tools.get(name) ?? given.tool).idempotent;
    const pending: Started = { name, value, isThrown: false, before };
    if (!isIdempotent) start.outcome = pending; // must not start twice while it is being checked
    return value.catch((error: unknown) => {
      if (start.outcome === pending) start.outcome = before;
      throw error;
    });
  }

  /** Saves a substituted call before it runs. */
  async #record(start: Start, checked: CheckedCall): Promise<unknown> {
    const session = this.#session;
    const { journal, setup } = session;
    const { callId: id, attempt } = start.run.context;
    const before = runningCall(session, id);
    const { name, raw, allowance } = checked;
    journal.apply({ type: "hand-on", id, name, raw, allowance });
    journal.events.emitOnSave({ type: "tool_call_running", data: startView(runningCall(session, id), attempt) });
    try {
      await persist(journal, setup);
    } catch (error) {
      if (journal.callOf(id)?.state === "running")
        journal.apply({ type: "hand-on", id, name: before.name, raw: before.raw, allowance: before.allowance }); // the substituted call did not run
      session.end({ how: "fault", error: asError(error) });
      throw error;
    }
    if (session.ending() !== undefined) throw settledBefore();
    runningCall(session, id);
    return this.#execute(start, checked);
  }

  /** Executes a tool. Remembers its outcome if it may not start again. */
  #execute(start: Start, { tool, args }: Pick<CheckedCall, "tool" | "args">): unknown {
    const { name, idempotent } = tool;
    const { run, outcome: before } = start;
    const { context } = run;
    start.refusal = undefined;
    start.progress = { hasBegun: true, settled: undefined };
    const call = this.#session.journal.callOf(context.callId);
    CallContext.substitute(context, call?.proposed === undefined ? undefined : { tool, raw: call.raw });
    logStart(this.#session, context.callId);
    try {
      const value = tool.execute(args, context);
      if (!idempotent) start.outcome = { name, value, isThrown: false, before };
      return value;
    } catch (error) {
      if (!idempotent) start.outcome = { name, value: error, isThrown: true, before };
      throw error;
    }
  }
}

const notBegun: Progress = { hasBegun: false, settled: undefined };

/** True if a hook passes the call on unchanged, possibly as a new object. */
function isSame(passed: ToolRun, { run, shown }: Start): boolean {
  const { tool, arguments: args } = passed;
  if (!isRecord(tool) || tool.name !== run.tool.name) return false;
  return args === shown.arguments || isDeepStrictEqual(args, run.arguments);
}

function earlierStart({ outcome }: Start, { name }: Tool): Started | undefined {
  let each = outcome;
  while (each !== undefined && each.name !== name) each = each.before;
  return each;
}

const settledBefore = (): HookMisuse => new HookMisuse("the call was settled before its tool was started");

function runningCall({ journal }: Session, id: string): LedgerCall {
  const call = journal.callOf(id);
  if (call?.state !== "running") throw settledBefore();
  return call;
}

/** Checks whether a call that a hook changed may run without an approval. */
function checkSubstitute(session: Session, call: LedgerCall, given: ToolRun): CheckedCall | Promise<CheckedCall> {
  const { journal, setup } = session;
  const { language } = setup;
  const called = call.proposed ?? call;
  const tool = setup.tools.get(given.tool.name) ?? given.tool; // a registered tool takes precedence over another one with its name
  const { name } = tool;
  const refuse = (fault: Parameters<typeof refusedSubstitute>[1]["fault"]): CallRefused =>
    new CallRefused(refusedSubstitute(called.name, { fault, other: name }, language));
  if (call.decision !== undefined) throw refuse("approved");
  const hidden = journal.openTurn()?.hidden ?? [];
  if (!isOffered(session.mode(), tool))
    throw new CallRefused(
      outsideMode(name, { mode: session.mode(), available: availableTools(setup, hidden) }, language),
    );
  if (hidden.includes(name)) throw new CallRefused(unknownTool(name, availableTools(setup, hidden), language));
  const { raw, value } = writtenArguments(given);
  const gated = (args: unknown): CheckedCall | Promise<CheckedCall> => {
    const shown = { id: call.id, name, arguments: value, threadId: journal.threadId };
    const pass = (gate: OpenGate | undefined): CheckedCall | Promise<CheckedCall> => {
      if (gate === undefined) return { tool, name, raw, args, allowance: undefined };
      return andThen(createAllowances(session)({ ...call, name, raw }, gate), (allowance) => {
        if (allowance === undefined) throw refuse(name === called.name ? "arguments" : "tool");
        return { tool, name, raw, args, allowance };
      });
    };
    return andThen(setup.deny?.(shown), (denied) => {
      if (denied !== undefined) throw new CallRefused(deniedCall(name, denied.reason, language));
      return andThen(session.gate(shown, tool), pass);
    });
  };
  return andThen(validated(tool, value), gated);
}

/** The tools that a model may call, without those that hooks hid. */
export const availableTools = ({ tools }: Session["setup"], hidden: readonly string[]): readonly string[] =>
  [...tools.keys()].filter((name) => !hidden.includes(name));

/** Serializes the arguments of a hook. What the thread records is what runs. */
function writtenArguments({ tool, arguments: args }: ToolRun): {
  readonly raw: string;
  readonly value: JsonObject;
} {
  const written = writeJson(args, "en");
  if ("reason" in written)
    throw new HookMisuse(`it gave ${tool.name} arguments that cannot be written as JSON: ${written.reason}`);
  if (isTooDeep(written.json)) throw new HookMisuse(`it gave ${tool.name} arguments that are nested too deeply`);
  const value: unknown = JSON.parse(written.json);
  if (!isRecord(value)) throw new HookMisuse(`it gave ${tool.name} arguments that are not an object`);
  return { raw: written.json, value };
}

/** The validated arguments of a tool. */
function validated(tool: Tool, value: unknown): unknown {
  const read = (outcome: Awaited<ReturnType<Tool["validate"]>>): unknown => {
    if (outcome.ok) return outcome.value;
    throw new HookMisuse(`it gave ${tool.name} arguments that do not fit: ${outcome.problems.join("; ")}`);
  };
  return andThen(tool.validate(value as JsonObject), read); // already checked to be an object
}

function logStart({ journal, setup }: Session, id: string): void {
  if (setup.logger === silent) return;
  const { name: tool, raw } = journal.callOf(id) ?? { name: "", raw: "" };
  setup.logger.info({ threadId: journal.threadId, callId: id, tool, arguments: raw }, "Tool started");
}

/** A frozen copy. A value that cannot be copied is passed on as it is, and validated again before the tool runs. */
function frozenCopy(value: unknown): unknown {
  try {
    return freeze(structuredClone(value));
  } catch {
    return value; // a schema has produced a value that cannot be cloned
  }
}

function freeze<Value>(value: Value): Value {
  const isPlain = Array.isArray(value) || (isRecord(value) && Object.getPrototypeOf(value) === Object.prototype);
  if (!isPlain || Object.isFrozen(value)) return value; // a Date or Map in the copy is not shared
  Object.freeze(value);
  for (const each of Object.values(value as object)) freeze(each);
  return value;
}

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;
