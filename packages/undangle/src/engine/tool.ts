import { UndangleError, isRecord } from "#core";
import type { JsonObject, Language } from "#core";

import type { Agent } from "./agent.ts";
import { checkRule, ownRuleKeys } from "./approvals/rules.ts";
import type { RenderContext, Rendered, ToolAnnotations } from "./approvals/call-display.ts";
import type { OwnApproval } from "./approvals/rules.ts";
import { checkedOptions, keysOf, yesOrNo } from "./checked-options.ts";
import type { OptionCheck } from "./checked-options.ts";
import type { ChildEnd } from "./children/child-thread.ts";
import { readInput } from "./schema/input-schema.ts";
import type { ArgumentsOf, InputSchema, ProposalOf, ToolInput } from "./schema/input-schema.ts";
import type { JsonSchema } from "./schema/json-schema.ts";
import type { Validation } from "./schema/validation.ts";
import type { ThreadFiles } from "./thread-files.ts";
import type { Input } from "./thread/commands/send.ts";

/** A tool that a model can call. */
export interface Tool<Args = unknown> {
  readonly name: string;
  readonly description: string;
  /** The schema of the arguments for the model. */
  readonly schema: JsonSchema;
  /** Validates arguments and returns those that the tool gets. It never throws, and its promise never rejects. */
  validate(args: JsonObject, language?: Language): Validation<Args> | Promise<Validation<Args>>;
  /** Runs the tool with validated arguments. */
  execute(args: Args, context: ToolContext): unknown;
  readonly approval: ToolApproval;
  readonly idempotent: boolean;
  /** In milliseconds. Undefined if only the limits of the run apply. */
  readonly timeout: number | undefined;
  readonly retries: Retries;
  /** For people, in place of the name. */
  readonly title?: string | undefined;
  readonly annotations?: ToolAnnotations | undefined;
  /** Shows what a call will do, before a person decides. */
  render?(args: Args, context: RenderContext): unknown;
  /** The agent that runs a call on a child thread. */
  agent?(args: JsonObject): Agent | undefined;
}

/** A tool with any arguments. */
export interface AnyTool extends Omit<Tool<never>, "validate"> {
  validate(args: JsonObject, language?: Language): Validation<unknown> | Promise<Validation<unknown>>;
}

export interface ToolOptions<Input extends ToolInput | undefined = undefined> {
  /** The name for the model: letters, digits, `_` and `-`, at most 64 characters. */
  readonly name: string;
  /** What the tool does and when to use it. The model knows nothing else about it. */
  readonly description: string;
  /** The schema of its arguments. No arguments by default. */
  readonly input?: Input;
  /** Returns the result: text, JSON, `image()`, `file()`, or a list of those. */
  readonly execute: (args: ArgumentsOf<Input>, context: ToolContext) => unknown;
  /** Which of its calls need a decision. */
  readonly approval?: ToolApproval<ProposalOf<Input>> | undefined;
  /**
   * True if two executions with the same idempotency key have the effect of one. The tool may then run again after a
   * crash.
   */
  readonly idempotent?: boolean | undefined;
  /** Milliseconds after which the call fails, outcome unknown. */
  readonly timeout?: number | undefined;
  /** How often the tool is retried if it throws. A number retries without delay. */
  readonly retries?: number | Retries | undefined;
  /** For people, in place of the name. */
  readonly title?: string | undefined;
  /** What the tool does: whether it only reads, edits, or destroys. */
  readonly annotations?: ToolAnnotations | undefined;
  /**
   * Shows what a call will do, before a person decides: a diff, a command, a table or Markdown. It must not change
   * anything. After one second the call is shown without it.
   */
  readonly render?:
    | ((args: ArgumentsOf<Input>, context: RenderContext) => Rendered | undefined | Promise<Rendered | undefined>)
    | undefined;
  /**
   * The agent that runs a call on a child thread, by the arguments of the call. `execute` then calls
   * `context.runChild()`, and is called again when the child resumes after a wait or a crash. The agent must always be
   * the same for the same arguments, and use the store of the agent that has the tool.
   */
  readonly agent?: ((args: ProposalOf<Input>) => Agent | undefined) | undefined;
}

/** What a tool can read about its call. */
export interface ToolContext {
  readonly threadId: string;
  readonly callId: string;
  /** The name of the agent, if it has one, and of its model. */
  readonly agent: { readonly name: string | undefined; readonly model: string };
  /** The same for every attempt of this call, also after a crash. */
  readonly idempotencyKey: string;
  /** Starts at 1. */
  readonly attempt: number;
  /** Aborted when the run is stopped or the timeout expires. */
  readonly signal: AbortSignal;
  /** The language of the agent, for texts that the model reads. */
  readonly language: Language;
  /** Emits a progress report. */
  progress(value: unknown): void;
  /**
   * Runs the agent of the call (`tool({ agent })`) on its child thread, with one message. The promise does not resolve
   * while the child waits for a decision: the call ends then, and starts again later.
   */
  runChild(input: Input): Promise<ChildEnd>;
  /** The number of calls that lead to this thread; 0 for a thread without a parent. */
  readonly depth: number;
  /** What the call changes is saved with its result. Until then, other calls do not see it. */
  readonly state: ToolState;
  /** The files of the thread. What the call writes is saved with its result. */
  readonly files: ThreadFiles;
}

