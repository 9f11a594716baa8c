import { isRecord } from "#core";

import type { Wire } from "./played.ts";

/** How a chat server sends reasoning; `tags` puts it into the text. */
export type ThoughtStyle = "reasoning_content" | "reasoning" | "details" | "parts" | "tags";

/** The style of a provider, for a request with this body. */
export function thoughtStyle(provider: string | undefined, body: unknown): ThoughtStyle {
  if (provider === "groq") return "reasoning";
  if (provider === "mistral") return "parts";
  if (provider !== "minimax") return "reasoning_content";
  return isRecord(body) && body["reasoning_split"] === true ? "details" : "tags";
}

/** Reasoning, or a delta of it, in a message or a delta. */
export function thoughtIn(style: ThoughtStyle, text: string): Wire {
  if (style === "details") return { reasoning_details: [{ type: "reasoning.text", index: 0, text }] };
  if (style === "parts") return { content: [{ type: "thinking", thinking: [{ type: "text", text }] }] };
  return style === "tags" ? { content: text } : { [style]: text };
}

/** The text, with the reasoning in it for `tags`. */
export function spokenText(style: ThoughtStyle, thought: string, text: string): string {
  return style === "tags" && thought !== "" ? `<think>\n${thought}\n</think>\n\n${text}` : text;
}
