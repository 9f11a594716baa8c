import { isRecord, UndangleError } from "#core";

import type { Format } from "./codec.ts";

/** Which format an input is in, and how sure that is: `likely` when nothing in it tells the formats apart. */
export interface Detected {
  readonly format: Format;
  readonly confidence: "known" | "likely";
}

/** Tells the format of a body or a bare array by what only that format has; undefined when it is none that we know. */
export function detect(input: unknown): Detected | undefined {
  const list = listOf(input);
  if (list === undefined) return undefined;
  const body = isRecord(input) ? input : undefined;
  const shown =
    (body && shownByBody(body)) ?? shownByMessages(list) ?? (body && shownByModel(body)) ?? shownBySystem(list);
  if (shown === "foreign") return undefined;
  if (shown !== undefined) return { format: shown, confidence: "known" };
  return list.every(looksLikeMessage) ? { format: "openai-chat", confidence: "likely" } : undefined;
}

/** What is to be said of an input in which no format can be told. */
export function undetected(input: unknown): UndangleError {
  if (!Array.isArray(input) && !isRecord(input)) {
    const got = input === null ? "null" : typeof input;
    const expected = "a request body or an array of messages";
    return new UndangleError("input/shape", { path: "The input", expected, got });
  }
  const keys = isRecord(input) ? Object.keys(input) : [];
  if (listOf(input) !== undefined) return new UndangleError("format/unknown", { keys });
  const messages = isRecord(input) ? input["messages"] : undefined;
  if (messages === undefined) return new UndangleError("input/no-messages", { keys, expected: ["messages"] });
  const got = messages === null ? "null" : typeof messages;
  return new UndangleError("input/shape", { path: "messages", expected: "an array", got });
}

function listOf(input: unknown): readonly unknown[] | undefined {
  const list: unknown = isRecord(input) ? input["messages"] : input;
  return Array.isArray(list) ? (list as readonly unknown[]) : undefined; // an array of anything
}

/** What stands around the messages says more than any message: a foreign message may have slipped into a list. */
function shownByBody(body: Readonly<Record<string, unknown>>): Format | undefined {
  const tools = Array.isArray(body["tools"]) ? body["tools"].filter(isRecord) : [];
  if (tools.some((tool) => isRecord(tool["function"]) || tool["type"] === "function")) return "openai-chat";
  if (tools.some((tool) => "input_schema" in tool)) return "anthropic";
  if (["anthropic_version", "anthropic_beta", "system", "stop_sequences", "mcp_servers"].some((key) => key in body))
    return "anthropic";
  const chatKeys = [
    "max_completion_tokens",
    "stream_options",
    "response_format",
    "parallel_tool_calls",
    "functions",
    "n",
  ];
  if (chatKeys.some((key) => key in body)) return "openai-chat";
  const thinking = body["thinking"];
  return isRecord(thinking) && "budget_tokens" in thinking ? "anthropic" : undefined;
}

/** The name of a model says something only where the messages say nothing: many are served in both formats. */
function shownByModel({ model }: Readonly<Record<string, unknown>>): Format | undefined {
  if (typeof model !== "string") return undefined;
  return /^claude-|anthropic\.claude/.test(model) ? "anthropic" : "openai-chat";
}

/** What only one format has; "foreign" for what belongs to a format that has no codec yet. */
function shownByMessages(list: readonly unknown[]): Format | "foreign" | undefined {
  for (const message of list) {
    if (!isRecord(message)) continue;
    if ("tool_calls" in message || "tool_call_id" in message || "function_call" in message) return "openai-chat";
    if (["tool", "function", "developer"].includes(String(message["role"]))) return "openai-chat";
    const content = message["content"];
    if (!Array.isArray(content)) continue;
    for (const part of content) {
      if (!isRecord(part)) continue;
      if (foreignKeys.some((key) => key in part)) return "foreign";
      const shown = typeof part["type"] === "string" ? formatOfPart.get(part["type"]) : undefined;
      if (shown !== undefined) return shown;
    }
  }
  return undefined;
}

/** System messages stand in the list of one format only, but they also slip into others. */
function shownBySystem(list: readonly unknown[]): Format | undefined {
  return list.some((message) => isRecord(message) && message["role"] === "system") ? "openai-chat" : undefined;
}

/** Types of part that only one format has. */
const formatOfPart: ReadonlyMap<string, Format | "foreign"> = new Map<string, Format | "foreign">([
  ["tool-call", "foreign"],
  ["tool-result", "foreign"],
  ["tool-approval-request", "foreign"],
  ["function_call", "foreign"],
  ["function_call_output", "foreign"],
  ["image_url", "openai-chat"],
  ["input_audio", "openai-chat"],
  ["file", "openai-chat"],
  ["refusal", "openai-chat"],
  ["tool_use", "anthropic"],
  ["tool_result", "anthropic"],
  ["thinking", "anthropic"],
  ["redacted_thinking", "anthropic"],
  ["server_tool_use", "anthropic"],
  ["image", "anthropic"],
  ["document", "anthropic"],
  ["search_result", "anthropic"],
]);

/** Keys of parts that have no type. */
const foreignKeys = ["toolUse", "toolResult", "functionCall", "functionResponse", "reasoningContent"];

function looksLikeMessage(message: unknown): boolean {
  return isRecord(message) && typeof message["role"] === "string";
}
