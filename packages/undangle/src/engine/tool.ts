import { UndangleError } from "#core";
import type { Language } from "#core";

import type { OwnApproval } from "./approvals/rules.ts";
import { readInput } from "./schema/input-schema.ts";
import type { ArgumentsOf, InputSchema, ProposalOf, ToolInput } from "./schema/input-schema.ts";
import type { JsonSchema } from "./schema/json-schema.ts";
import type { Validation } from "./schema/validation.ts";
import { refuseBadOptions } from "./tool-options.ts";

/** Something that a model can call. */
export interface Tool<Args = unknown> {
  readonly name: string;
  readonly description: string;
  /** What the model is told of the arguments. */
  readonly schema: JsonSchema;
  /** Whether arguments fit, and what the tool gets of them. It never throws, and its promise never rejects. */
  validate(args: Readonly<Record<string, unknown>>, language?: Language): Validation<Args> | Promise<Validation<Args>>;
  /** Does it, with arguments that were validated. */
  execute(args: Args, context: ToolContext): unknown;
  readonly approval: ToolApproval;
  readonly idempotent: boolean;
  /** In milliseconds; undefined where only the run's own limits hold. */
  readonly timeout: number | undefined;
  readonly retries: Retries;
}

/** A tool with whatever arguments. */
export interface AnyTool extends Omit<Tool<never>, "validate"> {
  validate(
    args: Readonly<Record<string, unknown>>,
    language?: Language,
  ): Validation<unknown> | Promise<Validation<unknown>>;
}

export interface ToolOptions<Input extends ToolInput | undefined = undefined> {
  /** What the model calls it: letters, digits, `_` and `-`, at most 64 of them. */
  readonly name: string;
  /** When to use it and what it does: all that the model knows of it. */
  readonly description: string;
  /** Its arguments; left out, it has none. */
  readonly input?: Input;
  /** What it returns is the result: text, JSON, `image()`, `file()`, or a list of those. */
  readonly execute: (args: ArgumentsOf<Input>, context: ToolContext) => unknown;
  /** Whether a person has to decide about its calls. */
  readonly approval?: ToolApproval<ProposalOf<Input>> | undefined;
  /** Running it twice with the same idempotency key does what running it once does, so that it may run again after a crash. */
  readonly idempotent?: boolean | undefined;
  /** Milliseconds after which it counts as failed, outcome unknown. */
  readonly timeout?: number | undefined;
  /** How often it is tried again when it throws; as a number, at once. */
  readonly retries?: number | Retries | undefined;
}

/** What a tool knows of the call that it is run for. */
export interface ToolContext {
  readonly threadId: string;
  readonly callId: string;
  /** The same for every attempt at this call, also after a crash. */
  readonly idempotencyKey: string;
  /** Counts from 1. */
  readonly attempt: number;
  /** Aborted when the run is stopped or the time is over. */
  readonly signal: AbortSignal;
  /** Tells those who watch the run how far it is. */
  progress(value: unknown): void;
  readonly state: ToolState;
}

/** What a thread remembers between calls. What middleware keep there, under their names, is theirs to change. */
export interface ToolState {
  get(key: string): unknown;
  set(key: string, value: unknown): void;
}

/** `true`: every call waits for a person; as an object, which ones do, for what, and how long. */
export type ToolApproval<Args = Readonly<Record<string, unknown>>> = NonNullable<OwnApproval<Args>>;

/** How often something is tried again, and how many milliseconds later. */
export interface Retries {
  readonly times: number;
  readonly delay: number;
}

/** Makes a tool. Its arguments are checked before it runs, and typed by its input. */
export function tool<const Input extends ToolInput | undefined = undefined>(
  options: ToolOptions<Input>,
): Tool<ArgumentsOf<Input>> {
  refuseBadOptions(options);
  const { name, description, execute, approval = false, idempotent = false, timeout, retries = 0 } = options;
  const { schema, validate } = readNamedInput(name, options.input);
  return Object.freeze({
    name,
    description,
    schema,
    // What a schema lets pass is what its type says.
    validate: validate as Tool<ArgumentsOf<Input>>["validate"],
    execute: (args: ArgumentsOf<Input>, context: ToolContext) => execute(args, context),
    approval: approval as ToolApproval, // it is asked about no other calls than those of the tool
    idempotent,
    timeout,
    retries: Object.freeze(typeof retries === "number" ? { times: retries, delay: 0 } : { ...retries }),
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
