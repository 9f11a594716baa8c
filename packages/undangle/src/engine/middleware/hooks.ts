import { isRecord, UndangleError } from "#core";
import type { AssembledTurn } from "#core";
import type { ModelRequest, ModelStream } from "#model";

import { entryOf } from "../journal/entry-ref.ts";
import { runNotices } from "../run/notice-texts.ts";
import type { RunNotices } from "../run/notice-texts.ts";
import { completed, requestProblem } from "../step/guard-request.ts";
import type { RequestGuard } from "../step/guard-request.ts";
import type { ToolGuard } from "../step/guard-tool.ts";
import { andThen, isThenable } from "../tool-result.ts";
import type { WritableState } from "../thread/stored-state.ts";
import type { ThreadFiles } from "../thread-files.ts";
import type {
  AnswerContext,
  AskAgain,
  AskModel,
  EndContext,
  EndRun,
  HookContext,
  Middleware,
  RunOne,
} from "./middleware.ts";
import { stateHandle } from "../thread/stored-state.ts";
import { createWrapping, hookFault } from "./wrapping.ts";
import type { Bound } from "./wrapping.ts";

/** What hooks need to know about a run. */
export interface HookedRun {
  readonly threadId: string;
  readonly runId: string;
  readonly reason: HookContext["reason"];
  readonly agent: HookContext["agent"];
  readonly signal: AbortSignal;
  readonly language: HookContext["language"];
  readonly depth: number;
  readonly warn: HookContext["warn"];
  readonly complete: HookContext["complete"];
  readonly hasEntry: HookContext["hasEntry"];
  readonly notices: RunNotices;
  /** The state of the thread, which contains that of the middleware. */
  readonly memory: WritableState;
  /** The files of the thread. */
  readonly files: ThreadFiles;
  /** The state and files as a running call sees them. */
  readonly draftOf: (callId: string) => { readonly memory: WritableState; readonly files: ThreadFiles };
  readonly requests: RequestGuard;
  /** Calls the model and runs tools, without hooks. */
  readonly ask: AskModel;
  readonly tools: ToolGuard;
}

type OrPromise<T> = T | Promise<T>;

/** The hooks of all middleware, composed for one run. A hook point without hooks costs nothing. */
export interface RunHooks {
  readonly beforeAgent: () => OrPromise<EndRun | undefined>;
  /** The request to the model, for hooks. */
  readonly show: (request: ModelRequest) => ModelRequest;
  /** Undefined if the request is unchanged. */
  readonly beforeModel: (request: ModelRequest) => OrPromise<ModelRequest | EndRun | undefined>;
  readonly afterModel: (turn: () => AnswerContext["answer"]) => OrPromise<EndRun | AskAgain | undefined>;
  readonly afterAgent: (end: Pick<EndContext, "status" | "error">) => OrPromise<AskAgain | undefined>;
  readonly ask: AskModel;
  /** The names of the tools that hooks hid from the request of this response. */
  readonly hiddenFrom: (turn: AssembledTurn, stream: ModelStream | undefined) => readonly string[];
  /** True if there are `wrapToolCall` hooks, which may substitute another tool. */
  readonly isAroundTools: boolean;
  readonly execute: RunOne;
  /** Why a call was not started: a hook substituted something that may not run, and no tool has run. */
  readonly refusalOf: ToolGuard["refusalOf"];
  readonly progressOf: ToolGuard["progressOf"];
}

export interface Hooks {
  /** Undefined if no middleware has a hook. */
  readonly around: ((run: HookedRun) => RunHooks) | undefined;
  /** True for an error of a hook, as opposed to an error of the tool or the model. */
  readonly isFault: (error: unknown) => boolean;
}

const hookNames = ["beforeAgent", "beforeModel", "wrapModelCall", "wrapToolCall", "afterModel", "afterAgent"] as const;

/**
 * Composes middleware. `before` hooks run in order, `after` hooks in reverse order, and the first `wrap` hook is the
 * outermost.
 */
export function composeHooks(middleware: readonly Middleware[]): Hooks {
  const hasHook = middleware.some((each) => hookNames.some((name) => each[name] !== undefined));
  if (!hasHook) return { around: undefined, isFault: () => false };
  const wrapping = createWrapping();
  const around = (run: HookedRun): RunHooks => {
    const bound: readonly Bound[] = middleware.map((each) => ({
      middleware: each,
      context: contextOf(each, run, () => textsAfterSummary(bound)),
    }));
    const having = (name: HookName): readonly Bound[] => bound.filter((each) => each.middleware[name] !== undefined);
    const beforeAgent = having("beforeAgent");
    const beforeModel = having("beforeModel");
    const afterModel = having("afterModel").toReversed();
    const afterAgent = having("afterAgent").toReversed();
    const aroundModel = having("wrapModelCall").toReversed();
    const aroundTool = having("wrapToolCall").toReversed();
    const execute = wrapping.wrap("wrapToolCall", (call) => run.tools.execute(call), aroundTool, {
      settle: (call, settled) => run.tools.settle(call, settled),
      contextFor({ middleware: each, context }, call) {
        const { memory, files } = run.draftOf(call.context.callId); // saved with the result of the call
        return { ...context, state: stateHandle(each, memory), files };
      },
    });
    return {
      beforeAgent: () => inTurn(beforeAgent, "beforeAgent", (each, context) => each.beforeAgent?.(context), readEnd),
      show: (request) => run.requests.show(request),
      beforeModel(request) {
        let changed: ModelRequest | undefined;
        const ask = (each: Middleware, context: HookContext): unknown =>
          each.beforeModel?.(changed ?? request, context);
        const read = (returned: unknown): EndRun | undefined => {
          if (returned === (changed ?? request)) return undefined; // returned unchanged
          if (isDirective<EndRun>(returned, ["end"])) return returned;
          if (!isRecord(returned) || !Array.isArray(returned["messages"]))
            throw new Error(`it returned ${shown(returned)} instead of a request`);
          const problem = requestProblem(returned);
          if (problem !== undefined) throw new Error(`it returned a request in which ${problem}`);
          changed = completed(returned as unknown as ModelRequest, changed ?? request); // adds omitted fields
          return undefined;
        };
        return andThen(inTurn(beforeModel, "beforeModel", ask, read), (end) => end ?? changed);
      },
      afterModel: (turn) =>
        inTurn(
          afterModel,
          "afterModel",
          (each, context) => each.afterModel?.({ ...context, answer: turn() }),
          readEndOrAgain,
        ),
      afterAgent: ({ status, error }) =>
        inTurn(
          afterAgent,
          "afterAgent",
          (each, context) => each.afterAgent?.({ ...context, status, error }),
          readAgain,
        ),
      ask:
        aroundModel.length === 0
          ? run.ask
          : wrapping.wrap("wrapModelCall", run.ask, aroundModel, { see: (request) => run.requests.see(request) }),
      hiddenFrom: (turn, stream) => run.requests.hiddenFrom(turn, stream, wrapping.callsReadFrom),
      isAroundTools: aroundTool.length > 0,
      execute: aroundTool.length === 0 ? executeBare : (call) => run.tools.start(call, execute),
      refusalOf: (context) => run.tools.refusalOf(context),
      progressOf: (context) => run.tools.progressOf(context),
    };
  };
  return { around, isFault: wrapping.isFault };
}

