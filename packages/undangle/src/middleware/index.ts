export { appendSystemText } from "./append-system-text.ts";
export type { Appended } from "./append-system-text.ts";
export { patchToolCalls } from "./patch-tool-calls.ts";
export type { PatchOptions } from "./patch-tool-calls.ts";
