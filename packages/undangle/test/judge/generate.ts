import { generateAnthropic } from "./generate-anthropic.ts";
import type { GeneratedBody } from "./generated-body.ts";
import { generateOpenAiChat } from "./generate-openai-chat.ts";
import { randomFrom } from "./random.ts";

export { lostTexts, textsOf } from "./texts.ts";

/** A healthy, varied conversation of about `size` exchanges; every text in it is unique (`user-17`). */
export function generate(format: "openai-chat" | "anthropic", seed: number, size: number): GeneratedBody {
  const random = randomFrom(seed);
  return format === "openai-chat" ? generateOpenAiChat(random, size) : generateAnthropic(random, size);
}