type HookName = (typeof hookNames)[number];

/** Runs a tool without hooks. */
const executeBare: RunOne = ({ tool, arguments: args, context }) => tool.execute(args, context);

/** The context of a run for the hooks of one middleware. */
const contextOf = (
  middleware: Middleware,
  {
    threadId,
    runId,
    reason,
    agent,
    signal,
    language,
    depth,
    warn,
    complete,
    hasEntry,
    notices,
    memory,
    files,
  }: HookedRun,
  afterSummary: HookContext["afterSummary"],
): HookContext & { readonly [runNotices]: RunNotices } => ({
  threadId,
  runId,
  reason,
  agent,
  signal,
  language,
  depth,
  warn,
  state: stateHandle(middleware, memory),
  files,
  complete,
  entryOf,
  hasEntry,
  afterSummary,
  [runNotices]: notices,
});

function textsAfterSummary(bound: readonly Bound[]): readonly string[] {
  return bound.flatMap(({ middleware, context }) => {
    try {
      const text = middleware.afterSummary?.(context) ?? "";
      if (typeof text !== "string") throw new TypeError(`it returned ${shown(text)} instead of a text`);
      return text === "" ? [] : [text];
    } catch (error) {
      throw hookFault(middleware, "afterSummary", error);
    }
  });
}

type RunHook = (middleware: Middleware, context: HookContext) => unknown;

/** Runs hooks in order until one returns a directive. */
function inTurn<Directive>(
  bound: readonly Bound[],
  name: HookName,
  run: RunHook,
  read: (returned: unknown) => Directive | undefined,
): OrPromise<Directive | undefined> {
  for (let i = 0; i < bound.length; i++) {
    const each = bound[i];
    if (each === undefined) break;
    try {
      const returned = run(each.middleware, each.context);
      if (returned === undefined) continue;
      if (isThenable(returned)) return continueAfter(returned, { bound: bound.slice(i), name, run, read });
      const directive = read(returned);
      if (directive !== undefined) return directive;
    } catch (error) {
      throw hookFault(each.middleware, name, error);
    }
  }
  return undefined;
}

interface Rest<Directive> {
  readonly bound: readonly Bound[];
  readonly name: HookName;
  readonly run: RunHook;
  readonly read: (returned: unknown) => Directive | undefined;
}

/** Continues asynchronously after the first hook that returns a promise. */
async function continueAfter<Directive>(
  returned: PromiseLike<unknown>,
  { bound: [first, ...rest], name, run, read }: Rest<Directive>,
): Promise<Directive | undefined> {
  try {
    const value = await returned;
    const directive = value === undefined ? undefined : read(value);
    if (directive !== undefined) return directive;
  } catch (error) {
    throw first === undefined ? error : hookFault(first.middleware, name, error);
  }
  return inTurn(rest, name, run, read);
}

/** The directive of a hook, if valid. */
const readDirective =
  <Directive extends EndRun | AskAgain>(...allowed: readonly Directive["type"][]) =>
  (returned: unknown): Directive => {
    if (isDirective<Directive>(returned, allowed)) return returned;
    throw new Error(`it returned ${shown(returned)}, and not nothing or ${list(allowed)}`);
  };

const readEnd = readDirective<EndRun>("end");
const readAgain = readDirective<AskAgain>("again");
const readEndOrAgain = readDirective<EndRun | AskAgain>("end", "again");

function isDirective<Directive extends EndRun | AskAgain>(
  value: unknown,
  allowed: readonly Directive["type"][],
): value is Directive {
  if (!isRecord(value) || !allowed.some((type) => type === value["type"])) return false;
  const { text, message, error } = value;
  if (error !== undefined && !(error instanceof UndangleError)) return false;
  return [text, message].every((each) => each === undefined || typeof each === "string");
}

const list = (types: readonly string[]): string => types.map((type) => `{ type: "${type}" }`).join(" or ");
const shown = (value: unknown): string =>
  isRecord(value) ? `an object with ${Object.keys(value).join(", ") || "nothing in it"}` : String(value);
