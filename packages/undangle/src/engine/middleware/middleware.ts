import type { UndangleError } from "#core";
import type { ModelRequest, ModelStream } from "#model";

import type { CallView, RunStatus } from "../events.ts";
import type { ToolRun } from "../run/setup.ts";
import type { ToolSource } from "../tool-source.ts";
import type { AnyTool, ToolContext } from "../tool.ts";

/**
 * Something around the model and the tools. The first of several is the outermost: `before` hooks run in their order, `after`
 * hooks in reverse. Whatever a hook does, no call is left open; what it throws fails the run.
 */
export interface Middleware<Value = unknown, Update = never> {
  /** For errors, and for what it keeps in a thread; no two of an agent have the same. */
  readonly name: string;
  /** What it keeps in each thread. */
  readonly state?: MiddlewareState<Value, Update> | undefined;
  /** Tools that it brings, if need be made of how they reach its state. */
  readonly tools?:
    | readonly (AnyTool | ToolSource)[]
    | ((own: OwnState<Value, Update>) => readonly (AnyTool | ToolSource)[])
    | undefined;
  /** At the start of every run, including resumed runs. */
  beforeAgent?(context: HookContext<Value, Update>): Hooked<EndRun>;
  /** Before the model is asked: it may be asked something else. */
  beforeModel?(request: ModelRequest, context: HookContext<Value, Update>): Hooked<ModelRequest | EndRun>;
  /** Around the model. What comes out of it, and is thrown on as it is, is the model's own failure. */
  wrapModelCall?(next: AskModel): (request: ModelRequest, context: HookContext<Value, Update>) => ReturnType<AskModel>;
  /** Around each tool. What a tool throws, and is thrown on as it is, stays an error that the model hears of. */
  wrapToolCall?(next: RunOne): (call: ToolRun, context: HookContext<Value, Update>) => unknown;
  /** After a turn is saved, and before any of its calls starts. */
  afterModel?(context: AnswerContext<Value, Update>): Hooked<EndRun | AskAgain>;
  /**
   * Before a run ends, for any reason. It may send a message to its thread, but must not wait for the response, which
   * starts after this run.
   */
  afterAgent?(context: EndContext<Value, Update>): Hooked<AskAgain>;
}

/**
 * Ends the run as done. Open calls are settled as not executed. The text, if given, is its last response. Queued
 * messages get another run.
 */
export interface EndRun {
  readonly type: "end";
  readonly text?: string | undefined;
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

/** What a hook knows of the run that it is in. */
export interface HookContext<Value = unknown, Update = never> {
  readonly threadId: string;
  readonly runId: string;
  /** Whose run it is: the name of the agent, where it has one, and that of its model. */
  readonly agent: { readonly name: string | undefined; readonly model: string };
  readonly signal: AbortSignal;
  /** What its middleware keeps in the thread. */
  readonly state: StateHandle<Value, Update>;
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
  /** Why it failed, or which limit has stopped it. */
  readonly error?: UndangleError | undefined;
}

/** What a middleware keeps in each thread: JSON, saved with it. */
export interface MiddlewareState<Value, Update> {
  /** What it is before anything has happened. */
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

/** How a tool of a middleware reaches what that keeps in the thread. */
export type OwnState<Value, Update> = (context: Pick<ToolContext, "state">) => StateHandle<Value, Update>;

/** A middleware whose state is typed for its own hooks and tools. */
export function defineMiddleware<Value = undefined, Update = Value extends object ? Partial<Value> : Value>(
  middleware: Middleware<Value, Update>,
): Middleware {
  return middleware as unknown as Middleware; // each is only ever given its own state
}
