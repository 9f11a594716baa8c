import type { Language, UndangleError } from "#core";
import type { ModelRequest, ModelStream } from "#model";

import type { ApprovalRule } from "../approvals/rules.ts";
import type { CallView, EventData, RunStatus } from "../events.ts";
import type { ThreadFiles } from "../thread-files.ts";
import type { ToolRun, AnyTool, ToolContext } from "../tool.ts";
import type { ToolSource } from "../toolbox.ts";

/**
 * Hooks around the model and the tools. The first middleware is the outermost: `before` hooks run in order, `after`
 * hooks in reverse order. Hooks cannot leave a call open. An error thrown by a hook fails the run.
 */
export interface Middleware<Value = unknown, Update = never> {
  /** Used in errors and as the key of its state. Unique within an agent. */
  readonly name: string;
  /** The state that it stores in each thread. */
  readonly state?: MiddlewareState<Value, Update> | undefined;
  /** Tools that it adds. A function receives access to the state of the middleware. */
  readonly tools?:
    | readonly (AnyTool | ToolSource)[]
    | ((own: OwnState<Value, Update>) => readonly (AnyTool | ToolSource)[])
    | undefined;
  /**
   * Approval rules that it adds. They come before those of the agent, which apply if no condition of these holds. A
   * function receives facts about the agent.
   */
  readonly approvals?: readonly ApprovalRule[] | ((agent: RuledAgent) => readonly ApprovalRule[]) | undefined;
  /** At the start of every run, including resumed runs. */
  beforeAgent?(context: HookContext<Value, Update>): Hooked<EndRun>;
  /** Before each request to the model. May return a changed request. */
  beforeModel?(request: ModelRequest, context: HookContext<Value, Update>): Hooked<ModelRequest | EndRun>;
  /** Around each model call. An error of the model that is rethrown unchanged stays an error of the model. */
  wrapModelCall?(next: AskModel): (request: ModelRequest, context: HookContext<Value, Update>) => ReturnType<AskModel>;
  /** Around each tool. An error of the tool that is rethrown unchanged stays a tool error, which the model receives. */
  wrapToolCall?(next: RunOne): (call: ToolRun, context: HookContext<Value, Update>) => unknown;
  /** After a turn is saved, and before any of its calls starts. */
  afterModel?(context: AnswerContext<Value, Update>): Hooked<EndRun | AskAgain>;
  /**
   * Before a run ends, for any reason. It may send a message to its thread, but must not wait for the response, which
   * starts after this run.
   */
  afterAgent?(context: EndContext<Value, Update>): Hooked<AskAgain>;
}

/** What the rules of a middleware can depend on. */
export interface RuledAgent {
  readonly language: Language;
  /** True if a tool or another rule of the agent makes calls wait for a person. */
  readonly hasApprovals: boolean;
}

/**
 * Ends the run as done. Open calls are settled as not executed. The text, if given, is its last response. Queued
 * messages get another run.
 */
export interface EndRun {
  readonly type: "end";
  readonly text?: string | undefined;
  /** Stops the run with this error, as a limit does. */
  readonly error?: UndangleError | undefined;
}

/** Requests another response. Open calls are settled as not executed. The message, if given, is added first. */
export interface AskAgain {
  readonly type: "again";
  readonly message?: string | undefined;
}

/** Nothing, or a directive. The first hook with a directive decides, and later hooks do not run. */
// oxlint-disable-next-line typescript/no-invalid-void-type -- most hooks return nothing
export type Hooked<Result> = Result | undefined | void | Promise<Result | undefined | void>;

export type AskModel = (request: ModelRequest) => ModelStream | Promise<ModelStream>;

export type RunOne = (call: ToolRun) => unknown;

/** What a hook can read about its run. */
export interface HookContext<Value = unknown, Update = never> {
  readonly threadId: string;
  readonly runId: string;
  /** Why the run started. `decision`, `recovery` and `regenerate` continue earlier work. */
  readonly reason: EventData["run_start"]["reason"];
  /** The name of the agent, if it has one, and of its model. */
  readonly agent: { readonly name: string | undefined; readonly model: string };
  readonly signal: AbortSignal;
  /** The language of the agent. */
  readonly language: Language;
  /** Emits a `warning` event, about the call with this id if one is given. */
  readonly warn: (message: string, callId?: string) => void;
  /** The state of this middleware in the thread. In `wrapToolCall`, changes are saved with the result of the call. */
  readonly state: StateHandle<Value, Update>;
  /** The files of the thread. In `wrapToolCall`, what is written is saved with the result of the call. */
  readonly files: ThreadFiles;
}

export interface AnswerContext<Value = unknown, Update = never> extends HookContext<Value, Update> {
  readonly answer: {
    readonly text: string;
    readonly calls: readonly CallView[];
    readonly finish: string;
  };
}

export interface EndContext<Value = unknown, Update = never> extends HookContext<Value, Update> {
  readonly status: RunStatus;
  /** Why the run failed, or which limit stopped it. */
  readonly error?: UndangleError | undefined;
}

/** The state of a middleware in each thread. It must be JSON, and is saved with the thread. */
export interface MiddlewareState<Value, Update> {
  /** The value in a new thread. */
  readonly initial: Value;
  /**
   * Applies an update. Parallel tools may update concurrently. By default objects are merged, and other values are
   * replaced.
   */
  reduce?(value: Value, update: Update): Value;
}

export interface StateHandle<Value, Update> {
  get(): Value;
  update(update: Update): void;
}

/** Gives a tool of a middleware access to the state of that middleware. */
export type OwnState<Value, Update> = (context: Pick<ToolContext, "state">) => StateHandle<Value, Update>;

/** A middleware whose state is typed for its own hooks and tools. */
export function defineMiddleware<Value = undefined, Update = Value extends object ? Partial<Value> : Value>(
  middleware: Middleware<Value, Update>,
): Middleware {
  return middleware as unknown as Middleware; // each middleware only receives its own state
}
