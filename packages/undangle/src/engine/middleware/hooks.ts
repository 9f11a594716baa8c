import { isRecord } from "#core";
import type { ModelRequest } from "#model";

import type { RunStatus } from "../events.ts";
import type { ToolState } from "../tool.ts";
import type { AnswerContext, AskAgain, AskModel, EndRun, HookContext, Middleware, RunOne } from "./middleware.ts";
import { isThenable } from "../is-thenable.ts";
import { completed } from "../run/guard-request.ts";
import type { ToolGuard } from "../run/guard-tool.ts";
import { stateHandle } from "./state-handle.ts";
import { createWrapping, hookFault } from "./wrapping.ts";

/** A run as hooks are put around it. */
export interface HookedRun {
  readonly threadId: string;
  readonly runId: string;
  readonly signal: AbortSignal;
  /** Where their states are. */
  readonly memory: ToolState;
  /** What asks the model, and what runs a tool. */
  readonly ask: AskModel;
  readonly tools: ToolGuard;
}

type OrPromise<T> = T | Promise<T>;

/** The hooks of all middleware as one of each, around one run. They take no time where no hook does. */
export interface RunHooks {
  readonly beforeAgent: () => OrPromise<EndRun | undefined>;
  /** Undefined: what it was. */
  readonly beforeModel: (request: ModelRequest) => OrPromise<ModelRequest | EndRun | undefined>;
  readonly afterModel: (answer: () => AnswerContext["answer"]) => OrPromise<EndRun | AskAgain | undefined>;
  readonly afterAgent: (status: RunStatus) => OrPromise<AskAgain | undefined>;
  readonly ask: AskModel;
  readonly execute: RunOne;
}

export interface Hooks {
  /** Undefined where no middleware has a hook. */
  readonly around: ((run: HookedRun) => RunHooks) | undefined;
  /** True for the failure of a hook, which is not one of the tool or of the model that it is around. */
  readonly isFault: (error: unknown) => boolean;
}

const hookNames = ["beforeAgent", "beforeModel", "wrapModelCall", "wrapToolCall", "afterModel", "afterAgent"] as const;

/** Puts middleware together: `before` in order, `after` in reverse, what wraps from the outside in. */
export function composeHooks(middleware: readonly Middleware[]): Hooks {
  const reversed = middleware.toReversed();
  const wrapping = createWrapping();
  const aroundModel = wrapping.wrap(reversed, "wrapModelCall");
  const aroundTool = wrapping.wrap(reversed, "wrapToolCall");
  const having = (name: (typeof hookNames)[number], list: readonly Middleware[]): readonly Middleware[] =>
    list.filter((each) => each[name] !== undefined);
  const beginning = having("beforeAgent", middleware);
  const asking = having("beforeModel", middleware);
  const answered = having("afterModel", reversed);
  const ending = having("afterAgent", reversed);
  const around = (run: HookedRun): RunHooks => {
    const contexts = new Map<Middleware, HookContext>();
    const answers = new Map<Middleware, AnswerContexts>();
    const contextFor = (each: Middleware): HookContext => {
      const known = contexts.get(each) ?? contextOf(each, run);
      contexts.set(each, known);
      return known;
    };
    return {
      beforeAgent: () =>
        inTurn(beginning, "beforeAgent", (each) => each.beforeAgent?.(contextFor(each)), readDirective(["end"])),
      beforeModel(request) {
        let changed: ModelRequest | undefined;
        const run = (each: Middleware): unknown => each.beforeModel?.(changed ?? request, contextFor(each));
        const read = (said: unknown): EndRun | undefined => {
          if (isDirective<EndRun>(said, ["end"])) return said;
          if (!isRecord(said) || !Array.isArray(said["messages"]))
            throw new Error(`it returned ${shown(said)}, and no request`);
          changed = completed(said as unknown as ModelRequest, changed ?? request); // whatever it lacks
          return undefined;
        };
        const end = inTurn(asking, "beforeModel", run, read);
        return end instanceof Promise ? end.then((said) => said ?? changed) : (end ?? changed);
      },
      afterModel: (answer) =>
        inTurn(
          answered,
          "afterModel",
          (each) => {
            const known = answers.get(each) ?? createAnswerContexts(contextFor(each));
            answers.set(each, known);
            return each.afterModel?.(known.of(answer));
          },
          readDirective<EndRun | AskAgain>(["end", "again"]),
        ),
      afterAgent: (status) =>
        inTurn(
          ending,
          "afterAgent",
          (each) => each.afterAgent?.({ ...contextFor(each), status }),
          readDirective<AskAgain>(["again"]),
        ),
      ask: aroundModel === undefined ? run.ask : aroundModel(run.ask, contextFor),
      execute: executor(run.tools, aroundTool?.(run.tools.execute, contextFor)),
    };
  };
  const hasHook = middleware.some((each) => hookNames.some((name) => each[name] !== undefined));
  return { around: hasHook ? around : undefined, isFault: wrapping.isFault };
}

