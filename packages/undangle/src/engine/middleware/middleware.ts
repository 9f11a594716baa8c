import type { Message } from "#codecs";
import type { AssembledTurn, Language, UndangleError } from "#core";
import type { ModelRequest, ModelStream } from "#model";
import type { Store } from "#store";

import type { Agent } from "../agent.ts";
import type { AgentOptions } from "../agent-options.ts";
import type { ApprovalRule } from "../approvals/rules.ts";
import type { EntryRef } from "../journal/entry-ref.ts";
import type { CompletionOptions, CompletionRequest } from "../step/complete.ts";
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
  /** Tools that it adds. A function receives access to the state of the middleware, and the agent that gets the tools. */
  readonly tools?:
    | readonly (AnyTool | ToolSource)[]
    | ((own: OwnState<Value, Update>, host: AgentHost) => readonly (AnyTool | ToolSource)[])
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
  /** Text that the model must still know after older messages were replaced by a summary. */
  afterSummary?(context: HookContext<Value, Update>): string | undefined;
  /** After a turn is saved, and before any of its calls starts. */
  afterModel?(context: AnswerContext<Value, Update>): Hooked<EndRun | AskAgain>;
  /**
   * Before a run ends, for any reason. It may send a message to its thread, but must not wait for the response, which
   * starts after this run.
   */
  afterAgent?(context: EndContext<Value, Update>): Hooked<AskAgain>;
}

/** The agent that a middleware belongs to. */
export interface AgentHost {
  /** The options of the agent, with its store. */
  readonly options: AgentOptions & { readonly store: Store };
  /**
   * Creates an agent for child threads. It uses the store, the clock and, unless given, the language and logger of this
   * one. Its name gets that of this one as a prefix: `parent/child`.
   */
  readonly createChild: (options: Omit<AgentOptions, "store" | "now">) => Agent;
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
  /** The number of calls that lead to this thread; 0 for a thread without a parent. */
  readonly depth: number;
  /** Emits a `warning` event, about the call with this id if one is given. */
  readonly warn: (message: string, callId?: string) => void;
  /** The state of this middleware in the thread. In `wrapToolCall`, changes are saved with the result of the call. */
  readonly state: StateHandle<Value, Update>;
  /** The files of the thread. In `wrapToolCall`, what is written is saved with the result of the call. */
  readonly files: ThreadFiles;
  /**
   * Asks a model outside the conversation, for example for a summary. Its events have a `purpose`, its text is not shown,
   * and its tokens count for the run. Throws if the model fails.
   */
  readonly complete: (request: CompletionRequest, options: CompletionOptions) => Promise<AssembledTurn>;
  /**
   * The entry of the thread that a message of a request comes from. It stays the same whatever is added before or after
   * it. A copy that a hook makes with `...` has it too; a message that a hook or a repair adds has none.
   */
  readonly entryOf: (message: Message) => EntryRef | undefined;
  /** True if the thread contains an entry. A fork does not contain what came after it. */
  readonly hasEntry: (entry: EntryRef) => boolean;
  /** What all middleware of the agent contribute after a summary, in their order. */
  readonly afterSummary: () => readonly string[];
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
  /**
   * True if a child thread whose agent has the same middleware starts with the value of its parent, and its updates are
   * applied to the value of the parent with the result of the call. Needs `reduce`. False by default.
   */
  readonly shared?: boolean | undefined;
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
