import { isRecord } from "#core";

import type { Wire } from "./played.ts";

/** How a server of the chat format tells what its model thought; `tags` is inside of what it says. */
export type ThoughtStyle = "reasoning_content" | "reasoning" | "details" | "parts" | "tags";

/** The style of a provider, for a request with this body. */
export function thoughtStyle(provider: string | undefined, body: unknown): ThoughtStyle {
  if (provider === "groq") return "reasoning";
  if (provider === "mistral") return "parts";
  if (provider !== "minimax") return "reasoning_content";
  return isRecord(body) && body["reasoning_split"] === true ? "details" : "tags";
}

/** A thought, or a piece of one, as a message or a delta has it. */
export function thoughtIn(style: ThoughtStyle, text: string): Wire {
  if (style === "details") return { reasoning_details: [{ type: "reasoning.text", index: 0, text }] };
  if (style === "parts") return { content: [{ type: "thinking", thinking: [{ type: "text", text }] }] };
  return style === "tags" ? { content: text } : { [style]: text };
}

/** What is said, with the thought in it where it stands there. */
export function spokenText(style: ThoughtStyle, thought: string, text: string): string {
  return style === "tags" && thought !== "" ? `<think>\n${thought}\n</think>\n\n${text}` : text;
}
