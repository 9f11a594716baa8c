export { undangle } from "./langchain/middleware.ts";
export type { Middleware, MiddlewareOptions, ModelCall, StateUpdate } from "./langchain/middleware.ts";
