import { ollamaConverter } from "./convert-ollama.ts";
import { readAiSdk } from "./read-ai-sdk.ts";
import { readAnthropic } from "./read-anthropic.ts";
import { readBedrock } from "./read-bedrock.ts";
import { readGemini } from "./read-gemini.ts";
import { readLangchain } from "./read-langchain.ts";
import { readChat } from "./read-openai-chat.ts";
import { readResponses } from "./read-openai-responses.ts";
import type { Converter } from "./wire.ts";
import { writeAiSdk } from "./write-ai-sdk.ts";
import { writeAnthropic } from "./write-anthropic.ts";
import { writeBedrock } from "./write-bedrock.ts";
import { writeGemini } from "./write-gemini.ts";
import { writeLangchain } from "./write-langchain.ts";
import { writeChat } from "./write-openai-chat.ts";
import { writeResponses } from "./write-openai-responses.ts";

export type ConvertibleFormat =
  | "openai-chat"
  | "openai-responses"
  | "anthropic"
  | "gemini"
  | "bedrock"
  | "ollama"
  | "ai-sdk"
  | "langchain";

/** The reader and writer of each format. */
export const converters: Readonly<Record<ConvertibleFormat, Converter>> = {
  "openai-chat": { listKey: "messages", read: readChat, write: writeChat },
  "openai-responses": { listKey: "input", isLoose: true, read: readResponses, write: writeResponses },
  anthropic: {
    listKey: "messages",
    hasSystemField: true,
    toolNames: { pattern: /^[a-zA-Z0-9_-]+$/, longest: 128 },
    read: readAnthropic,
    write: writeAnthropic,
  },
  gemini: { listKey: "contents", hasSystemField: true, read: readGemini, write: writeGemini },
  bedrock: { listKey: "messages", hasSystemField: true, read: readBedrock, write: writeBedrock },
  ollama: ollamaConverter,
  "ai-sdk": { listKey: "messages", read: readAiSdk, write: writeAiSdk },
  langchain: { listKey: "messages", read: readLangchain, write: writeLangchain },
};
