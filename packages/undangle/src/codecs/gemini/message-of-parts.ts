import { isRecord } from "#core";
import type { Journal, JsonObject, Source } from "#core";

import { isFilled } from "../says-elsewhere.ts";
import { callKey, dataIn, hasUnknownKey, insideOf, isCall, isFailure, isResponse, responseKey } from "./part.ts";

/**
 * Converts a Gemini message with parts, in the list of another format, to an Anthropic message with a block per part,
 * which the other formats read. Any other message is unchanged. Undefined, with a report, if a part is unclear.
 */
export function mendPartsShape(
  message: JsonObject,
  source: Source,
  { journal, staysWhole = false }: Means,
): JsonObject | undefined {
  // Empty content stays if the format accepts it.
  if (!isOfParts(message) || (!staysWhole && isSet(message["content"]))) return message;
  const { parts: given, ...rest } = message;
  const parts = listOf(given);
  const role = roleOf(message["role"], parts);
  if (role === undefined) return message;
  const blocks = parts.map(blockOf);
  const odd = blocks.flatMap((block, place) => (block === undefined ? [place] : []));
  for (const place of odd) {
    const finding = { rule: "unknown-block" as const, message: "A Gemini part that this format does not have." };
    journal.note({ source, suffix: `.parts[${place}]` }, finding);
  }
  if (odd.length > 0) return undefined;
  const finding = {
    rule: "content-type" as const,
    message: "The message has parts, as in Gemini, instead of content.",
  };
  // If calls and results move to separate places, each is reported.
  if (staysWhole || blocks.some((block) => block?.["type"] !== "tool_use" && block?.["type"] !== "tool_result"))
    journal.note({ source, suffix: "" }, finding, { type: "rewrite" });
  return { ...rest, role, content: blocks };
}

interface Means {
  readonly journal: Journal;
  /** True if calls and results are blocks of their message in the target format too. */
  readonly staysWhole?: boolean;
}

/**
 * The same for formats whose messages also contain calls and results. Names are kept apart, because their results have
 * none.
 */
export function mendWholeParts(
  message: JsonObject,
  source: Source,
  { journal, names }: { readonly journal: Journal; readonly names: Map<Source, readonly (string | undefined)[]> },
): JsonObject | undefined {
  const shaped = mendPartsShape(message, source, { journal, staysWhole: true });
  if (shaped === undefined || shaped === message) return shaped;
  const given: (string | undefined)[] = [];
  const blocks: readonly unknown[] = Array.isArray(shaped["content"]) ? shaped["content"] : [];
  const content = blocks.map((block) => {
    const isResult = isRecord(block) && block["type"] === "tool_result";
    const { name, ...rest } = isResult ? block : {};
    given.push(typeof name === "string" ? name : undefined);
    return isResult ? rest : block;
  });
  names.set(source, given);
  return { ...shaped, content };
}

/** True for a message with `parts` instead of content. */
export function isOfParts({
  content,
  parts,
  tool_calls: calls,
  tool_call_id: id,
  function_call: call,
}: JsonObject): boolean {
  if (parts === undefined) return false;
  const isSaidElsewhere = isFilled(content) || isFilled(calls) || isFilled(id) || isFilled(call);
  return !isSaidElsewhere && listOf(parts).length > 0;
}

const isSet = (value: unknown): boolean => value !== undefined && value !== null;

/** The input key of a message's content. */
export const contentKey = ({ wire }: Source): "parts" | "content" =>
  isRecord(wire) && isOfParts(wire) ? "parts" : "content";

function listOf(parts: unknown): readonly unknown[] {
  if (Array.isArray(parts)) return parts;
  return isRecord(parts) || (typeof parts === "string" && parts !== "") ? [parts] : [];
}

