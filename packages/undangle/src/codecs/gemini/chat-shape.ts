import { isRecord } from "#core";
import type { Source } from "#core";

import type { Context } from "./context.ts";
import type { Wire } from "./part.ts";

/** A message in the shape of the chat format, which has content in place of parts, as a content. */
export function mendChatShape(wire: Wire, source: Source, { journal }: Context): Wire {
  const { parts, content, tool_calls: calls, tool_call_id: id, ...rest } = wire;
  if (parts !== undefined || (content === undefined && !Array.isArray(calls))) return wire;
  const isResult = wire["role"] === "tool" || id !== undefined;
  const said = isResult ? [responsePart(wire)] : [...partsOf(content), ...callParts(calls)];
  const finding = { rule: "chat-shape" as const, message: "The message has content, not parts." };
  const suffix = content === undefined ? ".tool_calls" : ".content";
  journal.note({ source, suffix }, finding, said.length === 0 ? { type: "remove" } : { type: "rewrite", suffix: "" });
  return { ...rest, parts: said };
}

function partsOf(content: unknown): readonly unknown[] {
  if (typeof content === "string") return content === "" ? [] : [{ text: content }];
  if (!Array.isArray(content)) return isRecord(content) ? [content] : [];
  return content.map((part: unknown) => {
    if (typeof part === "string") return { text: part };
    if (!isRecord(part) || part["type"] === undefined) return part;
    return { text: typeof part["text"] === "string" ? part["text"] : JSON.stringify(part) };
  });
}

function callParts(calls: unknown): readonly unknown[] {
  if (!Array.isArray(calls)) return [];
  return calls.filter(isRecord).map((call) => {
    const called = isRecord(call["function"]) ? call["function"] : call;
    return { functionCall: { ...idOf(call["id"]), name: called["name"], args: called["arguments"] } };
  });
}

function responsePart({ tool_call_id: id, name, content }: Wire): unknown {
  return {
    functionResponse: { ...idOf(id), name: typeof name === "string" ? name : "", response: { result: content } },
  };
}

const idOf = (id: unknown): Wire => (typeof id === "string" && id !== "" ? { id } : {});