/** Runs a tool, through what hooks have made of that. */
const executor =
  ({ begin, execute }: ToolGuard, around: RunOne = execute): RunOne =>
  (call) =>
    around(begin(call));

/** What the hooks of one middleware get to know of one run. */
const contextOf = (middleware: Middleware, { threadId, runId, signal, memory }: HookedRun): HookContext => ({
  threadId,
  runId,
  signal,
  state: stateHandle(middleware, memory),
});

/** The same for one answer after the other, which is put together for those who look at it. */
interface AnswerContexts {
  /** From now on it is about this answer. */
  readonly of: (look: () => AnswerContext["answer"]) => AnswerContext;
}

function createAnswerContexts(context: HookContext): AnswerContexts {
  let look: () => AnswerContext["answer"] = () => ({ text: "", calls: [], finish: "stop" });
  let answer: AnswerContext["answer"] | undefined;
  const shown: AnswerContext = {
    ...context,
    get answer() {
      answer ??= look();
      return answer;
    },
  };
  return {
    of(next) {
      look = next;
      answer = undefined;
      return shown;
    },
  };
}

/** Runs hooks one after the other, until one says what is to happen. */
function inTurn<Said>(
  middleware: readonly Middleware[],
  name: string,
  run: (each: Middleware) => unknown,
  read: (said: unknown) => Said | undefined,
): OrPromise<Said | undefined> {
  for (let i = 0; i < middleware.length; i++) {
    const each = middleware[i];
    if (each === undefined) break;
    try {
      const said = run(each);
      if (said === undefined) continue;
      if (isThenable(said)) return afterwards(said, { middleware: middleware.slice(i), name, run, read });
      const directive = read(said);
      if (directive !== undefined) return directive;
    } catch (error) {
      throw hookFault(each, name, error);
    }
  }
  return undefined;
}

interface Rest<Said> {
  readonly middleware: readonly Middleware[];
  readonly name: string;
  readonly run: (each: Middleware) => unknown;
  readonly read: (said: unknown) => Said | undefined;
}

/** The same from a hook on that takes its time. */
async function afterwards<Said>(
  said: PromiseLike<unknown>,
  { middleware: [first, ...rest], name, run, read }: Rest<Said>,
): Promise<Said | undefined> {
  try {
    const value = await said;
    const directive = value === undefined ? undefined : read(value);
    if (directive !== undefined) return directive;
  } catch (error) {
    throw first === undefined ? error : hookFault(first, name, error);
  }
  return inTurn(rest, name, run, read);
}

/** What a hook says, if it means something. */
const readDirective =
  <Directive extends EndRun | AskAgain>(allowed: readonly Directive["type"][]) =>
  (said: unknown): Directive => {
    if (isDirective<Directive>(said, allowed)) return said;
    throw new Error(`it returned ${shown(said)}, and not nothing or ${list(allowed)}`);
  };

function isDirective<Directive extends EndRun | AskAgain>(
  value: unknown,
  allowed: readonly Directive["type"][],
): value is Directive {
  if (!isRecord(value) || !allowed.some((type) => type === value["type"])) return false;
  const { text, message } = value;
  return [text, message].every((each) => each === undefined || typeof each === "string");
}

const list = (types: readonly string[]): string => types.map((type) => `{ type: "${type}" }`).join(" or ");
const shown = (value: unknown): string =>
  isRecord(value) ? `an object with ${Object.keys(value).join(", ") || "nothing in it"}` : String(value);
