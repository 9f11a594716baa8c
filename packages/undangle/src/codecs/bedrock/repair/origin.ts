import { isRecord } from "#core";
import type { JsonObject, Source, Spot } from "#core";

import { isOfParts } from "../../gemini/message-of-parts.ts";

/** The position of a block in a message of the input, in the format of that message. */
export function blockAt(source: Source, place: number, tail = ""): Spot {
  return { source, suffix: originOf(source.wire, place, tail), part: { place, tail } };
}

/** The path of a block after that of its message. Other formats have calls and results elsewhere. */
export function originOf(wire: unknown, place: number, tail = ""): string {
  if (!isRecord(wire)) return `.content[${place}]${tail}`;
  if (isOfParts(wire)) return `.parts[${place}]`;
  const { role, content, refusal, tool_calls: calls, function_call: call } = wire;
  if (isResultMessage(wire)) return chatResult[tail] ?? "";
  if (role === "assistant") {
    const behind = place - (Array.isArray(content) ? content.length : content || refusal ? 1 : 0);
    if (behind >= 0 && Array.isArray(calls)) return originOfCall(calls, behind, tail);
    if (behind >= 0 && isRecord(call)) return ".function_call";
    if (!content && refusal) return ".refusal";
  }
  if (typeof content === "string") return ".content";
  if (isRecord(content)) return `.content${tailIn(content, tail)}`;
  return `.content[${place}]${tailIn(Array.isArray(content) ? content[place] : undefined, tail)}`;
}

/** True for a message that is itself a tool result, as opposed to one that contains results. */
export function isResultMessage({ role, content, tool_call_id: id }: JsonObject): boolean {
  if (role === "tool" && typeof id === "string") return true;
  return (role === "tool" || role === "function") && !(Array.isArray(content) && content.some(isResult));
}

const isResult = (block: unknown): boolean =>
  isRecord(block) && ("toolResult" in block || block["type"] === "tool_result");

type Tails = Readonly<Record<string, string>>;

const chatResult: Tails = { ".toolResult.toolUseId": ".tool_call_id", ".toolResult.content": ".content" };

function originOfCall(calls: readonly unknown[], behind: number, tail: string): string {
  const call = calls[behind];
  const holder = isRecord(call) && isRecord(call["function"]) ? ".function" : "";
  const tails: Tails = {
    ".toolUse.toolUseId": ".id",
    ".toolUse.name": `${holder}.name`,
    ".toolUse.input": `${holder}.arguments`,
  };
  return `.tool_calls[${behind}]${tails[tail] ?? tail}`;
}

const typedTails: Readonly<Record<string, Tails>> = {
  tool_use: { ".toolUse.toolUseId": ".id", ".toolUse.name": ".name", ".toolUse.input": ".input" },
  tool_result: { ".toolResult.toolUseId": ".tool_use_id", ".toolResult.content": ".content" },
};

/** Anthropic's blocks have a type, with the other keys beside it. */
function tailIn(block: unknown, tail: string): string {
  const type = isRecord(block) ? block["type"] : undefined;
  const tails = typeof type === "string" && Object.hasOwn(typedTails, type) ? typedTails[type] : undefined;
  return tails?.[tail] ?? tail;
}
