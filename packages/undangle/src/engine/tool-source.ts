import { isRecord } from "#core";

import type { AnyTool } from "./tool.ts";

/**
 * Tools that may change during the life of an agent, such as those of an MCP server. It is an entry of the agent's
 * tools.
 */
export interface ToolSource {
  /** The current tools. The same list as long as nothing has changed. */
  readonly tools: () => readonly AnyTool[];
}

export const isToolSource = (value: unknown): value is ToolSource =>
  isRecord(value) && typeof value["tools"] === "function" && typeof value["execute"] !== "function";
