import { isRecord, wrapRaw } from "#core";
import type { JsonObject, Source } from "#core";

import { callsIn, chatCallsIn } from "../../unwrap.ts";
import { mendWholeParts } from "../../gemini/message-of-parts.ts";
import type { Context } from "./context.ts";
import { isResultMessage } from "./origin.ts";
import { staysSystem } from "./system.ts";

type Role = "user" | "assistant" | "system";

const aliases: Readonly<Record<string, Role>> = {
  user: "user",
  assistant: "assistant",
  system: "system",
  human: "user",
  model: "assistant",
  ai: "assistant",
  bot: "assistant",
  tool: "user",
  function: "user",
  developer: "system",
};

/** A message with a valid role, and its content as a list. */
export interface Message {
  readonly role: Role;
  readonly blocks: readonly unknown[];
  readonly wire: JsonObject;
}

/** The message in a valid form; undefined if its meaning is unclear. */
export function mendMessage(source: Source, context: Context): Message | undefined {
  const { wire } = source;
  if (!isRecord(wire)) {
    const got = wire === null ? "null" : Array.isArray(wire) ? "an array" : `a ${typeof wire}`;
    const finding = { rule: "unknown-role" as const, message: `The message is ${got}, not an object.` };
    context.journal.note({ source, suffix: "" }, finding);
    return undefined;
  }
  const shaped = mendWholeParts(wire, source, context);
  const role = shaped && mendRole(shaped, source, context);
  if (shaped === undefined || role === undefined) return undefined;
  const called = mendChatShape(shaped, source, context);
  const blocks = mendContent({ ...called, role }, source, context);
  const isSame = blocks === wire["content"] && role === wire["role"];
  return { role, blocks, wire: isSame ? wire : { ...called, role, content: blocks } };
}

function mendRole(wire: JsonObject, source: Source, { journal }: Context): Role | undefined {
  const given = wire["role"];
  if (given === "user" || given === "assistant" || given === "system") return given;
  const lower = typeof given === "string" ? given.trim().toLowerCase() : "";
  const role = Object.hasOwn(aliases, lower) ? aliases[lower] : undefined;
  const message = `${given === undefined ? "The message has no role" : `${JSON.stringify(given)} is not a role`} that the API knows.`;
  const finding = { rule: "unknown-role" as const, message };
  // A system message is written elsewhere, or reported in place.
  if (role !== "system") journal.note({ source, suffix: ".role" }, finding, role && { type: "rewrite" });
  return role;
}

/** Calls and results in the shape of the chat format become blocks. */
function mendChatShape(message: JsonObject, source: Source, { journal, names }: Context): JsonObject {
  const { tool_calls: given, function_call: legacy, tool_call_id: id, refusal, ...rest } = message;
  const finding = { rule: "chat-shape" as const, message: "Calls and results belong in the content of a message." };
  const { content } = message;
  if (isResultMessage(message)) {
    const { name, tool_name: own = name, ...others } = rest;
    names.set(source, [typeof own === "string" ? own : undefined]);
    const isBlocks = Array.isArray(content) && content.every(isRecord);
    const said = isBlocks ? content : [{ text: typeof content === "string" ? content : JSON.stringify(content ?? "") }];
    const at = { source, suffix: id === undefined ? "" : ".tool_call_id" };
    journal.note(at, finding, { type: "rewrite", suffix: ".content" });
    const named = id === undefined ? {} : { toolUseId: id };
    return { ...others, content: [{ toolResult: { ...named, content: said } }] };
  }
  const listed = callsIn(given);
  const isListed = listed !== undefined && (listed.length > 0 || !isRecord(legacy));
  const calls: readonly unknown[] = isListed ? chatCallsIn(given) : isRecord(legacy) ? [legacy] : [];
  const isRefused = !content && typeof refusal === "string" && refusal !== "";
  if (message["role"] !== "assistant" || (!isListed && calls.length === 0 && !isRefused)) return message;
  const words = isRefused ? refusal : content;
  const said: readonly unknown[] = Array.isArray(words) ? words : words ? [{ text: words }] : [];
  const blocks = calls.map((call: unknown) => {
    if (!isRecord(call)) return call;
    const { custom } = call;
    if (isRecord(custom)) {
      const { name, input } = custom;
      const free = typeof input === "string" ? wrapRaw(input) : input; // free text is not JSON
      return { toolUse: { toolUseId: call["id"], name, input: free } };
    }
    const called = isRecord(call["function"]) ? call["function"] : call;
    return { toolUse: { toolUseId: call["id"], name: called["name"], input: called["arguments"] } };
  });
  const key = isListed ? ".tool_calls" : calls.length > 0 ? ".function_call" : ".refusal";
  journal.note({ source, suffix: key }, finding, { type: "rewrite", suffix: ".content" });
  return {
    ...rest,
    ...(isListed && legacy !== undefined ? { function_call: legacy } : {}),
    ...(isRefused || refusal === undefined ? {} : { refusal }),
    content: [...said, ...blocks],
  };
}

/** The content as a list of blocks. Text becomes one block, and missing content an empty list. */
function mendContent({ role, content }: JsonObject, source: Source, context: Context): readonly unknown[] {
  if (Array.isArray(content)) return content;
  if (content === undefined || content === null || content === "") return []; // reported as an empty message
  const finding = { rule: "content-type" as const, message: "The content is not a list of blocks." };
  // System text in a bare array has no field to move to, so it stays unchanged.
  const isLeft = role === "system" && context.body === undefined && !staysSystem(source.index, context);
  context.journal.note({ source, suffix: ".content" }, finding, isLeft ? undefined : { type: "rewrite" });
  return [
    typeof content === "string" ? { text: content } : isRecord(content) ? content : { text: JSON.stringify(content) },
  ];
}
