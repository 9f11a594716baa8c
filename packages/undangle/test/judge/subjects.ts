import { aiSdkSubject } from "./ai-sdk/subject.ts";
import { anthropicSubject } from "./anthropic-subject.ts";
import { bedrockSubject } from "./bedrock/subject.ts";
import { geminiSubject } from "./gemini/subject.ts";
import { langchainSubject } from "./langchain/subject.ts";
import { ollamaSubject } from "./ollama/subject.ts";
import { openaiChatSubject } from "./openai-chat-subject.ts";
import { openaiResponsesSubject } from "./openai-responses/subject.ts";
import type { Format, Subject } from "./subject.ts";

/** The subjects by their format: one line each. */
export const subjects: Readonly<Record<Format, Subject>> = {
  "openai-chat": openaiChatSubject,
  "openai-responses": openaiResponsesSubject,
  anthropic: anthropicSubject,
  ollama: ollamaSubject,
  gemini: geminiSubject,
  bedrock: bedrockSubject,
  "ai-sdk": aiSdkSubject,
  langchain: langchainSubject,
};

/** Every format that there is a judge for. */
export const formats = Object.keys(subjects) as readonly Format[];
