import { geminiCleaner } from "../gemini/response/write-stream.ts";
import { ollamaCleaner } from "../ollama/response/write-stream.ts";
import { chatCleaner } from "../openai-chat/response/write-stream.ts";
import { anthropicCleaner } from "../anthropic/response/write-stream.ts";
import { responsesCleaner } from "../openai-responses/response/write-stream.ts";
import type { ResponseWriter } from "./response-writer.ts";
import type { StreamFormat } from "./formats.ts";

/** The response writer of each format. */
export const responseWriters: Readonly<Partial<Record<StreamFormat, ResponseWriter>>> = {
  anthropic: anthropicCleaner,
  gemini: geminiCleaner,
  ollama: ollamaCleaner,
  "openai-chat": chatCleaner,
  "openai-responses": responsesCleaner,
};
