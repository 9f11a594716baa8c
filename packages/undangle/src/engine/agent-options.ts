import { languages, UndangleError } from "#core";
import type { Language } from "#core";
import type { Model } from "#model";
import type { Store } from "#store";

import type { ApprovalRule } from "./approvals/rules.ts";
import type { Logger } from "./logger.ts";
import { checkMiddleware } from "./middleware/check-middleware.ts";
import type { Middleware } from "./middleware/middleware.ts";
import { defaultLimits, inputPolicies } from "./run/setup.ts";
import type { InputPolicy, Limits } from "./run/setup.ts";
import type { ToolInput } from "./schema/input-schema.ts";
import type { ToolSource } from "./tool-source.ts";
import type { AnyTool } from "./tool.ts";

export interface AgentOptions<Output extends ToolInput | undefined = ToolInput | undefined> {
  readonly model: Model;
  /** The system text of every request. */
  readonly instructions?: string | undefined;
  /** Tools from `tool()`, and sources of tools such as `mcpTools()`. */
  readonly tools?: readonly (AnyTool | ToolSource)[] | undefined;
  /** Which calls need approval. The first matching rule applies. */
  readonly approvals?: readonly ApprovalRule[] | undefined;
  readonly middleware?: readonly Middleware[] | undefined;
  /** Agents with the same name on one store share allowances for all their threads. Without a name, there are none. */
  readonly name?: string | undefined;
  /** The store of threads. In memory by default. */
  readonly store?: Store | undefined;
  readonly limits?: { readonly [Name in keyof Limits]?: Limits[Name] | undefined } | undefined;
  /** What happens to a message that arrives while calls are open. By default it supersedes them. */
  readonly onInput?: InputPolicy | undefined;
  /** The schema of the final answer, which types the `output` of a finished run. */
  readonly output?: Output | undefined;
  readonly language?: Language | undefined;
  readonly logger?: Logger | undefined;
  /** The clock, for tests. */
  readonly now?: (() => number) | undefined;
}

type Fits = (value: unknown) => boolean;

const isFunction: Fits = (value) => typeof value === "function";
const has =
  (...methods: readonly string[]): Fits =>
  (value) =>
    typeof value === "object" && value !== null && methods.every((name) => isFunction(Reflect.get(value, name)));
const oneOf =
  (allowed: readonly unknown[]): Fits =>
  (value) =>
    allowed.includes(value);

const checks: Readonly<Record<keyof AgentOptions, readonly [fits: Fits, allowed: readonly string[]]>> = {
  model: [has("stream"), ["a model, an object with a method stream"]],
  instructions: [(value) => typeof value === "string", ["a string"]],
  tools: [Array.isArray, ["a list of results of tool()"]],
  approvals: [Array.isArray, ["a list of rules"]],
  middleware: [Array.isArray, ["a list of middleware"]],
  name: [(value) => typeof value === "string" && value !== "", ["a non-empty string"]],
  store: [has("load", "commit"), ["a store"]],
  limits: [(value) => typeof value === "object" && value !== null, ["an object"]],
  onInput: [oneOf(inputPolicies), inputPolicies],
  output: [(value) => (typeof value === "object" && value !== null) || isFunction(value), ["a schema"]],
  language: [oneOf(languages), languages],
  logger: [has("info", "warn", "error"), ["an object with the methods info, warn and error"]],
  now: [isFunction, ["a function"]],
};

/** Throws for unknown options and invalid values. */
export function validateAgentOptions(options: unknown): void {
  if (typeof options !== "object" || options === null) {
    throw new UndangleError("options/value", { option: "options", value: options, allowed: ["an object"] });
  }
  const given = { model: undefined, ...options };
  for (const [option, value] of Object.entries(given)) {
    const check = Object.hasOwn(checks, option) ? checks[option as keyof AgentOptions] : undefined; // the table has this key
    if (check === undefined) throw new UndangleError("options/unknown", { option, allowed: Object.keys(checks) });
    const [fits, allowed] = check;
    if ((value !== undefined || option === "model") && !fits(value)) {
      throw new UndangleError("options/value", { option, value, allowed });
    }
  }
  if ("limits" in given) validateLimits(given.limits ?? {});
  if ("middleware" in given && Array.isArray(given.middleware)) checkMiddleware(given.middleware);
}

function validateLimits(limits: object): void {
  for (const [name, value] of Object.entries<unknown>({ ...limits })) {
    const option = `limits.${name}`;
    if (!Object.hasOwn(defaultLimits, name))
      throw new UndangleError("options/unknown", { option, allowed: Object.keys(defaultLimits) });
    if (value === undefined || value === Infinity || (Number.isSafeInteger(value) && Number(value) > 0)) continue;
    throw new UndangleError("options/value", { option, value, allowed: ["a whole number of at least 1", "Infinity"] });
  }
}
