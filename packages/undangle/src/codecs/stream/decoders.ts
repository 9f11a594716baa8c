import { decodeAnthropic } from "../anthropic/stream.ts";
import { decodeBedrock } from "../bedrock/stream.ts";
import { decodeGemini } from "../gemini/stream.ts";
import { decodeOllama } from "../ollama/stream.ts";
import { decodeChat } from "../openai-chat/stream.ts";
import { decodeResponses } from "../openai-responses/stream.ts";
import type { CreateDecoder } from "./decoder.ts";
import type { StreamFormat } from "./formats.ts";

/** The decoder of each format. */
export const decoders: Readonly<Record<StreamFormat, CreateDecoder>> = {
  "openai-chat": decodeChat,
  "openai-responses": decodeResponses,
  anthropic: decodeAnthropic,
  gemini: decodeGemini,
  bedrock: decodeBedrock,
  ollama: decodeOllama,
};
