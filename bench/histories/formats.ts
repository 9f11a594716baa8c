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
}

/** How each format holds a conversation. */
export const formats = {
  "openai-chat": { listKey: "messages", body: (source) => openaiChatBody(source) },
  anthropic: { listKey: "messages", body: (source) => anthropicBody(source) },
  "openai-responses": { listKey: "input", body: openaiResponsesBody },
  gemini: { listKey: "contents", body: geminiBody },
  bedrock: { listKey: "messages", body: bedrockBody },
  ollama: { listKey: "messages", body: ollamaBody },
  "ai-sdk": { listKey: "messages", body: aiSdkBody },
  langchain: { listKey: "messages", body: langchainBody },
} as const satisfies Readonly<Record<string, Shape>>;

const shapeOf = (format: Format): Shape => formats[format];

/** The messages of a body. */
export function messagesOf(body: Body, format: Format): readonly object[] {
  return body[shapeOf(format).listKey] as readonly object[]; // the benchmark made it
}
