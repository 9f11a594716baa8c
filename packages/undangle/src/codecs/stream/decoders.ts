import { UndangleError } from "#core";

import { decodeAnthropic } from "../anthropic/stream.ts";
import { decodeBedrock } from "../bedrock/stream.ts";
import { decodeGemini } from "../gemini/stream.ts";
import { decodeOllama } from "../ollama/stream.ts";
import { decodeChat } from "../openai-chat/stream.ts";
import { decodeResponses } from "../openai-responses/stream.ts";
import type { CreateDecoder } from "./decoder.ts";

/** A wire format that providers stream. */
export type StreamFormat = "openai-chat" | "openai-responses" | "anthropic" | "gemini" | "bedrock" | "ollama";

/** The decoders by their format: one line each. */
const decoders: Readonly<Record<StreamFormat, CreateDecoder>> = {
  "openai-chat": decodeChat,
  "openai-responses": decodeResponses,
  anthropic: decodeAnthropic,
  gemini: decodeGemini,
  bedrock: decodeBedrock,
  ollama: decodeOllama,
};

/** Every format whose streams can be assembled. */
export const streamFormats = Object.keys(decoders) as readonly StreamFormat[];

/** The decoder of a format, with an error that lists them for a name that is none. */
export function decoderOf(format: string): CreateDecoder {
  const create = Object.hasOwn(decoders, format) ? decoders[format as StreamFormat] : undefined;
  if (create === undefined) throw new UndangleError("format/unsupported", { format, supported: streamFormats });
  return create;
}
