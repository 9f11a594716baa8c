import { isRecord } from "#core";
import type { ResultEntry, Source } from "#core";

import { contentKey } from "../../gemini/message-of-parts.ts";
import { withKey } from "./message.ts";
import type { Context, Message } from "./message.ts";

/** Calls in the content of an assistant message, as in other formats, move to `tool_calls`. */
export function adoptCalls(message: Message, source: Source, { journal }: Context): Message {
  const { content } = message;
  if (!Array.isArray(content) || !content.some(isToolUse)) return message;
  const calls = content.filter(isToolUse).map(({ id, name, input }) => ({
    ...(id === undefined ? {} : { id }),
    type: "function",
    function: { name, arguments: typeof input === "string" ? input : JSON.stringify(input ?? {}) },
  }));
  content.forEach((part, place) => {
    if (!isToolUse(part)) return;
    const finding = { rule: "content-type" as const, message: "A call is in the content instead of tool_calls." };
    const suffix = `.${contentKey(source)}[${place}]`;
    journal.note({ source, suffix }, finding, { type: "move", suffix: ".tool_calls" });
  });
  const said: readonly unknown[] = content.filter((part) => !isToolUse(part));
  const given: readonly unknown[] = Array.isArray(message["tool_calls"]) ? message["tool_calls"] : [];
  return { ...message, content: said.length === 0 ? null : said, tool_calls: [...given, ...calls] };
}

/** Results in the content of a user message, as in other formats, become separate messages. */
export function adoptResults(
  message: Message,
  source: Source,
  read: (tool: Message, origin: Source, name: string | undefined) => ResultEntry | undefined,
  { journal }: Context,
): { readonly message: Message | undefined; readonly results: readonly ResultEntry[] } {
  const { content } = message;
  if (!Array.isArray(content) || !content.some(isToolResult)) return { message, results: [] };
  const results = content.flatMap((part: unknown, place) => {
    if (!isToolResult(part)) return [];
    const tool: Message = { role: "tool", tool_call_id: part["tool_use_id"], content: part["content"] ?? "" };
    const origin: Source = { index: source.index, wire: part, mended: tool, entries: 1, at: -1 };
    const { name } = part;
    const entry = read(tool, origin, typeof name === "string" ? name : undefined);
    if (entry === undefined) return [];
    const from = `messages[${source.index}].${contentKey(source)}[${place}]`;
    const finding = { rule: "content-type" as const, from, message: "A result is in a user message." };
    journal.report(finding, { type: "move", entry, lossless: part["is_error"] !== true }); // this format has no error flag
    return [entry];
  });
  const said: readonly unknown[] = content.filter((part) => !isToolResult(part));
  return { message: said.length === 0 ? undefined : withKey(message, "content", said), results };
}

const isToolUse = (part: unknown): part is Message => isRecord(part) && part["type"] === "tool_use";

const isToolResult = (part: unknown): part is Message => isRecord(part) && part["type"] === "tool_result";
