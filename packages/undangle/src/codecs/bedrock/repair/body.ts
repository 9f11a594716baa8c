import { isRecord } from "#core";
import type { AssistantEntry, Dialect, Entry, JsonObject } from "#core";

import { keepThoughts } from "../../anthropic/clear-thinking.ts";
import { isThought } from "./block.ts";
import type { Context } from "./context.ts";
import { originOf } from "./origin.ts";
import { hoistSystem } from "./system.ts";

/** Repairs the body around the messages. */
export function mendBody(entries: readonly Entry[], context: Context): JsonObject | undefined {
  if (context.body === undefined) return undefined;
  const mended = {
    ...hoistSystem(context),
    ...mendThinking(entries, context),
    ...mendTools(entries, context),
  };
  return Object.keys(mended).length === 0 ? undefined : mended;
}

/** Thinking cannot be forged. If the running tool loop lacks it, it is disabled for this request. */
function mendThinking(entries: readonly Entry[], { model, body, journal }: Context): JsonObject | undefined {
  if (!model.thinks || entries.findLast(({ role }) => role !== "system")?.role !== "result") return undefined;
  const first = loopStart(entries);
  if (first === undefined || isThought(first.parts?.[0])) return undefined;
  const fields = body?.["additionalModelRequestFields"];
  const given: JsonObject = isRecord(fields) ? fields : {};
  const after = { type: "disabled" };
  const parameter = { path: "additionalModelRequestFields.thinking", before: given["thinking"], after };
  const finding = {
    rule: "thinking-first" as const,
    from:
      first.source === undefined
        ? "additionalModelRequestFields.thinking"
        : `messages[${first.source.index}]${originOf(first.source.wire, 0)}`,
    message: "Thinking is on, but the current tool loop does not start with reasoning.",
  };
  journal.report(finding, { type: "rewrite", parameter, lossless: false });
  const kept = keepThoughts(given["context_management"]);
  if (kept === undefined) return { additionalModelRequestFields: { ...given, thinking: after } };
  const path = "additionalModelRequestFields.context_management.edits";
  const cleared = { path, before: kept.before, after: kept.after };
  journal.edit(finding, { type: "rewrite", parameter: cleared, lossless: false });
  return {
    additionalModelRequestFields: { ...given, thinking: after, context_management: kept.management },
  };
}

/** The first assistant entry after the last user message. */
function loopStart(entries: readonly Entry[]): AssistantEntry | undefined {
  const start = entries.findLastIndex(({ role }) => role === "user") + 1;
  return entries.slice(start).find((entry): entry is AssistantEntry => entry.role === "assistant");
}

/**
 * False for an index at which an inserted call would have to start the current tool loop with reasoning, which cannot be
 * forged.
 */
export function createLoopGuard({ model }: Context): Dialect["mayRestore"] {
  let loop: { readonly start: number; readonly opened: number } | undefined;
  let isPartial = false; // the loop may start in unread messages
  return (entries, index) => {
    if (!model.thinks) return true;
    if (loop === undefined) {
      isPartial = entries.some(({ role }) => role === "span");
      const start = entries.findLastIndex(({ role }) => role === "user") + 1;
      const first = entries.findIndex(({ role }, i) => i >= start && role === "assistant");
      loop = { start, opened: first >= 0 && opensLoop(entries[first]) ? first : Infinity };
    }
    return isPartial ? undefined : index < loop.start || index > loop.opened;
  };
}

/** True for an assistant message that has calls or starts with reasoning. */
const opensLoop = (entry: Entry | undefined): boolean =>
  entry?.role === "assistant" && (entry.calls.length > 0 || isThought(entry.parts?.[0]));

/** A history with tool blocks requires tools: stubs that are labelled as unavailable are added. */
function mendTools(entries: readonly Entry[], { body, journal }: Context): JsonObject | undefined {
  if (hasTools(body)) return undefined;
  const names = new Set(
    entries.flatMap((entry) => (entry.role === "assistant" ? entry.calls : [])).map(({ name }) => name),
  );
  if (names.size === 0) return undefined;
  const config = body?.["toolConfig"];
  const tools = Array.from(names, (name) => ({
    toolSpec: { name, description: "Not available any more.", inputSchema: { json: { type: "object" } } },
  }));
  const after = { ...(isRecord(config) ? config : {}), tools };
  journal.report(
    {
      rule: "missing-tools",
      from: "toolConfig",
      message: "The history has tool blocks, but the request defines no tools.",
    },
    { type: "insert", parameter: { path: "toolConfig", before: config, after } },
  );
  return { toolConfig: after };
}

export function hasTools(body: JsonObject | undefined): boolean {
  const config = body?.["toolConfig"];
  const tools = isRecord(config) ? config["tools"] : undefined;
  return Array.isArray(tools) && tools.length > 0;
}

export function toolNames(body: JsonObject | undefined): string[] {
  const config = body?.["toolConfig"];
  const tools = isRecord(config) ? config["tools"] : undefined;
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool: unknown) => {
    const spec = isRecord(tool) ? tool["toolSpec"] : undefined;
    const name = isRecord(spec) ? spec["name"] : undefined;
    return typeof name === "string" ? [name] : [];
  });
}
