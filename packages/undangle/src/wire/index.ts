export { explain } from "./explain.ts";
export type { ExplainOptions, Explanation } from "./explain.ts";
export type { Fetch } from "./fetch.ts";
export { anthropicMiddleware, wrapFetch } from "./wrap-fetch.ts";
export type { AnthropicMiddleware, AnthropicMiddlewareOptions, WrapFetchOptions } from "./wrap-fetch.ts";
export type { WireLogger, WireRepair } from "./wire-report.ts";
