import type { Message } from "#codecs";
import { isRecord, UndangleError } from "#core";

import { demand } from "../option-checks.ts";

/** A size of a conversation: tokens, messages, or a fraction of the context window of the model. */
export type ContextSize = { readonly tokens: number } | { readonly messages: number } | { readonly fraction: number };

/** A size without fractions. */
export type AbsoluteSize = Exclude<ContextSize, { readonly fraction: number }>;

/** Options that several middleware of the context have in common. */
export interface SizeOptions {
  /** How large the conversation gets before something happens. If there are several sizes, the first that is reached. */
  readonly trigger?: ContextSize | readonly ContextSize[] | undefined;
  /** How much of the end of the conversation stays as it is. */
  readonly keep?: ContextSize | undefined;
  /** The tokens that the model can read. Needed for fractions. */
  readonly contextWindow?: number | undefined;
  /** Counts the tokens of a message. By default the usage that the provider reports, and an estimate of what is new. */
  readonly countTokens?: ((message: Message) => number) | undefined;
}

export interface SizeSettings {
  readonly triggers: readonly AbsoluteSize[];
  readonly keep: AbsoluteSize;
  readonly contextWindow: number | undefined;
  readonly countTokens: ((message: Message) => number) | undefined;
}

/** What applies if an option is not given: the first of each pair if the context window is known. */
export interface SizeDefaults {
  readonly trigger: readonly [known: ContextSize, unknown: ContextSize];
  readonly keep: readonly [known: ContextSize, unknown: ContextSize];
}

/** Validates sizes and applies defaults. Throws `options/value`. */
export function readSizes(options: SizeOptions, defaults: SizeDefaults): SizeSettings {
  const { contextWindow, countTokens } = options;
  const isWindow = contextWindow === undefined || (Number.isSafeInteger(contextWindow) && contextWindow > 0);
  demand(isWindow, "contextWindow", contextWindow, ["a whole number of tokens"]);
  demand(countTokens === undefined || typeof countTokens === "function", "countTokens", countTokens, ["a function"]);
  const at = contextWindow === undefined ? 1 : 0;
  const { trigger = defaults.trigger[at], keep = defaults.keep[at] } = options;
  const absolute = (size: ContextSize, option: string): AbsoluteSize => {
    const [kind, value] = sizeOf(size, option);
    if (kind !== "fraction") return kind === "tokens" ? { tokens: value } : { messages: value };
    if (contextWindow !== undefined) return { tokens: Math.floor(value * contextWindow) };
    throw fault("contextWindow", contextWindow, [`a whole number of tokens, which ${option} is a fraction of`]);
  };
  const isList = Array.isArray(trigger);
  const list: readonly ContextSize[] = isList ? trigger : [trigger];
  demand(list.length > 0, "trigger", trigger, ["at least one size"]);
  const triggers = list.map((each, i) => absolute(each, isList ? `trigger[${i}]` : "trigger"));
  return { triggers, keep: absolute(keep, "keep"), contextWindow, countTokens };
}

const kinds = ["tokens", "messages", "fraction"] as const;

function sizeOf(size: unknown, option: string): readonly [(typeof kinds)[number], number] {
  const allowed = ["{ tokens }, { messages } or { fraction }, with a positive number; a fraction is at most 1"];
  const given = isRecord(size) ? Object.entries(size).filter(([, value]) => value !== undefined) : [];
  const [only] = given;
  const kind = kinds.find((each) => each === only?.[0]);
  const value = only?.[1];
  if (given.length !== 1 || kind === undefined || typeof value !== "number") throw fault(option, size, allowed);
  const isFine = kind === "fraction" ? value > 0 && value <= 1 : Number.isSafeInteger(value) && value > 0;
  demand(isFine, option, size, allowed);
  return [kind, value];
}

/** Throws for a trigger that what is kept reaches by itself: it would apply to every request. */
export function refuseSmallTriggers({ triggers, keep }: SizeSettings): void {
  for (const trigger of triggers) {
    const isSmall =
      ("tokens" in trigger && "tokens" in keep && keep.tokens >= trigger.tokens) ||
      ("messages" in trigger && "messages" in keep && keep.messages >= trigger.messages);
    demand(!isSmall, "keep", keep, ["a size that is smaller than the trigger"]);
  }
}

const fault = (option: string, value: unknown, allowed: readonly string[]): UndangleError =>
  new UndangleError("options/value", { option, value, allowed });
