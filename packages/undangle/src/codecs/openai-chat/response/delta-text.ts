import { isRecord } from "#core";
import type { JsonObject } from "#core";

import type { Manner } from "./request-expectations.ts";

/** A delta as a client reads it. */
export interface DeltaText {
  readonly type: "text" | "reasoning";
  readonly text: unknown;
}

/** The text that clients read from a valid delta, in reading order. */
export function deltaTexts(delta: JsonObject, { isMistral }: Manner): readonly DeltaText[] {
  const { content, refusal, reasoning_content: thought, reasoning, reasoning_details: details } = delta;
  const texts: DeltaText[] = [];
  if (thought || reasoning) texts.push({ type: "reasoning", text: thought || reasoning });
  else if (Array.isArray(details)) texts.push(...details.map(detailOf).filter(hasText));
  if (isMistral && Array.isArray(content)) texts.push(...content.flatMap(chunksOf).filter(hasText));
  else if (content) texts.push({ type: "text", text: content });
  if (refusal) texts.push({ type: "text", text: refusal });
  return texts;
}

const hasText = ({ text }: DeltaText): boolean => typeof text === "string" && text !== "";

/** OpenRouter's list, also sent by MiniMax and gateways. Clients that show reasoning read it. */
const detailOf = (detail: unknown): DeltaText => ({
  type: "reasoning",
  text: isRecord(detail) ? (detail["text"] ?? detail["summary"]) : undefined,
});

/** A part of Mistral's content: text, or a list of reasoning parts. */
function chunksOf(part: unknown): readonly DeltaText[] {
  if (!isRecord(part)) return [];
  const { type, text, thinking } = part;
  if (type !== "thinking") return [{ type: "text", text }];
  const inner: readonly unknown[] = Array.isArray(thinking) ? thinking : [thinking];
  return inner.map((each) => ({ type: "reasoning", text: isRecord(each) ? each["text"] : each }));
}
