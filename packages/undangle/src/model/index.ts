export { demoModel } from "./demo/demo-model.ts";
export type { DemoModelOptions } from "./demo/demo-model.ts";
export type { Model, ModelRequest, ModelToolChoice, ToolDescription } from "./model.ts";
