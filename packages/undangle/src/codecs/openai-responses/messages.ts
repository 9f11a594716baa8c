import { isRecord } from "#core";
import type { Entry, Source } from "#core";

import { mendContent } from "./content.ts";
import type { Context } from "./context.ts";
import { adoptCalls, adoptResults } from "./foreign.ts";
import { withoutKeys } from "./item.ts";
import type { Item } from "./item.ts";
import { plain } from "./plain.ts";
import { readResult } from "./results.ts";

const aliases: Readonly<Record<string, string>> = {
  human: "user",
  model: "assistant",
  ai: "assistant",
  bot: "assistant",
};

const known = new Set(["user", "assistant", "system", "developer"]);

/** Reads a message: itself, and the calls and results that stand in it as in other formats. */
export function readMessage(given: Item, source: Source, context: Context): readonly Entry[] {
  const item = mendRole(given, source, context);
  if (item === undefined) return [plain("system", source)];
  if (item["type"] === "function_call_output") {
    const result = readResult(item, source, context);
    return [typeof given["name"] === "string" ? { ...result, name: given["name"] } : result];
  }
  const { role } = item;
  if (role !== "assistant") {
    const { item: rest, results } = adoptResults(dropCalls(item, source, context), source, context);
    return rest === undefined ? results : [...results, ...readOwn(rest, source, context)];
  }
  const { item: rest, calls } = adoptCalls(item, source, context);
  return rest === undefined ? calls : [...readOwn(rest, source, context), ...calls];
}

/** The message once nothing else stands in it. */
function readOwn(given: Item, source: Source, context: Context): readonly Entry[] {
  const { item, media } = mendContent(given, source, context);
  source.mended = item;
  const { role } = item;
  const entry = plain(role === "user" || role === "assistant" ? role : "system", source);
  if (media.length > 0) context.media.set(entry, media);
  return [entry];
}

/** The message with a role that the API knows, or the output item that it stands for; undefined when nobody can tell. */
function mendRole(item: Item, source: Source, { journal }: Context): Item | undefined {
  const { role } = item;
  if (typeof role === "string" && known.has(role)) return item;
  const lower = typeof role === "string" ? role.trim().toLowerCase() : "";
  const told = known.has(lower) ? lower : Object.hasOwn(aliases, lower) ? aliases[lower] : toldByParts(item);
  const message = `${typeof role === "string" ? `${JSON.stringify(role)} is not a role` : "The message has no role"} that the API knows.`;
  const finding = { rule: "unknown-role" as const, message };
  if (lower === "tool" || lower === "function") {
    journal.note({ source, suffix: "" }, finding, { type: "rewrite" });
    return outputOf(item);
  }
  journal.note({ source, suffix: ".role" }, finding, told === undefined ? undefined : { type: "rewrite" });
  return told === undefined ? undefined : { ...item, role: told };
}

/** Who speaks, where only the parts of the content say so. */
function toldByParts({ role, content }: Item): string | undefined {
  if ((role !== undefined && role !== null) || !Array.isArray(content)) return undefined;
  const types = content.map((part: unknown) => (isRecord(part) ? part["type"] : undefined));
  if (types.includes("output_text")) return "assistant";
  return types.includes("input_text") ? "user" : undefined;
}

/** A message of role tool as the output item that it would be here. */
function outputOf(item: Item): Item {
  const { content, output, tool_call_id: id, call_id: own } = item;
  const callId = id ?? own;
  const keys = ["type", "role", "content", "output", "tool_call_id", "call_id", "name", "id"];
  return {
    type: "function_call_output",
    ...(callId === undefined ? {} : { call_id: callId }),
    output: content ?? output ?? "",
    ...withoutKeys(item, keys),
  };
}

/** Calls are the assistant's: what others have under that name is no call. */
function dropCalls(item: Item, source: Source, { journal }: Context): Item {
  if (item["tool_calls"] === undefined) return item;
  const finding = { rule: "chat-shape" as const, message: "A message has no tool_calls." };
  journal.note({ source, suffix: ".tool_calls" }, finding, { type: "remove", lossless: false });
  return withoutKeys(item, ["tool_calls"]);
}
