import { isDeepStrictEqual } from "node:util";

import { isRecord } from "#core";
import type { JsonObject } from "#core";

import { readArguments } from "../arguments-text.ts";
import { isThenable } from "../is-thenable.ts";
import type { OpenGate } from "../approvals/rules.ts";
import type { CallAllowance } from "../ledger/allowance.ts";
import type { CallText, LedgerCall, Outcome } from "../ledger/call.ts";
import { silent } from "../logger.ts";
import { Look } from "../middleware/look.ts";
import type { Lazy } from "../middleware/look.ts";
import type { RunOne } from "../middleware/middleware.ts";
import { HookMisuse } from "../middleware/wrapping.ts";
import type { Settled } from "../middleware/wrapping.ts";
import { writeJson } from "../result/write-json.ts";
import { isTool } from "../tool-table.ts";
import type { Tool, ToolContext } from "../tool.ts";
import { createAllowances } from "./allowances.ts";
import { asError } from "../run/as-error.ts";
import { startOf } from "../journal/call-events.ts";
import { deniedCall, handedOn, unknownTool } from "./error-outcomes.ts";
import type { Session } from "../run/session.ts";
import type { ToolRun } from "../run/setup.ts";
import { persist } from "../journal/retry-store.ts";

/** Controls what hooks may do when a tool starts. */
export interface ToolGuard {
  /** Starts a tool through hooks. They get a frozen call; to change it they pass a different one to `next`. */
  readonly start: (run: ToolRun, through: RunOne) => unknown;
  /**
   * Runs the tool that hooks pass on. It does not run after its call is settled, or twice unless it is idempotent.
   * Another tool or other arguments run only if the agent's rules require no approval for them.
   */
  readonly execute: RunOne;
  /** Why a call was not started: what a hook passed on may not run. */
  readonly refusalOf: (context: ToolContext) => CallRefused | undefined;
  /** Records what a tool or a hook around it has returned to the next outer hook. */
  readonly settle: (handed: ToolRun, settled: Settled) => void;
  /** The progress of a call, for a hook that throws. */
  readonly progressOf: (context: ToolContext) => Progress;
}

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

/** What runs instead of the proposed call. */
interface RanInstead {
  readonly tool: Tool;
  readonly raw: string;
}

/** The tool and arguments that a hook substituted, by the context of the call. */
export const ranInstead = (context: ToolContext): RanInstead | undefined => instead.get(context);

const instead = new WeakMap<ToolContext, RanInstead>();

/** One attempt of a tool, and its outcome. */
interface Start {
  readonly run: ToolRun;
  /** The run as hooks see it. The arguments are copied only if a hook reads them. */
  readonly look: Look<ToolRun>;
  /** The outcome of the last started tool that may not start again. */
  outcome: Started | undefined;
}

/** The result or error of a tool, linked to the one before it. */
interface Started {
  readonly name: string;
  readonly value: unknown;
  readonly isThrown: boolean;
  readonly before: Started | undefined;
}

/** What will run, as it is recorded. */
interface Judged extends CallText {
  readonly tool: Tool;
  readonly args: unknown;
  readonly allowance: CallAllowance | undefined;
}

