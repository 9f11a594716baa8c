import { isRecord } from "#core";

import type { ProviderOptions } from "./language-model.ts";

/** The options that enable thinking for Claude. */
const switches: readonly (readonly [provider: string, option: string])[] = [
  ["anthropic", "thinking"],
  ["bedrock", "reasoningConfig"],
];

/**
 * Disables thinking for a request that would fail with it. With thinking, Claude requires that the current tool loop
 * begins with its own thinking; here another model began it, or thinking was off.
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

/** True if there is no current tool loop, or if it begins with thinking of Claude. */
function mayThink(prompt: readonly unknown[]): boolean {
  const messages = prompt.filter(isRecord);
  if (messages.at(-1)?.["role"] !== "tool") return true;
  const begin = messages[messages.findLastIndex(({ role }) => role === "user") + 1];
  const first: unknown = Array.isArray(begin?.["content"]) ? begin["content"][0] : undefined;
  return isRecord(first) && first["type"] === "reasoning" && hasSeal(first["providerOptions"]);
}

const hasSeal = (options: unknown): boolean =>
  isRecord(options) && isRecord(options["anthropic"]) && Object.keys(options["anthropic"]).length > 0;
