import { decodeAnthropic } from "../anthropic/stream/decode.ts";
import { decodeBedrock } from "../bedrock/stream/decode.ts";
import { decodeGemini } from "../gemini/stream/decode.ts";
import { decodeOllama } from "../ollama/stream/decode.ts";
import { decodeChat } from "../openai-chat/stream/decode.ts";
import { decodeResponses } from "../openai-responses/stream/decode.ts";
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
