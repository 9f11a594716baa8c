import type { WireFormat } from "../faults/fault.ts";
import { playAnthropic } from "./anthropic.ts";
import { playBedrock } from "./bedrock.ts";
import { playGemini } from "./gemini.ts";
import { playOllama } from "./ollama.ts";
import { playChat } from "./openai-chat.ts";
import { playResponses } from "./openai-responses.ts";
import type { Player } from "./played.ts";

/** The players by format. */
export const players: Readonly<Record<WireFormat, Player>> = {
  "openai-chat": playChat,
  "openai-responses": playResponses,
  anthropic: playAnthropic,
  gemini: playGemini,
  bedrock: playBedrock,
  ollama: playOllama,
};
