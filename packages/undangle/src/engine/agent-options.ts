import { isRecord, languages, UndangleError } from "#core";
import type { Language } from "#core";
import type { Model } from "#model";
import type { Store } from "#store";

import type { ApprovalRule } from "./approvals/rules.ts";
import { checkedOptions, isText, keysOf } from "./checked-options.ts";
import type { OptionCheck } from "./checked-options.ts";
import type { Logger } from "./logger.ts";
import type { Middleware } from "./middleware/middleware.ts";
import { runModes } from "./run/run-mode.ts";
import type { RunMode } from "./run/run-mode.ts";
import { defaultLimits } from "./run/limits.ts";
import type { Limits } from "./run/limits.ts";
import { inputPolicies } from "./run/setup.ts";
import type { InputPolicy } from "./run/setup.ts";
import type { ToolInput } from "./schema/input-schema.ts";
import type { AnyTool } from "./tool.ts";
import type { ToolSource } from "./toolbox.ts";

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
  /** What calls may do: the default of `send()`. An agent that is `read-only` has no other mode. By default `ask`. */
  readonly mode?: RunMode | undefined;
  /** The schema of the final answer, which types the `output` of a finished run. */
  readonly output?: Output | undefined;
  readonly language?: Language | undefined;
  readonly logger?: Logger | undefined;
  /** The clock, for tests. */
  readonly now?: (() => number) | undefined;
}

type Fits = OptionCheck["fits"];

const isFunction: Fits = (value) => typeof value === "function";
const has =
  (...methods: readonly string[]): Fits =>
  (value) =>
    typeof value === "object" && value !== null && methods.every((name) => isFunction(Reflect.get(value, name)));
const oneOf =
  (allowed: readonly unknown[]): Fits =>
  (value) =>
    allowed.includes(value);

const name: OptionCheck = { fits: (value) => isText(value) && value !== "", values: ["a non-empty string"] };
const isObject: Fits = (value) => typeof value === "object" && value !== null;

const checks: Readonly<Record<keyof AgentOptions, OptionCheck>> = {
  model: { fits: has("stream"), values: ["a model, an object with a method stream"], isRequired: true },
  instructions: { fits: isText, values: ["a string"] },
  tools: { fits: Array.isArray, values: ["a list of results of tool()"] },
  approvals: { fits: Array.isArray, values: ["a list of rules"] },
  middleware: { fits: Array.isArray, values: ["a list of middleware"] },
  name,
  store: { fits: has("load", "commit"), values: ["a store"] },
  limits: { fits: isRecord, values: ["an object"] },
  onInput: { fits: oneOf(inputPolicies), values: inputPolicies },
  mode: { fits: oneOf(runModes), values: runModes },
  output: { fits: (value) => isObject(value) || isFunction(value), values: ["a schema"] },
  language: { fits: oneOf(languages), values: languages },
  logger: { fits: has("info", "warn", "error"), values: ["an object with the methods info, warn and error"] },
  now: { fits: isFunction, values: ["a function"] },
};

const limit: OptionCheck = {
  fits: (value) => value === Infinity || (Number.isSafeInteger(value) && Number(value) > 0),
  values: ["a whole number of at least 1", "Infinity"],
};

/** Throws for unknown options and invalid values. */
export function validateAgentOptions(options: AgentOptions): void {
  const { model, limits = {}, middleware = [] } = isRecord(options) ? options : {};
  if (isRecord(options)) checkedOptions({ model }, ["model"], checks); // before options that are not known
  checkedOptions(options, keysOf(checks), checks);
  const names = keysOf(defaultLimits);
  const limitChecks = Object.fromEntries(names.map((name) => [name, limit])) as Record<keyof Limits, OptionCheck>; // one for each name
  checkedOptions(limits, names, limitChecks, "limits.");
  checkMiddleware(middleware);
}

const hook: OptionCheck = { fits: isFunction, values: ["a function"] };

const middlewareChecks: Readonly<Record<keyof Middleware, OptionCheck>> = {
  name: { ...name, isRequired: true },
  state: {
    fits: (value) =>
      isRecord(value) &&
      "initial" in value &&
      (value["reduce"] === undefined ? value["shared"] !== true : isFunction(value["reduce"])),
    values: ["{ initial, reduce, shared }, where shared needs reduce"],
  },
  tools: {
    fits: (value) => isFunction(value) || Array.isArray(value),
    values: ["a list of results of tool(), or a function that returns it"],
  },
  approvals: {
    fits: (value) => isFunction(value) || Array.isArray(value),
    values: ["a list of approval rules, or a function that returns it"],
  },
  beforeAgent: hook,
  beforeModel: hook,
  wrapModelCall: hook,
  wrapToolCall: hook,
  afterSummary: hook,
  afterModel: hook,
  afterAgent: hook,
};

/** Throws for invalid middleware, with its position. */
function checkMiddleware(middleware: readonly unknown[]): void {
  const allowed = keysOf(middlewareChecks);
  const places = new Map<unknown, string>();
  middleware.forEach((each, i) => {
    const place = `middleware[${i}]`;
    if (!isRecord(each))
      throw new UndangleError("options/value", { option: place, value: each, allowed: ["an object with a name"] });
    const known = isPlain(each) ? each : Object.fromEntries(allowed.map((key) => [key, each[key]]));
    checkedOptions(known, allowed, middlewareChecks, `${place}.`);
    const first = places.get(each["name"]);
    if (first !== undefined)
      throw new UndangleError("middleware/duplicate", { name: String(each["name"]), places: [first, place] });
    places.set(each["name"], place);
  });
}

/** False for an instance of a class, which may have members other than hooks. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
