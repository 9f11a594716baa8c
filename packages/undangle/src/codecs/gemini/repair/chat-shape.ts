import { isRecord, wrapRaw } from "#core";
import type { JsonObject, Source } from "#core";

import { callsIn, chatCallsIn } from "../../unwrap.ts";
import { imagesBeside } from "../../images-beside.ts";
import { isFilled } from "../../says-elsewhere.ts";
import type { Context } from "./context.ts";
import { isResponse } from "../part.ts";

/** The original path of a part from another format, and of its fields. */
export interface Origin {
  readonly path: string;
  readonly fields: Readonly<Record<string, string>>;
}

interface Adopted {
  readonly part: unknown;
  readonly origin: Origin;
}

/** Converts a message of the chat format or Anthropic's, with content instead of parts, to a content. */
export function mendChatShape(wire: JsonObject, source: Source, { journal, origins }: Context): JsonObject {
  const { parts, content, tool_calls: calls, function_call: call, tool_call_id: id, refusal, ...others } = wire;
  const hasCalls = callsIn(calls) !== undefined || isRecord(call);
  if (isFilled(parts) || (content === undefined && !hasCalls)) return wire;
  const items = wire["type"] === "message" ? withoutItemKeys(others) : others;
  const blocks = blocksOf(content);
  const isTools = wire["role"] === "tool" || wire["role"] === "function" || id !== undefined;
  const isResult = isTools && !blocks.some(({ part }) => isResponse(part));
  const shown = imagesOf(wire);
  const adopted = isResult
    ? [adoptMessage(wire), ...shown]
    : [...blocks, ...refused(refusal), ...shown, ...callsOf(calls), ...callOf(call)];
  origins.set(
    source,
    adopted.map(({ origin }) => origin),
  );
  const finding = { rule: "chat-shape" as const, message: "The message has content, not parts." };
  const responses = adopted.filter(({ part }) => isResponse(part)).length;
  if (responses > 0 && responses < adopted.length) {
    // Responses are separate from the rest, so no content corresponds to the message.
    adopted.forEach(({ origin: { path } }, place) =>
      journal.note({ source, suffix: path, part: { place, tail: "" } }, finding, { type: "rewrite" }),
    );
  } else if (adopted.length > 0) journal.note({ source, suffix: "" }, finding, { type: "rewrite" });
  const said = adopted.map(({ part }) => part);
  const { images: _, ...imageless } = items;
  const rest = shown.length === 0 ? items : imageless;
  if (!isTools) return { ...rest, parts: said };
  const { name: __, tool_name: ___, ...besides } = rest; // it belongs to the response
  return { ...besides, role: "user", parts: said };
}

/** Removes item keys from a message of the Responses format. */
function withoutItemKeys(item: JsonObject): JsonObject {
  const { type: _, id: __, status: ___, phase: ____, ...rest } = item;
  return rest;
}

function blocksOf(content: unknown): readonly Adopted[] {
  if (Array.isArray(content)) return content.map((block: unknown, i) => adoptBlock(block, `.content[${i}]`));
  if (typeof content === "string" ? content === "" : !isRecord(content)) return [];
  return [adoptBlock(content, ".content")];
}

function adoptBlock(block: unknown, path: string): Adopted {
  const plain = { path, fields: {} };
  if (typeof block === "string") return { part: { text: block }, origin: plain };
  if (!isRecord(block) || block["type"] === undefined) return { part: block, origin: plain };
  const { type, text } = block;
  if (type === "tool_use") {
    const part = { functionCall: { ...idOf(block["id"]), name: block["name"], args: block["input"] } };
    return { part, origin: { path, fields: { id: ".id", name: ".name", args: ".input" } } };
  }
  if (type === "tool_result") {
    const { tool_use_id: id, content, is_error: isError } = block;
    const part = responsePart(id, "", { [isError === true ? "error" : "result"]: outputOf(content) });
    return { part, origin: { path, fields: { id: ".tool_use_id", response: ".content" } } };
  }
  const said = type === "refusal" ? block["refusal"] : text;
  return { part: { text: typeof said === "string" ? said : JSON.stringify(block) }, origin: plain };
}

/** The refusal text, which is a separate field of a chat message. */
function refused(refusal: unknown): readonly Adopted[] {
  if (typeof refusal !== "string" || refusal === "") return [];
  return [{ part: { text: refusal }, origin: { path: ".refusal", fields: {} } }];
}

/** The images of an Ollama message, which are a separate field. */
function imagesOf(message: JsonObject): readonly Adopted[] {
  return imagesBeside(message).map(({ mediaType, data }, i) => {
    const origin = { path: `.images[${i}]`, fields: {} };
    return { part: { inlineData: { mimeType: mediaType, data } }, origin };
  });
}

function callsOf(calls: unknown): readonly Adopted[] {
  return chatCallsIn(calls).flatMap((call, i) => {
    if (!isRecord(call)) return [];
    const path = `.tool_calls[${i}]`;
    const { id, function: called, custom } = call;
    if (isRecord(custom)) {
      const { name, input } = custom;
      const args = typeof input === "string" ? wrapRaw(input) : input; // free text is not JSON
      const origin = { path, fields: { id: ".id", name: ".custom.name", args: ".custom.input" } };
      return [{ part: callPart({ name, arguments: args }, id), origin }];
    }
    const inner = isRecord(called) ? ".function" : "";
    const fields = { id: ".id", name: `${inner}.name`, args: `${inner}.arguments` };
    const part = { ...callPart(isRecord(called) ? called : call, id), ...signatureOf(call) };
    return [{ part, origin: { path, fields } }];
  });
}

/** The signature of a call from Gemini's chat endpoint. */
function signatureOf({ extra_content: extra }: JsonObject): JsonObject {
  const google = isRecord(extra) ? extra["google"] : undefined;
  const signature = isRecord(google) ? google["thought_signature"] : undefined;
  return typeof signature === "string" && signature !== "" ? { thoughtSignature: signature } : {};
}

/** The legacy `function_call` of a chat message. */
function callOf(call: unknown): readonly Adopted[] {
  if (!isRecord(call)) return [];
  const fields = { name: ".name", args: ".arguments" };
  return [{ part: callPart(call, undefined), origin: { path: ".function_call", fields } }];
}

export function callPart({ name, arguments: args }: JsonObject, id: unknown): JsonObject {
  return { functionCall: { ...idOf(id), name, args } };
}

/** Converts a message with a tool result. */
function adoptMessage({ tool_call_id: id, name: given, tool_name: name = given, content }: JsonObject): Adopted {
  const part = responsePart(id, typeof name === "string" ? name : "", { result: outputOf(content) });
  const key = name === given ? ".name" : ".tool_name";
  return { part, origin: { path: "", fields: { id: ".tool_call_id", name: key, response: ".content" } } };
}

export const responsePart = (id: unknown, name: string, response: JsonObject): JsonObject => ({
  functionResponse: { ...idOf(id), name, response },
});

/** Tool output: text as text, and any other value unchanged. */
export function outputOf(content: unknown): unknown {
  if (!Array.isArray(content)) return content ?? "";
  const texts = content.flatMap((block: unknown) => {
    const text = isRecord(block) && textTypes.has(block["type"]) ? block["text"] : block;
    return typeof text === "string" ? [text] : [];
  });
  return texts.length === content.length ? texts.join("\n\n") : content;
}

/** The types of text parts in formats with `content`. */
const textTypes: ReadonlySet<unknown> = new Set(["text", "input_text", "output_text"]);

const idOf = (id: unknown): JsonObject =>
  (typeof id === "string" && id !== "") || typeof id === "number" ? { id } : {};
