import { aiSdkBody } from "./ai-sdk.ts";
import { anthropicBody } from "./anthropic.ts";
import { bedrockBody } from "./bedrock.ts";
import type { Conversation } from "./conversation.ts";
import { geminiBody } from "./gemini.ts";
import { langchainBody } from "./langchain.ts";
import { ollamaBody } from "./ollama.ts";
import { openaiChatBody } from "./openai-chat.ts";
import { openaiResponsesBody } from "./openai-responses.ts";

export type Format = keyof typeof formats;

/** A request body, as it comes out of JSON.parse. */
export type Body = Readonly<Record<string, unknown>>;

interface Shape {
  readonly listKey: string;
  readonly body: (source: Conversation) => Body;
  /** What an assistant says between two user turns, in formats that refuse those in a row. */
  readonly between?: object;
}

/** How each format holds a conversation. */
export const formats = {
  "openai-chat": { listKey: "messages", body: (source) => openaiChatBody(source) },
  anthropic: {
    listKey: "messages",
    body: (source) => anthropicBody(source),
    between: { role: "assistant", content: "That is all." },
  },
  "openai-responses": { listKey: "input", body: openaiResponsesBody },
  gemini: { listKey: "contents", body: geminiBody, between: { role: "model", parts: [{ text: "That is all." }] } },
  bedrock: {
    listKey: "messages",
    body: bedrockBody,
    between: { role: "assistant", content: [{ text: "That is all." }] },
  },
  ollama: { listKey: "messages", body: ollamaBody },
  "ai-sdk": { listKey: "messages", body: aiSdkBody },
  langchain: { listKey: "messages", body: langchainBody },
} as const satisfies Readonly<Record<string, Shape>>;

const shapeOf = (format: Format): Shape => formats[format];

/** The messages of a body. */
export function messagesOf(body: Body, format: Format): readonly object[] {
  return body[shapeOf(format).listKey] as readonly object[]; // the benchmark made it
}

/** The body with other messages. */
export function withMessages(body: Body, format: Format, messages: readonly object[]): Body {
  return { ...body, [shapeOf(format).listKey]: messages };
}

/** Messages that go on with a conversation. */
export function nextMessages(next: Conversation, format: Format): readonly object[] {
  const { between, body } = shapeOf(format);
  return [...(between === undefined ? [] : [between]), ...messagesOf(body(next), format)];
}
