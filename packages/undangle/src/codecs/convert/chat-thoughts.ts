import type { JsonObject } from "#core";

/**
 * The form in which a server of the chat format accepts reasoning: text under a key of the message, MiniMax's list of
 * details, or parts of the content (Mistral).
 */
export type ThoughtForm = "reasoning_content" | "reasoning" | "details" | "parts";

/** The reasoning form that a provider reads for a model; undefined if reasoning is refused or ignored. */
export function thoughtForm(provider: string | undefined, model = ""): ThoughtForm | undefined {
  if (provider === "mistral") return mistralThinkers.test(model) ? "parts" : undefined;
  if (provider === "groq") return /gpt-oss|qwen-?3/i.test(model) ? "reasoning" : undefined; // other models refuse the key
  if (provider === "minimax") return "details";
  return provider !== undefined && plainReaders.has(provider) ? "reasoning_content" : undefined;
}

/** The keys of a message for its reasoning. */
export function thoughtKeys(thoughts: readonly string[], form: ThoughtForm | undefined): JsonObject {
  if (thoughts.length === 0 || form === undefined || form === "parts") return {};
  if (form !== "details") return { [form]: thoughts.join("\n\n") };
  return { reasoning_details: thoughts.map((text, index) => ({ type: "reasoning.text", index, text })) };
}

/** A reasoning part of the content. */
export const thoughtPart = (text: string): JsonObject => ({
  type: "thinking",
  thinking: [{ type: "text", text }],
  closed: true,
});

/** Mistral's reasoning models. */
const mistralThinkers = /magistral|mistral-(?:small-(?:latest|26\d\d)|medium-(?:latest|3[.-]5|26\d\d)|large-4)/i;

/** Providers that read the reasoning of earlier turns from `reasoning_content`. */
const plainReaders: ReadonlySet<string> = new Set([
  "deepseek",
  "moonshot",
  "zhipu",
  "dashscope",
  "vllm",
  "sglang",
  "llamacpp",
  "openrouter",
]);