export function createToolGuard(session: Session): ToolGuard {
  const { journal, setup } = session;
  const waiting = new WeakMap<object, Start>(); // by context: asynchronous hooks may pass it on later
  const refusals = new WeakMap<ToolContext, CallRefused>();
  const progress = new WeakMap<object, { hasBegun: boolean; settled: Settled | undefined }>(); // by context
  let current: Start | undefined; // avoids a map lookup, because most hooks are synchronous
  const startOfRun = (handed: unknown): Start | undefined => {
    if (handed === current?.look.shown) return current;
    const context: unknown = isRecord(handed) ? handed["context"] : undefined;
    if (current !== undefined && context === current.run.context) return current;
    return isRecord(context) ? waiting.get(context) : undefined;
  };

  /** Executes a tool. Remembers its outcome if it may not start again. */
  const execute = (start: Start, { tool, args }: Pick<Judged, "tool" | "args">): unknown => {
    const { name, idempotent } = tool;
    const { run, outcome: before } = start;
    const { context } = run;
    refusals.delete(context);
    progress.set(context, { hasBegun: true, settled: undefined });
    const call = journal.callOf(context.callId);
    if (call?.proposed === undefined) instead.delete(context);
    else instead.set(context, { tool, raw: call.raw });
    logStart(session, context.callId);
    try {
      const value = tool.execute(args, context);
      if (!idempotent) start.outcome = { name, value, isThrown: false, before };
      return value;
    } catch (error) {
      if (!idempotent) start.outcome = { name, value: error, isThrown: true, before };
      throw error;
    }
  };

  /** Saves a substituted call before it runs. */
  const record = async (start: Start, judged: Judged): Promise<unknown> => {
    const { callId: id, attempt } = start.run.context;
    const call = runningCall(session, id);
    const { name, raw, allowance } = judged;
    journal.apply({ type: "hand-on", id, name, raw, allowance });
    journal.note({ type: "tool_call_running", data: startOf(runningCall(session, id), attempt) });
    try {
      await persist(journal, setup);
    } catch (error) {
      const { name: before, raw: text, allowance: by } = call;
      if (journal.callOf(id)?.state === "running")
        journal.apply({ type: "hand-on", id, name: before, raw: text, allowance: by }); // the substituted call did not run
      session.end({ how: "fault", error: asError(error) });
      throw error;
    }
    if (session.ending() !== undefined) throw settledBefore();
    runningCall(session, id);
    return execute(start, judged);
  };

  /** Runs the call as proposed. */
  const runAsMade = (start: Start, call: LedgerCall): unknown => {
    const { run, look } = start;
    const { tool } = run;
    if (look.isTaken && run.arguments === look.shown.arguments && isObject(run.arguments))
      return later(validated(tool, readArguments((call.proposed ?? call).raw).value), (args) =>
        // a hook may have changed the arguments
        runWith(start, call, args),
      );
    return runWith(start, call, run.arguments);
  };
  const runWith = (start: Start, call: LedgerCall, args: unknown): unknown => {
    const { tool } = start.run;
    const { proposed } = call;
    if (proposed === undefined) return execute(start, { tool, args });
    return record(start, { ...proposed, tool, args, allowance: proposed.allowance }); // an earlier attempt ran a substituted call
  };

  /** Runs the call as a hook changed it, if that is allowed. */
  const runAsHanded = (start: Start, call: LedgerCall, given: ToolRun): unknown => {
    const { name } = given.tool;
    const { outcome: before } = start;
    const value = later(judge(session, call, given), (judged) => record(start, judged));
    if (!(value instanceof Promise)) return value;
    const isIdempotent = (setup.tools.get(name) ?? given.tool).idempotent;
    const pending: Started = { name, value, isThrown: false, before };
    if (!isIdempotent) start.outcome = pending; // must not start twice while it is being checked
    return value.catch((error: unknown) => {
      if (start.outcome === pending) start.outcome = before;
      throw error;
    });
  };

  return {
    start(run, through) {
      const outer = current;
      Object.freeze(run.context);
      const start: Start = { run, look: new Look({ ...run }, frozenCall), outcome: undefined };
      current = start;
      try {
        const given = through(start.look.shown);
        if (isThenable(given)) waiting.set(run.context, start);
        return given;
      } finally {
        current = outer;
      }
    },
    execute(handed) {
      const start = startOfRun(handed);
      if (start === undefined)
        throw new HookMisuse("a hook has to hand on the context that it was given, while the call is open");
      const { run, look } = start;
      const call = runningCall(session, run.context.callId);
      const isAsMade = handed === look.shown || isSame(handed, run, look);
      if (!isAsMade && !isTool(handed.tool)) throw new HookMisuse("it handed on something that is not a tool");
      const first = startedBefore(start, isAsMade ? run.tool : handed.tool);
      if (first?.isThrown === true) throw first.value;
      if (first !== undefined) return first.value;
      try {
        const value = isAsMade ? runAsMade(start, call) : runAsHanded(start, call, handed);
        return value instanceof Promise ? value.catch(refused(run.context)) : value;
      } catch (error) {
        return refused(run.context)(error);
      }
    },
    refusalOf: (context) => refusals.get(context),
    settle(handed: unknown, settled) {
      const known = isRecord(handed) && isRecord(handed["context"]) ? progress.get(handed["context"]) : undefined;
      if (known !== undefined) known.settled = settled; // otherwise the tool was not started
    },
    progressOf: (context) => progress.get(context) ?? { hasBegun: false, settled: undefined },
  };

  /** Records that a call was refused. */
  function refused(context: ToolContext): (error: unknown) => never {
    return (error) => {
      if (error instanceof CallRefused) refusals.set(context, error);
      throw error;
    };
  }
}

