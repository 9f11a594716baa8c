import { UndangleError } from "#core";

import { aiSdk } from "./ai-sdk/codec.ts";
import { anthropic } from "./anthropic/codec.ts";
import { bedrock } from "./bedrock/codec.ts";
import type { Codec, Format } from "./codec.ts";
import { gemini } from "./gemini/codec.ts";
import { langchain } from "./langchain/codec.ts";
import { ollama } from "./ollama/codec.ts";
import { openaiChat } from "./openai-chat/codec.ts";
import { openaiResponses } from "./openai-responses/codec.ts";

/** The codec of each format. */
export const codecs: Readonly<Record<Format, Codec>> = {
  "openai-chat": openaiChat,
  anthropic,
  "openai-responses": openaiResponses,
  ollama,
  bedrock,
  gemini,
  "ai-sdk": aiSdk,
  langchain,
};

/** Every format that can be checked and repaired. */
export const formats = Object.keys(codecs) as readonly Format[];

/** The codec of a format. Throws an error with the known formats for any other name. */
export function codecOf(format: string): Codec {
  const codec = Object.hasOwn(codecs, format) ? codecs[format as Format] : undefined;
  if (codec === undefined) throw new UndangleError("format/unsupported", { format, supported: formats });
  return codec;
}
