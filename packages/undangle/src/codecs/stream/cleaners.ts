import { geminiCleaner } from "../gemini/clean-stream.ts";
import { ollamaCleaner } from "../ollama/clean-stream.ts";
import { chatCleaner } from "../openai-chat/clean-stream.ts";
import { anthropicCleaner } from "../anthropic/clean-stream.ts";
import { responsesCleaner } from "../openai-responses/clean-stream.ts";
import type { ResponseWriter } from "./cleaner.ts";
import type { StreamFormat } from "./formats.ts";

/** What writes the answers of each format cleanly: one line each. */
export const responseWriters: Readonly<Partial<Record<StreamFormat, ResponseWriter>>> = {
  anthropic: anthropicCleaner,
  gemini: geminiCleaner,
  ollama: ollamaCleaner,
  "openai-chat": chatCleaner,
  "openai-responses": responsesCleaner,
};
