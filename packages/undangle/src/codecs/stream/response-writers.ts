import { geminiWriter } from "../gemini/response/write-stream.ts";
import { ollamaWriter } from "../ollama/response/write-stream.ts";
import { chatWriter } from "../openai-chat/response/write-stream.ts";
import { anthropicWriter } from "../anthropic/response/write-stream.ts";
import { responsesWriter } from "../openai-responses/response/write-stream.ts";
import type { ResponseWriter } from "./response-writer.ts";
import type { StreamFormat } from "./formats.ts";

/** The response writer of each format. */
export const responseWriters: Readonly<Partial<Record<StreamFormat, ResponseWriter>>> = {
  anthropic: anthropicWriter,
  gemini: geminiWriter,
  ollama: ollamaWriter,
  "openai-chat": chatWriter,
  "openai-responses": responsesWriter,
};
