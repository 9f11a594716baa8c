import { hashHex, UndangleError } from "#core";
import { defineMiddleware } from "#engine";
import type { Middleware } from "#engine";
import type { PromptCache } from "#model";

/** How providers cache the prompts of an agent. */
export interface PromptCachingOptions {
  /** How long the cache lasts after its last use, if the provider has a choice (default: `5m`). */
  readonly ttl?: "5m" | "1h" | undefined;
  /** Requests with fewer messages are not cached, because writing to a cache costs more than not using it (default: 0). */
  readonly minMessages?: number | undefined;
  /**
   * What happens with a model whose provider has no setting for it (default: `ignore`). `warn`: one `warning` event in a
   * run. `error`: the request fails, and `fallback()` uses its next model.
   */
  readonly unsupported?: "ignore" | "warn" | "error" | undefined;
}

/**
 * Requests prompt caching. It only says so in the request: the model that responds writes the markers or the key of its
 * provider, also as a member of `fallback()`.
 */
export function promptCaching(options: PromptCachingOptions = {}): Middleware {
  const { ttl, unsupported, minMessages } = readOptions(options);
  const runs = new WeakMap<AbortSignal, PromptCache>(); // one object per run, as the model expects
  return defineMiddleware({
    name: "prompt-caching",
    beforeModel(request, { agent, threadId, signal }) {
      if (request.messages.length < minMessages) return undefined;
      const cache = runs.get(signal) ?? {
        ttl,
        unsupported,
        key: hashHex(JSON.stringify([agent.name ?? "", threadId])),
      };
      runs.set(signal, cache);
      return { ...request, cache };
    },
  });
}

function readOptions(options: PromptCachingOptions): Required<PromptCachingOptions> & { readonly minMessages: number } {
  const { ttl = "5m", minMessages = 0, unsupported = "ignore" } = options;
  const allowed: Readonly<Record<keyof PromptCachingOptions, readonly string[]>> = {
    ttl: ["5m", "1h"],
    minMessages: ["a whole number of at least 0"],
    unsupported: ["ignore", "warn", "error"],
  };
  const unknown = Object.keys(options).find((option) => !Object.hasOwn(allowed, option));
  if (unknown !== undefined) {
    throw new UndangleError("options/unknown", { option: unknown, allowed: Object.keys(allowed) });
  }
  const demand = (option: keyof PromptCachingOptions, value: unknown, isFine: boolean): void => {
    if (!isFine) throw new UndangleError("options/value", { option, value, allowed: allowed[option] });
  };
  demand("ttl", ttl, allowed.ttl.includes(ttl));
  demand("minMessages", minMessages, Number.isSafeInteger(minMessages) && minMessages >= 0);
  demand("unsupported", unsupported, allowed.unsupported.includes(unsupported));
  return { ttl, minMessages, unsupported };
}