/** One attempt to run a tool. */
export interface ToolRun {
  readonly tool: Tool;
  readonly arguments: unknown;
  readonly context: ToolContext;
}

/** The state of a thread between calls. Only middleware can change the keys of middleware. */
export interface ToolState {
  get(key: string): unknown;
  set(key: string, value: unknown): void;
}

/** `true`: every call needs a decision. An object selects the calls, the accepted decisions and the deadline. */
export type ToolApproval<Args = JsonObject> = NonNullable<OwnApproval<Args>>;

/** How often to retry, and the delay in milliseconds. */
export interface Retries {
  readonly times: number;
  readonly delay: number;
}

/** Creates a tool. Its arguments are validated before it runs, and typed by its input. */
export function tool<const Input extends ToolInput | undefined = undefined>(
  options: ToolOptions<Input>,
): Tool<ArgumentsOf<Input>> {
  refuseBadOptions(options);
  const { name, description, execute, approval = false, idempotent = false, timeout, retries = 0 } = options;
  const { title, annotations, render, agent } = options;
  const { schema, validate } = readNamedInput(name, options.input);
  return Object.freeze({
    name,
    description,
    schema,
    // The schema returns values of its own type.
    validate: validate as Tool<ArgumentsOf<Input>>["validate"],
    execute: (args: ArgumentsOf<Input>, context: ToolContext) => execute(args, context),
    approval: approval as ToolApproval, // it is evaluated only for calls of this tool
    idempotent,
    timeout,
    retries: Object.freeze(typeof retries === "number" ? { times: retries, delay: 0 } : { ...retries }),
    ...(title !== undefined && { title }),
    ...(annotations !== undefined && { annotations: Object.freeze({ ...annotations }) }),
    ...(agent !== undefined && { agent: agent as NonNullable<Tool["agent"]> }), // called with arguments of this tool only
    ...(render !== undefined && {
      render: (args: ArgumentsOf<Input>, context: RenderContext) => render(args, context),
    }),
  });
}

function readNamedInput(name: string, input: unknown): InputSchema {
  try {
    return readInput(input);
  } catch (error) {
    throw new UndangleError(
      "tool/schema",
      { tool: name, reason: error instanceof Error ? error.message : String(error) },
      error,
    );
  }
}

/** Throws for unknown options of `tool()` and invalid values, with the name of the tool. */
function refuseBadOptions(options: unknown): void {
  if (!isRecord(options)) {
    throw new UndangleError("options/value", { option: "options", value: options, allowed: ["an object with a name"] });
  }
  const { name, retries, approval, annotations } = options;
  if (typeof name !== "string" || !/^[a-zA-Z0-9_-]{1,64}$/u.test(name)) throw new UndangleError("tool/name", { name });
  checkedOptions(options, keysOf(toolOptions), toolOptions, `${name}.`);
  if (isRecord(retries)) checkedOptions(retries, keysOf(retryOptions), retryOptions, `${name}.retries.`);
  if (isRecord(annotations))
    checkedOptions(annotations, keysOf(annotationOptions), annotationOptions, `${name}.annotations.`);
  if (isRecord(approval)) checkRule(approval, `${name}.approval`, ownRuleKeys);
}

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;

/** JavaScript timers longer than 2^31 - 1 milliseconds fire immediately. */
const isWait = (value: unknown): boolean => typeof value === "number" && value >= 0 && value < 2 ** 31;

const flag: OptionCheck = { ...yesOrNo, values: ["true or false"] };
const isText = (value: unknown): boolean => typeof value === "string";
const isFunction = (value: unknown): boolean => typeof value === "function";

const toolOptions: Readonly<Record<string, OptionCheck>> = {
  name: { values: ["a name"], fits: isText, isRequired: true },
  description: { values: ["a string"], fits: isText, isRequired: true },
  input: { values: ["a schema"], fits: () => true }, // validated separately
  execute: { values: ["a function"], fits: isFunction, isRequired: true },
  approval: { values: ["true, false, or an object"], fits: (value) => typeof value === "boolean" || isRecord(value) },
  idempotent: flag,
  timeout: { values: ["milliseconds from 1 to 2147483647"], fits: (value) => isWait(value) && value !== 0 },
  retries: {
    values: ["a whole number of at least 0, or { times, delay }"],
    fits: (value) => isCount(value) || isRecord(value),
  },
  title: { values: ["a non-empty string"], fits: (value) => isText(value) && value !== "" },
  annotations: { values: ["an object"], fits: isRecord },
  render: { values: ["a function"], fits: isFunction },
  agent: { values: ["a function"], fits: isFunction },
};

const annotationOptions: Readonly<Record<string, OptionCheck>> = { readOnly: flag, destructive: flag, edits: flag };

const retryOptions: Readonly<Record<string, OptionCheck>> = {
  times: { values: ["a whole number of at least 0"], fits: isCount, isRequired: true },
  delay: { values: ["milliseconds from 0 to 2147483647"], fits: isWait, isRequired: true },
};
