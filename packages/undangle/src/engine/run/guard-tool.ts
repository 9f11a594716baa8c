import { isDeepStrictEqual } from "node:util";

import type { RunOne } from "../middleware/middleware.ts";
import { HookMisuse } from "../middleware/wrapping.ts";
import type { Book } from "./book.ts";
import type { ToolRun } from "./setup.ts";

/** What hooks may do with the start of a tool. */
export interface ToolGuard {
  /** A start as hooks get it: what they change of its arguments where those stand is theirs. */
  readonly begin: (run: ToolRun) => ToolRun;
  /**
   * Runs a tool as hooks hand it on: not after its call was settled, not twice unless it may, and a call that a person has
   * allowed just as it was shown to them.
   */
  readonly execute: RunOne;
}

/** One start of a tool, and what has come of it. */
interface Start {
  readonly run: ToolRun;
  /** The same as hooks were given it. */
  readonly shown: ToolRun;
  /** Nobody has looked at the arguments: a copy is made for those who do. */
  readonly isUntouched: () => boolean;
  /** By the name of the tool that was started. */
  readonly given: Map<string, () => unknown>;
}

export function createToolGuard(book: Book): ToolGuard {
  const starts = new WeakMap<object, Start>();
  /** The arguments for the tool: its own, or those of a hook, which have to fit as they have. */
  const argumentsFor = (handed: ToolRun, { run, shown, isUntouched }: Start): unknown => {
    const call = book.callOf(handed.context.callId);
    if (call?.state !== "running") throw new HookMisuse("the call was settled before its tool was started");
    if (handed === shown && isUntouched()) return run.arguments;
    if (handed.tool.name === run.tool.name && isDeepStrictEqual(handed.arguments, run.arguments)) return run.arguments;
    if (call.decision !== undefined || call.allowance !== undefined)
      throw new HookMisuse(`a person has allowed ${call.name} as it was shown: a hook may not change it`);
    return validated(handed);
  };
  return {
    begin(run) {
      let copy: { readonly value: unknown } | undefined;
      const { tool, context } = run;
      const shown: ToolRun = {
        tool,
        context,
        get arguments() {
          copy ??= { value: copied(run.arguments) };
          return copy.value;
        },
      };
      starts.set(context, { run, shown, isUntouched: () => copy === undefined, given: new Map() });
      return shown;
    },
    execute(handed) {
      const start = starts.get(handed.context);
      if (start === undefined) throw new HookMisuse("a hook has to hand on the context that it was given");
      const { context } = handed;
      const tool = handed.tool.name === start.run.tool.name ? start.run.tool : handed.tool;
      const first = tool.idempotent ? undefined : start.given.get(tool.name);
      const args = argumentsFor(handed, start);
      if (first !== undefined) return first(); // what came of it
      return kept(start.given, tool.name, () =>
        args instanceof Promise
          ? args.then((value: unknown) => tool.execute(value, context))
          : tool.execute(args, context),
      );
    },
  };
}

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

type Validation = Awaited<ReturnType<ToolRun["tool"]["validate"]>>;

/** Does something, and remembers what came of it, thrown or given. */
function kept(given: Map<string, () => unknown>, name: string, work: () => unknown): unknown {
  try {
    const value = work();
    given.set(name, () => value);
    return value;
  } catch (error) {
    given.set(name, () => {
      throw error;
    });
    throw error;
  }
}
