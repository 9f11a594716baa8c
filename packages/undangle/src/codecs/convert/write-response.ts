import { isRecord } from "#core";
import type { Finish, JsonObject, Language } from "#core";

import type { StreamFormat } from "../stream/formats.ts";
import type { AssistantMessage, Message } from "./conversation.ts";
import { encode } from "./encode.ts";

/** A turn of a model, and what its provider reported with it. */
export interface WrittenTurn {
  readonly message: AssistantMessage;
  readonly model: string;
  /** Null for a turn that was stopped. */
  readonly finish: Finish;
  /** The usage in the provider's form. */
  readonly usage?: JsonObject | undefined;
}

/**
 * Writes a turn as the body of a response that is not streamed. It has the content of the turn, without ids and times of
 * the provider, which are not part of a turn.
 */
export function writeResponse(
  turn: WrittenTurn,
  { format, language }: { readonly format: StreamFormat; readonly language: Language },
): JsonObject {
  const { message } = turn;
  const list =
    message.parts.length === 0
      ? []
      : encode({ messages: [before, message], setting: undefined }, { to: format, language });
  const items = Array.isArray(list) ? list.filter(isRecord).filter(isOfModel) : [];
  return envelopes[format](items, turn);
}

/** A turn needs a message before it. */
const before: Message = { role: "user", path: "", name: undefined, parts: [{ type: "text", path: "", text: "?" }] };

/** False for the message before the turn, and for the results that a valid history has after calls. */
const isOfModel = ({ role, type }: JsonObject): boolean =>
  role === undefined ? !String(type).endsWith("_output") : role === "assistant" || role === "model";

type Envelope = (items: readonly JsonObject[], turn: WrittenTurn) => JsonObject;

const envelopes: Readonly<Record<StreamFormat, Envelope>> = {
  "openai-chat": ([message = { role: "assistant", content: "" }], { model, finish, usage }) => ({
    object: "chat.completion",
    model,
    choices: [{ index: 0, message, finish_reason: finish }],
    ...(usage !== undefined && { usage }),
  }),
  "openai-responses": (output, { model, finish, usage }) => ({
    object: "response",
    model,
    status: finish === "stop" || finish === "tool_calls" ? "completed" : "incomplete",
    ...(finish === "length" && { incomplete_details: { reason: "max_output_tokens" } }),
    ...(finish === "content_filter" && { incomplete_details: { reason: "content_filter" } }),
    output,
    ...(usage !== undefined && { usage }),
  }),
  anthropic: ([{ content = [] } = {}], { model, finish, usage }) => ({
    type: "message",
    role: "assistant",
    model,
    content: typeof content === "string" ? [{ type: "text", text: content }] : content,
    stop_reason: finish === null ? null : anthropicReasons[finish],
    ...(usage !== undefined && { usage }),
  }),
  gemini: ([content = { role: "model", parts: [] }], { model, finish, usage }) => ({
    candidates: [{ index: 0, content, ...(finish !== null && { finishReason: geminiReasons[finish] }) }],
    ...(usage !== undefined && { usageMetadata: usage }),
    modelVersion: model,
  }),
  bedrock: ([message = { role: "assistant", content: [] }], { finish, usage }) => ({
    output: { message },
    ...(finish !== null && { stopReason: bedrockReasons[finish] }),
    ...(usage !== undefined && { usage }),
  }),
  ollama: ([message = { role: "assistant", content: "" }], { model, finish, usage }) => ({
    model,
    message,
    done: finish !== null,
    ...(finish !== null && { done_reason: finish === "length" ? "length" : "stop" }),
    ...usage,
  }),
};

type Reasons = Readonly<Record<Exclude<Finish, null>, string>>;

const anthropicReasons: Reasons = {
  stop: "end_turn",
  tool_calls: "tool_use",
  length: "max_tokens",
  content_filter: "refusal",
  error: "error",
};

const geminiReasons: Reasons = {
  stop: "STOP",
  tool_calls: "STOP",
  length: "MAX_TOKENS",
  content_filter: "SAFETY",
  error: "OTHER",
};

const bedrockReasons: Reasons = {
  stop: "end_turn",
  tool_calls: "tool_use",
  length: "max_tokens",
  content_filter: "content_filtered",
  error: "error",
};
