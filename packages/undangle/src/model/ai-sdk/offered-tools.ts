import type { AiSdkTool } from "#codecs";
import { isRecord } from "#core";
import type { JsonObject } from "#core";

import type { ModelRequest, ModelToolChoice } from "../model.ts";
import type { CallOptions, LanguageModel } from "./language-model.ts";

/** The tools of the request, and the tool choice. */
export function offeredTools(
  { tools, toolChoice }: ModelRequest,
  { provider }: LanguageModel,
  prompt: readonly unknown[],
): Pick<CallOptions, "tools" | "toolChoice"> {
  // Claude requires tools if the history has calls, and its packages send none for the tool choice `none`.
  const called = /anthropic|bedrock/u.test(provider) ? toolsIn(prompt) : [];
  if (tools.length === 0) return called.length === 0 ? {} : { tools: called, toolChoice: choiceOf("auto") };
  const choice = toolChoice === "none" && called.length > 0 ? "auto" : toolChoice;
  return { tools: tools.map(toolOf), toolChoice: choiceOf(choice) };
}

const toolOf = ({ name, description, schema }: ModelRequest["tools"][number]): AiSdkTool => ({
  type: "function",
  name,
  ...(description !== undefined && { description }),
  inputSchema: schema,
});

/** Stubs for the tools in the history, of which only the names are known. */
function toolsIn(prompt: readonly unknown[]): readonly AiSdkTool[] {
  const contents = prompt.flatMap((message) => (isRecord(message) ? [message["content"]] : []));
  const parts = contents.flatMap((content): readonly unknown[] => (Array.isArray(content) ? content : []));
  const names = parts.flatMap((part) => (isRecord(part) && part["type"] === "tool-call" ? [part["toolName"]] : []));
  return [...new Set(names)].flatMap((name): readonly AiSdkTool[] =>
    typeof name === "string" ? [{ type: "function", name, inputSchema: { type: "object", properties: {} } }] : [],
  );
}

function choiceOf(choice: ModelToolChoice = "auto"): JsonObject {
  return typeof choice === "string" ? { type: choice } : { type: "tool", toolName: choice.tool };
}
