export { appendSystemText } from "./append-system-text.ts";
export type { Appended } from "./append-system-text.ts";
export { patchToolCalls } from "./patch-tool-calls.ts";
export type { PatchOptions } from "./patch-tool-calls.ts";
export { telemetry } from "./telemetry/telemetry.ts";
export type { TelemetryOptions } from "./telemetry/telemetry.ts";
export type { OpenTelemetry } from "./telemetry/open-telemetry.ts";
