import { isRecord, isTooDeep, wrapRaw } from "#core";
import type { JsonObject, Source } from "#core";

import { callsIn, chatCallsIn } from "../../unwrap.ts";
import { mendWholeParts } from "../../gemini/message-of-parts.ts";
import { imagesBeside } from "../../images-beside.ts";
import { dropKeysOfOthers } from "../../keys-of-others.ts";
import { saysElsewhere } from "../../says-elsewhere.ts";
import type { Context } from "./context.ts";

const aliases: Readonly<Record<string, "user" | "assistant">> = {
  human: "user",
  model: "assistant",
  ai: "assistant",
  bot: "assistant",
  tool: "user",
  function: "user",
  developer: "user",
};

/** The message with a valid role and content; undefined if its meaning is unclear. */
export function mendMessage(source: Source, context: Context): JsonObject | undefined {
  const { wire } = source;
  const { journal } = context;
  if (!isRecord(wire)) {
    const got = wire === null ? "null" : Array.isArray(wire) ? "an array" : `a ${typeof wire}`;
    journal.note({ source, suffix: "" }, { rule: "unknown-role", message: `The message is ${got}, not an object.` });
    return undefined;
  }
  const shaped = mendWholeParts(wire, source, context);
  const named = shaped === undefined ? undefined : mendRole(shaped, source, context);
  if (named === undefined) return undefined;
  const said = showImages(sayRefusal(named, source, context), source, context);
  const whole = mendContent(mendChatCalls(said, source, context), source, context);
  return dropKeysOfOthers(whole, source, context.journal);
}

function mendRole(wire: JsonObject, source: Source, { journal, names }: Context): JsonObject | undefined {
  const given = wire["role"];
  if (given === "user" || given === "assistant" || given === "system") return wire;
  const lower = typeof given === "string" ? given.trim().toLowerCase() : "";
  const role = ["user", "assistant", "system"].includes(lower)
    ? lower
    : Object.hasOwn(aliases, lower)
      ? aliases[lower]
      : undefined;
  const message = `${given === undefined ? "The message has no role" : `${JSON.stringify(given)} is not a role`} that the API knows.`;
  const at = { source, suffix: ".role" };
  if (role === undefined) {
    journal.note(at, { rule: "unknown-role", message });
    return undefined;
  }
  if ((lower === "tool" || lower === "function") && !hasResult(wire["content"])) {
    const { tool_call_id: id, name, tool_name: own = name, content, ...rest } = wire;
    names.set(source, [typeof own === "string" ? own : undefined]);
    const result = { type: "tool_result", ...(id === undefined || id === null ? {} : { tool_use_id: id }), content };
    journal.note({ source, suffix: "" }, { rule: "unknown-role", message }, { type: "rewrite" });
    return { ...rest, role, content: [result] };
  }
  journal.note(at, { rule: "unknown-role", message }, { type: "rewrite" });
  return { ...wire, role };
}

const hasResult = (content: unknown): boolean =>
  Array.isArray(content) && content.some((block) => isRecord(block) && block["type"] === "tool_result");

/** Moves the refusal text, which is a separate field in the chat format, to the content. */
function sayRefusal(message: JsonObject, source: Source, { journal }: Context): JsonObject {
  const { role, content, refusal: said } = message;
  if (role !== "assistant" || typeof said !== "string" || said === "") return message;
  const { refusal: _, ...rest } = message;
  const finding = {
    rule: "chat-shape" as const,
    message: "The text of the model is in refusal, not in content.",
  };
  journal.note({ source, suffix: ".refusal" }, finding, { type: "move", suffix: ".content" });
  const blocks = blocksOf(content);
  return { ...rest, content: blocks.length === 0 ? said : [...blocks, { type: "text", text: said }] };
}

/** Content as a list of blocks. */
function blocksOf(content: unknown): readonly unknown[] {
  if (Array.isArray(content)) return content;
  return content ? [isRecord(content) ? content : { type: "text", text: content }] : [];
}

/** Images beside the content, as in Ollama, become blocks. */
function showImages(message: JsonObject, source: Source, { journal }: Context): JsonObject {
  const images = message["role"] === "user" ? imagesBeside(message) : [];
  if (images.length === 0) return message;
  const { images: _, ...rest } = message;
  const finding = { rule: "chat-shape" as const, message: "Images belong in content, not in images." };
  journal.note({ source, suffix: ".images" }, finding, { type: "move", suffix: ".content" });
  const blocks = images.map(({ mediaType, data }) => ({
    type: "image",
    source: { type: "base64", media_type: mediaType, data },
  }));
  return { ...rest, content: [...blocksOf(message["content"]), ...blocks] };
}

/** Calls in the shape of the chat format become blocks. */
function mendChatCalls(message: JsonObject, source: Source, { journal }: Context): JsonObject {
  const { role, content, tool_calls: given, function_call: legacy } = message;
  const listed = callsIn(given);
  const isLegacy = isRecord(legacy) && !(listed !== undefined && listed.length > 0);
  if (role !== "assistant" || (!isLegacy && listed === undefined)) return message;
  const calls: readonly unknown[] = isLegacy ? [legacy] : chatCallsIn(given);
  const { tool_calls: _, ...others } = message;
  const { function_call: __, ...unlisted } = others;
  const rest = isLegacy ? unlisted : others;
  const blocks = calls.filter(isRecord).map((call) => {
    const { custom } = call;
    if (isRecord(custom)) {
      const { name, input } = custom;
      // Free text is not JSON.
      return { type: "tool_use", id: call["id"], name, input: typeof input === "string" ? wrapRaw(input) : input };
    }
    const called = isRecord(call["function"]) ? call["function"] : call;
    return { type: "tool_use", id: call["id"], name: called["name"], input: inputOf(called["arguments"]) };
  });
  const after = { ...rest, content: [...blocksOf(content), ...blocks] };
  const finding = {
    rule: "chat-shape" as const,
    message: "Calls belong in the content of a message, not in tool_calls.",
  };
  const key = isLegacy ? ".function_call" : ".tool_calls";
  journal.note({ source, suffix: key }, finding, { type: "rewrite", suffix: ".content" });
  return after;
}

/** Parses text that is a JSON object. The rule for inputs handles everything else. */
function inputOf(text: unknown): unknown {
  if (typeof text !== "string") return text ?? {};
  if (isTooDeep(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text; // not JSON: wrapped when inputs are read
  }
}

function mendContent(message: JsonObject, source: Source, { journal }: Context): JsonObject {
  const { content } = message;
  if (typeof content === "string" || Array.isArray(content)) return message;
  if (content === undefined && message["role"] === "system" && isRecord(message["output_config"])) return message;
  const at = { source, suffix: ".content" };
  if (content === undefined || content === null) {
    const finding = { rule: "null-content" as const, message: "The message has no content." };
    // An assistant message without content is removed.
    const lossless = message["role"] !== "assistant" || !saysElsewhere(message);
    journal.note(at, finding, { type: "rewrite", lossless });
    return { ...message, content: [] };
  }
  const after = isRecord(content) ? [content] : JSON.stringify(content);
  const finding = { rule: "content-type" as const, message: "The content is neither text nor a list of blocks." };
  journal.note(at, finding, { type: "rewrite" });
  return { ...message, content: after };
}
