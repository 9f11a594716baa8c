export { createKeyRing, scopes } from "./access/key-ring.ts";
export type { KeyRing, NewKey, Scope, StoredKey } from "./access/key-ring.ts";
export { createServer } from "./create-server.ts";
export { serve } from "./serve.ts";
export type { ServeOptions, Serving } from "./serve.ts";
export type { ServerLimits, ServerOptions } from "./server-options.ts";
