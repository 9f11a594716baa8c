export type { Fetch } from "./wrap-fetch.ts";
export { anthropicMiddleware, wrapFetch } from "./wrap-fetch.ts";
export type { AnthropicMiddleware, AnthropicMiddlewareOptions, WrapFetchOptions } from "./wrap-fetch.ts";
export type { WireLogger, WireRepair } from "./reporter.ts";
