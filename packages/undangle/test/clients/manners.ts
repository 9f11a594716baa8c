import { anthropicManner } from "./manner-anthropic.ts";
import { chatManner } from "./manner-chat.ts";
import { geminiManner } from "./manner-gemini.ts";
import { ollamaManner } from "./manner-ollama.ts";
import { responsesManner } from "./manner-responses.ts";
import type { Manner } from "./manner.ts";

/** Every format that `wrapFetch` mends. */
export const manners: readonly Manner[] = [chatManner, responsesManner, anthropicManner, geminiManner, ollamaManner];
