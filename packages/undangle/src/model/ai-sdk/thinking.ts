import { isRecord } from "#core";

import type { ProviderOptions } from "./language-model.ts";

/** How packages are told to let Claude think. */
const switches: readonly (readonly [provider: string, option: string])[] = [
  ["anthropic", "thinking"],
  ["bedrock", "reasoningConfig"],
];

/**
 * Turns thinking off for a request that could not be made with it: Claude, when it thinks, has to have begun the running loop of calls
 * with a thought of its own, and here another model began it, or it did not think then.
 */
export function withoutThinking(
  given: ProviderOptions | undefined,
  prompt: readonly unknown[],
): ProviderOptions | undefined {
  const on = switches.filter(([provider, option]) => {
    const value = given?.[provider]?.[option];
    return isRecord(value) && value["type"] === "enabled";
  });
  if (on.length === 0 || mayThink(prompt)) return undefined;
  return Object.fromEntries(on.map(([provider, option]) => [provider, { [option]: { type: "disabled" } }]));
}

/** True when no loop of calls is running, or when a thought of Claude began it. */
function mayThink(prompt: readonly unknown[]): boolean {
  const messages = prompt.filter(isRecord);
  if (messages.at(-1)?.["role"] !== "tool") return true;
  const begin = messages[messages.findLastIndex(({ role }) => role === "user") + 1];
  const first: unknown = Array.isArray(begin?.["content"]) ? begin["content"][0] : undefined;
  return isRecord(first) && first["type"] === "reasoning" && hasSeal(first["providerOptions"]);
}

const hasSeal = (options: unknown): boolean =>
  isRecord(options) && isRecord(options["anthropic"]) && Object.keys(options["anthropic"]).length > 0;
