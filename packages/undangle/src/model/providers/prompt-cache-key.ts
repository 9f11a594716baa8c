import type { CacheSetting } from "./provider.ts";

/** OpenAI caches every prompt. The key sends requests of a conversation to the same server. */
export const promptCacheKey: CacheSetting = {
  write: (body, { key }) =>
    key === undefined || "prompt_cache_key" in body ? body : { ...body, prompt_cache_key: key },
};

/** Servers that are known to accept the key. Many others refuse a field that they do not know. */
export const keyedHosts = /(?:^|\.)openai\.com$|\.azure\.com$/u;
