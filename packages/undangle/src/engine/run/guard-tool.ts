import { isDeepStrictEqual } from "node:util";

import { isRecord } from "#core";

import { isThenable } from "../is-thenable.ts";
import { Look } from "../middleware/look.ts";
import type { Lazy } from "../middleware/look.ts";
import type { RunOne } from "../middleware/middleware.ts";
import { HookMisuse } from "../middleware/wrapping.ts";
import type { Tool } from "../tool.ts";
import type { Book } from "./book.ts";
import type { ToolRun } from "./setup.ts";

/** What hooks may do with the start of a tool. */
export interface ToolGuard {
  /** Starts a tool through hooks: what they change of what they are given where it stands is theirs. */
  readonly start: (run: ToolRun, through: RunOne) => unknown;
  /**
   * Runs a tool as hooks hand it on: not after its call was settled, not twice unless it may, and a call that a person has
   * allowed just as it was shown to them.
   */
  readonly execute: RunOne;
}

/** One start of a tool, and what has come of it. */
interface Start {
  readonly run: ToolRun;
  /** The same as hooks are given it: the arguments are copied for those who look at them. */
  readonly look: Look<ToolRun>;
  /** Of the last tool that was started, and may not be again. */
  outcome: Outcome | undefined;
}

/** What a tool has given or thrown, and the one before it. */
interface Outcome {
  readonly name: string;
  readonly value: unknown;
  readonly isThrown: boolean;
  readonly before: Outcome | undefined;
}

export function createToolGuard(book: Book): ToolGuard {
  const waiting = new WeakMap<object, Start>(); // by their contexts: hooks that take their time may hand them on later
  let current: Start | undefined; // most hooks take none
  const startOf = (handed: unknown): Start | undefined => {
    if (handed === current?.look.shown) return current;
    const context: unknown = isRecord(handed) ? handed["context"] : undefined;
    if (current !== undefined && context === current.run.context) return current;
    return isRecord(context) ? waiting.get(context) : undefined;
  };
  /** The arguments for the tool: its own, or those of a hook, which have to fit as they have. */
  const argumentsFor = (handed: ToolRun, run: ToolRun): unknown => {
    const call = book.callOf(run.context.callId);
    if (call?.state !== "running") throw new HookMisuse("the call was settled before its tool was started");
    if (handed === run) return run.arguments;
    if (handed.tool.name === run.tool.name && isDeepStrictEqual(handed.arguments, run.arguments)) return run.arguments;
    if (call.decision !== undefined || call.allowance !== undefined)
      throw new HookMisuse(`a person has allowed ${call.name} as it was shown: a hook may not change it`);
    return validated(handed);
  };
  return {
    start(run, through) {
      const outer = current;
      const start: Start = { run, look: new Look({ ...run }, lazyArguments), outcome: undefined };
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
      const start = startOf(handed);
      if (start === undefined)
        throw new HookMisuse("a hook has to hand on the context that it was given, while the call is open");
      const { run, look } = start;
      const given = handed === look.shown && !look.isTaken ? run : handed;
      const tool = given.tool.name === run.tool.name ? run.tool : given.tool;
      const args = argumentsFor(given, run);
      const first = outcomeOf(start, tool);
      if (first?.isThrown === true) throw first.value;
      return first === undefined ? execute(start, tool, args) : first.value;
    },
  };
}

function outcomeOf({ outcome }: Start, { name }: Tool): Outcome | undefined {
  let each = outcome;
  while (each !== undefined && each.name !== name) each = each.before;
  return each;
}

/** Executes a tool, and remembers what came of it where it may not be started again. */
function execute(start: Start, tool: Tool, args: unknown): unknown {
  const { name, idempotent } = tool;
  const { run, outcome: before } = start;
  try {
    const value = args instanceof Promise ? executeLater(run, tool, args) : tool.execute(args, run.context);
    if (!idempotent) start.outcome = { name, value, isThrown: false, before };
    return value;
  } catch (error) {
    if (!idempotent) start.outcome = { name, value: error, isThrown: true, before };
    throw error;
  }
}

const executeLater = async ({ context }: ToolRun, tool: Tool, args: Promise<unknown>): Promise<unknown> =>
  tool.execute(await args, context);

const lazyArguments: Lazy<ToolRun> = {
  keys: ["arguments"],
  make(shown: { arguments: unknown }) {
    shown.arguments = copied(shown.arguments);
  },
};

/** A copy; what cannot be copied is passed on as it is. */
function copied(value: unknown): unknown {
  try {
    return structuredClone(value);
  } catch {
    return value; // a schema has made something of its own of it
  }
}

function validated({ tool, arguments: args }: ToolRun): unknown {
  const read = (outcome: Validation): unknown => {
    if (outcome.ok) return outcome.value;
    throw new HookMisuse(`it gave ${tool.name} arguments that do not fit: ${outcome.problems.join("; ")}`);
  };
  const found = tool.validate(args as Readonly<Record<string, unknown>>); // it tells what is wrong with anything else
  return found instanceof Promise ? found.then(read) : read(found);
}

type Validation = Awaited<ReturnType<Tool["validate"]>>;
