export type { Model, ModelRequest, ModelToolChoice, ToolDescription } from "./model.ts";