const roles: Readonly<Record<string, string>> = {
  user: "user",
  function: "user",
  tool: "user",
  model: "assistant",
  assistant: "assistant",
  system: "system",
  developer: "system",
  human: "user",
  ai: "assistant",
  bot: "assistant",
  ipython: "user",
  observation: "user",
  tool_result: "user",
  tool_response: "user",
};

/** The equivalent of a Gemini role in other formats. Undefined for any other role. */
function roleOf(role: unknown, parts: readonly unknown[]): string | undefined {
  if (role === undefined || role === null) return parts.some(isCall) ? "assistant" : "user";
  const meant = typeof role === "string" ? role.trim().toLowerCase() : "";
  return Object.hasOwn(roles, meant) ? roles[meant] : undefined;
}

/** A part as an equivalent block; undefined for parts that only Gemini has. */
function blockOf(part: unknown): JsonObject | undefined {
  if (typeof part === "string") return { type: "text", text: part };
  if (!isRecord(part)) return undefined;
  if (part["type"] !== undefined) return isText(part) ? { type: "text", text: part["text"] } : undefined;
  const [data, ...others] = dataIn(part);
  if (data === undefined) return hasUnknownKey(part) ? undefined : { type: "text", text: "" };
  if (others.length > 0) return undefined;
  if (isCall(part)) return callOf(insideOf(part, callKey(part, "camel")));
  if (isResponse(part)) return resultOf(insideOf(part, responseKey(part, "camel")));
  if (typeof part["text"] !== "string") return imageOf(part);
  return part["thought"] === true ? { type: "thinking", thinking: part["text"] } : { type: "text", text: part["text"] };
}

/** True for a text part of the AI SDK. */
const isText = ({ type, text }: JsonObject): boolean => type === "text" && typeof text === "string";

const callOf = ({ id, name, args }: JsonObject): JsonObject => ({
  type: "tool_use",
  ...(id === undefined || id === null ? {} : { id }),
  name,
  input: args ?? {},
});

/** Converts a result. Unlike Anthropic's, it has the tool name, which is often the only way to pair it. */
function resultOf({ id, name, response, parts }: JsonObject): JsonObject | undefined {
  const shown = Array.isArray(parts) ? parts.map((part: unknown) => (isRecord(part) ? imageOf(part) : undefined)) : [];
  if (shown.includes(undefined)) return undefined;
  const text = textOf(response);
  return {
    type: "tool_result",
    ...(id === undefined || id === null ? {} : { tool_use_id: id }),
    ...(typeof name === "string" ? { name } : {}),
    content: shown.length === 0 ? text : [...(text === "" ? [] : [{ type: "text", text }]), ...shown],
    ...(isFailure(response) ? { is_error: true } : {}),
  };
}

/** The text of a response that contains only text. */
function textOf(response: unknown): string {
  if (response === undefined || response === null) return "";
  if (typeof response === "string") return response;
  const [only, ...others] = isRecord(response) ? Object.entries(response) : [];
  if (only !== undefined && others.length === 0 && ["result", "output", "error"].includes(only[0])) {
    if (typeof only[1] === "string") return only[1];
  }
  return JSON.stringify(response);
}

/** An image from bytes, or from a URL outside Google's storage. */
function imageOf(part: JsonObject): JsonObject | undefined {
  const inline = part["inlineData"] ?? part["inline_data"];
  const file = part["fileData"] ?? part["file_data"];
  const given = isRecord(inline) ? inline : isRecord(file) ? file : {};
  const type = given["mimeType"] ?? given["mime_type"];
  if (typeof type !== "string" || !type.startsWith("image/")) return undefined;
  const { data } = given;
  if (typeof data === "string") return { type: "image", source: { type: "base64", media_type: type, data } };
  const url = given["fileUri"] ?? given["file_uri"];
  const isOnTheWeb = typeof url === "string" && /^https?:\/\/(?!generativelanguage\.googleapis\.com\/)/u.test(url);
  return isOnTheWeb ? { type: "image", source: { type: "url", url } } : undefined;
}
