import { isRecord, wordOf } from "#core";
import type { Call, Entry, ResultEntry, Source } from "#core";

import { plainContent } from "./fields.ts";
import type { Context, Message } from "./message.ts";

/** The rest of a message, and its results. */
export interface Adopted {
  readonly message: Message | undefined;
  readonly results: readonly ResultEntry[];
}

/** Converts content blocks of Anthropic's format: calls become `tool_calls`, and results become messages. */
export function adoptBlocks(
  message: Message,
  source: Source,
  read: (tool: Message, origin: Source) => ResultEntry,
  context: Context,
): Adopted {
  const { content, tool_calls: given } = message;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [content];
  const isAssistant = wordOf(message["role"]).toLowerCase() === "assistant";
  const isMoved = (block: unknown): block is Message => isResult(block) || (isAssistant && isCall(block));
  if (!blocks.some(isMoved)) return { message, results: [] };
  const calls: unknown[] = Array.isArray(given) ? given.map((call: unknown) => call) : isRecord(given) ? [given] : [];
  const paths = new Map<number, string>();
  const results: ResultEntry[] = [];
  blocks.forEach((block, place) => {
    if (!isMoved(block)) return;
    const path = Array.isArray(content) ? `.content[${place}]` : ".content";
    if (isResult(block)) results.push(adoptResult(block, path, { source, read }, context));
    else {
      paths.set(calls.length, path);
      calls.push(toCall(block));
    }
  });
  context.origins.set(source, paths);
  const said = blocks.filter((block) => !isMoved(block));
  if (said.length === 0 && !isAssistant && message["images"] === undefined) return { message: undefined, results };
  return { message: { ...message, content: said, ...(calls.length === 0 ? {} : { tool_calls: calls }) }, results };
}

interface Home {
  readonly source: Source;
  readonly read: (tool: Message, origin: Source) => ResultEntry;
}

function adoptResult(block: Message, path: string, { source, read }: Home, context: Context): ResultEntry {
  const { tool_use_id: id, content, is_error: isError } = block;
  const tool: Message = { role: "tool", ...plainContent(content ?? "", []), ...(isId(id) ? { tool_call_id: id } : {}) };
  const origin: Source = { index: source.index, wire: block, mended: tool, entries: 1, at: -1 };
  context.origins.set(origin, new Map([[-1, path]]));
  const finding = {
    rule: "content-type" as const,
    message: "A result is in the content of a message instead of a tool message.",
  };
  const lossless = isError !== true; // this format has no error flag
  context.journal.note({ source: origin, suffix: path }, finding, { type: "move", suffix: "", lossless });
  return read(tool, origin);
}

/** Converted results have no name. They get the name of their call, which most templates use. */
export function nameAdopted(entries: readonly Entry[], { origins }: Context): void {
  if (origins.size === 0) return;
  for (const entry of entries) {
    if (entry.role !== "assistant") continue;
    for (const { result, name } of entry.calls) {
      if (result?.source === undefined || result.name !== "" || !origins.has(result.source)) continue;
      result.name = name;
      result.fresh = true;
    }
  }
}

/** The original path of an entry or a call. */
export function pathOf({ source }: Entry, call: Call | undefined, { origins }: Context): string | undefined {
  if (source === undefined) return undefined;
  const own = call === undefined ? "" : `.tool_calls[${call.place}]`;
  return `messages[${source.index}]${origins.get(source)?.get(call?.place ?? -1) ?? own}`;
}

const toCall = ({ id, name, input }: Message): Message => ({
  ...(isId(id) ? { id } : {}),
  function: { name, arguments: input ?? {} },
});

const isId = (id: unknown): boolean => typeof id === "number" || (typeof id === "string" && id.trim() !== "");

const isCall = (block: unknown): boolean => isRecord(block) && block["type"] === "tool_use";

const isResult = (block: unknown): block is Message => isRecord(block) && block["type"] === "tool_result";
