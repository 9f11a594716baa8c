import { isRecord } from "#core";

import type { AnyTool } from "./tool.ts";

/** Tools that may become others while an agent lives, such as those of an MCP server. It stands among the tools of an agent. */
export interface ToolSource {
  /** Those that there are now: the same list as long as nothing has changed. */
  readonly tools: () => readonly AnyTool[];
}

export const isToolSource = (value: unknown): value is ToolSource =>
  isRecord(value) && typeof value["tools"] === "function" && typeof value["execute"] !== "function";
