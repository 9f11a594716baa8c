import { isRecord } from "#core";
import type { AssistantEntry, Dialect, Entry, JsonObject, Part } from "#core";

import { keepThoughts } from "../clear-thinking.ts";
import type { Context } from "./context.ts";
import { hoistSystem } from "./system.ts";
import type { Hoisted } from "./system.ts";
import { isThinking } from "./turns.ts";

/** Repairs the body around the messages. */
export function mendBody(
  entries: readonly Entry[],
  hoisted: readonly Hoisted[],
  context: Context,
): JsonObject | undefined {
  const { body } = context;
  if (body === undefined) return undefined;
  const mended = {
    ...hoistSystem(body["system"], hoisted, context),
    ...mendThinking(entries, context),
    ...mendTools(entries, context),
  };
  return Object.keys(mended).length === 0 ? undefined : mended;
}

/** Thinking cannot be forged. If the running tool loop lacks it, it is disabled for this request. */
function mendThinking(entries: readonly Entry[], context: Context): JsonObject | undefined {
  const { thinking, body, journal, continues, profile } = context;
  if (!profile.signaturesChecked || continues || thinking !== "enabled" || entries.findLast(isHeard)?.role !== "result")
    return undefined;
  const first = loopStart(entries);
  if (first === undefined || isThinking(first.parts?.[0])) return undefined;
  const after = { type: "disabled" };
  const parameter = { path: "thinking", before: body?.["thinking"], after };
  const finding = {
    rule: "thinking-first" as const,
    from: first.source === undefined ? "thinking" : `messages[${first.source.index}].content[0]`,
    message: "Thinking is on, but the current tool loop does not start with a thinking block.",
  };
  journal.report(finding, { type: "rewrite", parameter, lossless: false });
  const kept = keepThoughts(body?.["context_management"]);
  if (kept === undefined) return { thinking: after };
  const cleared = { path: "context_management.edits", before: kept.before, after: kept.after };
  journal.edit(finding, { type: "rewrite", parameter: cleared, lossless: false });
  return { thinking: after, context_management: kept.management };
}

/** False for system messages and empty messages, which are not part of a loop. */
const isHeard = ({ role, parts }: Entry): boolean => role !== "system" && !(role === "user" && parts?.length === 0);

/** The first assistant entry after the last user message. */
function loopStart(entries: readonly Entry[]): AssistantEntry | undefined {
  let first: AssistantEntry | undefined;
  for (let i = entries.length - 1; i >= 0; i--) {
    const entry = entries[i];
    if (entry?.role === "user" && isHeard(entry)) break;
    if (entry?.role === "assistant") first = entry;
  }
  return first;
}

/** A history with tool blocks requires tools: stubs that may not be called are added. */
function mendTools(entries: readonly Entry[], { body, journal, continues }: Context): JsonObject | undefined {
  const tools = body?.["tools"];
  if (continues || (Array.isArray(tools) && tools.length > 0)) return undefined;
  if (entries.some(({ parts }) => parts?.some(addsTool))) return undefined;
  const names = new Set<string>();
  for (const entry of entries) if (entry.role === "assistant") for (const { name } of entry.calls) names.add(name);
  if (names.size === 0) return undefined;
  const stubs = [...new Set(Array.from(names, toolName))].map((name) => ({ name, input_schema: { type: "object" } }));
  const finding = { rule: "missing-tools" as const, from: "tools", message: missingTools };
  journal.report(finding, { type: "insert", parameter: { path: "tools", before: tools, after: stubs } });
  const choice = { type: "none" };
  const parameter = { path: "tool_choice", before: body?.["tool_choice"], after: choice };
  journal.edit(finding, { type: "rewrite", parameter });
  return { tools: stubs, tool_choice: choice };
}

/** A tool may be added in the middle of a history: in a system message, or in a summary. */
function addsTool({ wire }: Part): boolean {
  if (!isRecord(wire)) return false;
  if (wire["type"] !== "compaction") return wire["type"] === "tool_addition";
  const changes = wire["tool_changes"];
  return Array.isArray(changes) && changes.some((change) => isRecord(change) && change["type"] === "tool_addition");
}

const missingTools = "The history has tool blocks, but the request defines no tools.";

/** Tool names are more restricted than names in a history. */
const toolName = (name: string): string => name.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, 128);

/**
 * False for an index at which an inserted call would have to start the current tool loop with thinking, which cannot be
 * forged.
 */
export function createLoopGuard({ thinking, profile }: Context): Dialect["mayRestore"] {
  let loop: { readonly start: number; readonly first: number } | undefined;
  let isPartial = false; // the loop may start in unread messages
  return (entries, index) => {
    if (thinking !== "enabled" || !profile.signaturesChecked) return true;
    if (loop === undefined) {
      isPartial = entries.some(({ role }) => role === "span");
      const start = entries.findLastIndex((entry) => entry.role === "user" && isHeard(entry)) + 1;
      const first = entries.findIndex(({ role }, i) => i >= start && role === "assistant");
      loop = { start, first: first < 0 ? Infinity : first };
    }
    return isPartial ? undefined : index < loop.start || index > loop.first;
  };
}

export function toolNames(body: JsonObject | undefined): string[] {
  const tools = body?.["tools"];
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool: unknown) => (isRecord(tool) && typeof tool["name"] === "string" ? [tool["name"]] : []));
}
