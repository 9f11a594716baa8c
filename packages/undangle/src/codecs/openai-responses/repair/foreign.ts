import { isRecord } from "#core";
import type { AssistantEntry, Entry, ResultEntry, Source } from "#core";

import { callsIn, chatCallsIn } from "../../unwrap.ts";
import { contentKey } from "../../gemini/message-of-parts.ts";
import { argumentText, entryOf } from "./calls.ts";
import type { Context, InnerSource } from "./context.ts";
import type { Remainder } from "./content.ts";
import { withoutKeys } from "./item.ts";
import type { Item } from "./item.ts";
import { outputPart, outputText, readResult } from "./results.ts";

/** The rest of a message, and its calls. */
export interface AdoptedCalls {
  readonly rest: Remainder | undefined;
  readonly calls: readonly Entry[];
}

/** Calls in an assistant message, as in the chat format or Anthropic's, become separate items. */
export function adoptCalls(item: Item, source: Source, context: Context): AdoptedCalls {
  const { content } = item;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  const keys = callKeys.filter((key) => item[key] !== undefined);
  if (keys.length === 0 && !blocks.some(isToolUse)) return { rest: { item, places: undefined }, calls: [] };
  const calls: AssistantEntry[] = [];
  for (const key of keys) for (const call of adoptKey(key, calls, source, context)) calls.push(call);
  blocks.forEach((block, place) => {
    if (!isToolUse(block)) return;
    const { id, name, input } = block;
    const path = `.${contentKey(source)}[${place}]`;
    const entry = adopt({ id, name, arguments: input }, path, source);
    const finding = {
      rule: "content-type" as const,
      message: "A call is in the content of a message instead of an item.",
    };
    context.journal.report({ ...finding, from: `input[${source.index}]${path}` }, { type: "move", entry });
    calls.push(entry);
  });
  const rest = without(isToolUse, withoutKeys(item, callKeys));
  const said = rest.item["content"];
  const isSilent = said === undefined || said === null || said === "" || (Array.isArray(said) && said.length === 0);
  return { rest: isSilent && calls.length > 0 ? undefined : rest, calls };
}

/** The keys of calls in a chat message. The second is the legacy key, with one call without an id. */
export const callKeys = ["tool_calls", "function_call"] as const;

/** The calls under one key of a message, except those that are already there. */
function adoptKey(
  key: (typeof callKeys)[number],
  known: readonly AssistantEntry[],
  source: Source,
  { journal }: Context,
): readonly AssistantEntry[] {
  const given = isRecord(source.mended) ? source.mended[key] : undefined;
  const wires: readonly unknown[] = key === "tool_calls" && callsIn(given) !== undefined ? chatCallsIn(given) : [given];
  const all = wires.flatMap((wire, place) => {
    const path = Array.isArray(given) ? `.${key}[${place}]` : `.${key}`;
    return isRecord(wire) ? [adopt(callOf(wire), path, source)] : [];
  });
  const isLegacy = key === "function_call";
  const calls = isLegacy ? all.filter((entry) => !known.some((other) => isSameCall(entry, other))) : all;
  const finding = { rule: "chat-shape" as const, message: `Calls must be separate items, not ${key}.` };
  const [entry] = calls;
  const lossless = all.length === wires.length || given === null; // only an object can be a call
  const change =
    entry === undefined ? { type: "remove" as const, lossless } : { type: "move" as const, entry, lossless };
  journal.report({ ...finding, from: `input[${source.index}].${key}` }, change);
  return calls;
}

function isSameCall({ calls: [one] }: AssistantEntry, { calls: [other] }: AssistantEntry): boolean {
  return one?.name === other?.name && one?.arguments === other?.arguments;
}

/** Removes the matching parts of a message. */
function without(isGone: (part: unknown) => boolean, item: Item): Remainder {
  const { content } = item;
  if (!Array.isArray(content) || !content.some(isGone)) return { item, places: undefined };
  const places = [...content.keys()].filter((place) => !isGone(content[place]));
  return { item: { ...item, content: places.map((place): unknown => content[place]) }, places };
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

/** The entry of a call inside a message. */
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

/** The rest of a message, and its results. */
export interface AdoptedResults {
  readonly rest: Remainder | undefined;
  readonly results: readonly ResultEntry[];
}

/** Results in a user message, as in Anthropic's format, become separate items. */
export function adoptResults(item: Item, source: Source, context: Context): AdoptedResults {
  const { content } = item;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  const results = blocks.flatMap((block, place) => {
    if (!isToolResult(block)) return [];
    const wire: Item = { type: "function_call_output", call_id: block["tool_use_id"], output: mendedOutput(block) };
    const path = `.${contentKey(source)}[${place}]`;
    const inner: InnerSource = { ...source, mended: wire, path };
    const entry = readResult(wire, inner, context);
    if (typeof block["name"] === "string") entry.name = block["name"];
    const from = `input[${source.index}]${path}`;
    const finding = { rule: "content-type" as const, from, message: "A result is in a user message." };
    // An output item has no error flag.
    context.journal.report(finding, { type: "move", entry, lossless: block["is_error"] !== true });
    return [entry];
  });
  const rest = without(isToolResult, item);
  return { rest: results.length > 0 && results.length === blocks.length ? undefined : rest, results };
}

/** Text stays unchanged, blocks become output parts, and everything else becomes text. */
function mendedOutput({ content }: Item): unknown {
  if (!Array.isArray(content) || !content.every(isBlock)) return outputText(content);
  return content.map((part: Item) => outputPart(part));
}

const isBlock = (part: unknown): boolean => isRecord(part) && typeof part["type"] === "string";

const isToolUse = (block: unknown): block is Item => isRecord(block) && block["type"] === "tool_use";

const isToolResult = (block: unknown): block is Item => isRecord(block) && block["type"] === "tool_result";
