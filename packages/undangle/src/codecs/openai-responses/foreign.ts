import { isRecord } from "#core";
import type { AssistantEntry, Entry, ResultEntry, Source } from "#core";

import { argumentText, entryOf } from "./calls.ts";
import type { Context } from "./context.ts";
import { withoutKeys } from "./item.ts";
import type { Item } from "./item.ts";
import { outputText, readResult } from "./results.ts";

/** What is left of a message, and the calls that stood in it. */
export interface AdoptedCalls {
  readonly item: Item | undefined;
  readonly calls: readonly Entry[];
}

/** Calls that stand in an assistant message, as the chat format or Anthropic's has them, become items of their own. */
export function adoptCalls(item: Item, source: Source, context: Context): AdoptedCalls {
  const { content, tool_calls: given } = item;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  if (given === undefined && !blocks.some(isToolUse)) return { item, calls: [] };
  const calls: AssistantEntry[] = [];
  const wires: readonly unknown[] = Array.isArray(given) ? given : given === null || given === undefined ? [] : [given];
  wires.forEach((wire, place) => {
    if (isRecord(wire)) calls.push(adopt(callOf(wire), `.tool_calls[${place}]`, source));
  });
  if (given !== undefined) reportCalls(calls[0], source, context);
  blocks.forEach((block, place) => {
    if (!isToolUse(block)) return;
    const { id, name, input } = block;
    const entry = adopt({ id, name, arguments: input }, `.content[${place}]`, source);
    const finding = { rule: "content-type" as const, message: "A call stands in the content of a message." };
    context.journal.report({ ...finding, from: `input[${source.index}].content[${place}]` }, { type: "move", entry });
    calls.push(entry);
  });
  const said = blocks.some(isToolUse) ? blocks.filter((block) => !isToolUse(block)) : content;
  const isSilent = said === undefined || said === null || said === "" || (Array.isArray(said) && said.length === 0);
  if (isSilent && calls.length > 0) return { item: undefined, calls };
  return { item: { ...withoutKeys(item, ["tool_calls"]), ...(said === content ? {} : { content: said }) }, calls };
}

function reportCalls(first: AssistantEntry | undefined, source: Source, { journal }: Context): void {
  const from = `input[${source.index}].tool_calls`;
  const finding = { rule: "chat-shape" as const, from, message: "Calls are items of their own, not tool_calls." };
  journal.report(finding, first === undefined ? { type: "remove", lossless: true } : { type: "move", entry: first });
}

interface Named {
  readonly id: unknown;
  readonly name: unknown;
  readonly arguments: unknown;
}

function callOf(wire: Item): Named & { readonly input?: unknown } {
  const custom = wire["custom"];
  if (isRecord(custom)) return { id: wire["id"], name: custom["name"], arguments: undefined, input: custom["input"] };
  const called = isRecord(wire["function"]) ? wire["function"] : wire;
  return { id: wire["id"] ?? wire["call_id"], name: called["name"], arguments: called["arguments"] };
}

/** The entry of a call that stood at a place inside a message. */
function adopt(given: Named & { readonly input?: unknown }, path: string, { index, wire }: Source): AssistantEntry {
  const id = typeof given.id === "string" ? given.id : typeof given.id === "number" ? String(given.id) : "";
  const name = typeof given.name === "string" ? given.name : "";
  const item: Item =
    given.input === undefined
      ? { type: "function_call", call_id: id, name, arguments: argumentText(given.arguments) }
      : { type: "custom_tool_call", call_id: id, name, input: outputText(given.input) };
  const source: InnerSource = { index, wire, mended: item, entries: 1, at: -1, path };
  const value = given.input === undefined ? item["arguments"] : item["input"];
  return entryOf(
    {
      id,
      name,
      arguments: value,
      raw: undefined,
      damage: "unknown",
      place: -1,
      slot: -1,
      wire: item,
      fresh: false,
      result: undefined,
    },
    source,
  );
}

/** The source of an item that stood inside a message. */
export interface InnerSource extends Source {
  /** Where, behind the path of the message. */
  readonly path: string;
}

/** Where an entry stood, behind the path of its item. */
export const innerPath = (source: Source): string => ("path" in source ? String(source.path) : "");

/** What is left of a message, and the results that stood in it. */
export interface AdoptedResults {
  readonly item: Item | undefined;
  readonly results: readonly ResultEntry[];
}

/** Results that stand in a user message, as Anthropic's format has them, become items of their own. */
export function adoptResults(item: Item, source: Source, context: Context): AdoptedResults {
  const { content } = item;
  if (!Array.isArray(content) || !content.some(isToolResult)) return { item, results: [] };
  const results = content.flatMap((block: unknown, place) => {
    if (!isToolResult(block)) return [];
    const wire: Item = { type: "function_call_output", call_id: block["tool_use_id"], output: mendedOutput(block) };
    const inner: InnerSource = { ...source, mended: wire, path: `.content[${place}]` };
    const entry = readResult(wire, inner, context);
    const from = `input[${source.index}].content[${place}]`;
    const finding = { rule: "content-type" as const, from, message: "A result stands in a user message." };
    context.journal.report(finding, { type: "move", entry });
    return [entry];
  });
  const said: readonly unknown[] = content.filter((block) => !isToolResult(block));
  return { item: said.length === 0 ? undefined : { ...item, content: said }, results };
}

/** Text as it is, blocks as parts that an output may hold, the rest as text. */
function mendedOutput({ content }: Item): unknown {
  if (!Array.isArray(content)) return outputText(content);
  const isText = content.every((part) => isRecord(part) && part["type"] === "text" && typeof part["text"] === "string");
  return isText ? content.map((part: Item) => ({ type: "input_text", text: part["text"] })) : outputText(content);
}

const isToolUse = (block: unknown): block is Item => isRecord(block) && block["type"] === "tool_use";

const isToolResult = (block: unknown): block is Item => isRecord(block) && block["type"] === "tool_result";