/** True if a hook passes the call on unchanged, possibly as a new object. */
function isSame(handed: ToolRun, run: ToolRun, look: Look<ToolRun>): boolean {
  const { tool, arguments: args } = handed;
  if (!isRecord(tool) || tool.name !== run.tool.name) return false;
  return args === look.shown.arguments || isDeepStrictEqual(args, run.arguments);
}

function startedBefore({ outcome }: Start, { name }: Tool): Started | undefined {
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
function judge(session: Session, call: LedgerCall, given: ToolRun): Judged | Promise<Judged> {
  const { journal, setup } = session;
  const { language } = setup;
  const called = call.proposed ?? call;
  const tool = setup.tools.get(given.tool.name) ?? given.tool; // a registered tool takes precedence over another one with its name
  const { name } = tool;
  const refuse = (fault: Parameters<typeof handedOn>[1]["fault"]): CallRefused =>
    new CallRefused(handedOn(called.name, { fault, other: name }, language));
  if (call.decision !== undefined) throw refuse("approved");
  const hidden = journal.openAnswer()?.hidden ?? [];
  if (hidden.includes(name)) throw new CallRefused(unknownTool(name, availableTools(setup, hidden), language));
  const { raw, value } = writtenArguments(given);
  const gated = (args: unknown): Judged | Promise<Judged> => {
    const shown = { id: call.id, name, arguments: value, threadId: journal.threadId };
    const pass = (gate: OpenGate | undefined): Judged | Promise<Judged> => {
      if (gate === undefined) return { tool, name, raw, args, allowance: undefined };
      return later(createAllowances(session)({ ...call, name, raw }, gate), (allowance) => {
        if (allowance === undefined) throw refuse(name === called.name ? "arguments" : "tool");
        return { tool, name, raw, args, allowance };
      });
    };
    return later(setup.deny?.(shown), (denied) => {
      if (denied !== undefined) throw new CallRefused(deniedCall(name, denied.reason, language));
      return later(setup.gate(shown, tool.approval, setup.now()), pass);
    });
  };
  return later(validated(tool, value), gated);
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
  return later(tool.validate(value as JsonObject), read); // already checked to be an object
}

/** Maps a value or a promise. */
function later<Value, Made>(
  value: Value | Promise<Value>,
  make: (value: Value) => Made | Promise<Made>,
): Made | Promise<Made> {
  return value instanceof Promise ? value.then(make) : make(value);
}

function logStart({ journal, setup }: Session, id: string): void {
  if (setup.logger === silent) return;
  const { name: tool, raw } = journal.callOf(id) ?? { name: "", raw: "" };
  setup.logger.info({ threadId: journal.threadId, callId: id, tool, arguments: raw }, "Tool started");
}

const frozenCall: Lazy<ToolRun> = {
  keys: ["arguments"],
  make(shown: { arguments: unknown }) {
    shown.arguments = frozenCopy(shown.arguments);
    Object.freeze(shown);
  },
};

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
