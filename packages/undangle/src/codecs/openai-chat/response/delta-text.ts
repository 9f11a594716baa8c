import { isRecord } from "#core";
import type { JsonObject } from "#core";

import type { Manner } from "./request-expectations.ts";

/** A delta as a client reads it. */
export interface DeltaPiece {
  readonly type: "text" | "reasoning";
  readonly text: unknown;
}

/** The text that clients read from a valid delta, in reading order. */
export function saidInDelta(delta: JsonObject, { isMistral }: Manner): readonly DeltaPiece[] {
  const { content, refusal, reasoning_content: thought, reasoning, reasoning_details: details } = delta;
  const said: DeltaPiece[] = [];
  if (thought || reasoning) said.push({ type: "reasoning", text: thought || reasoning });
  else if (Array.isArray(details)) said.push(...details.map(detailOf).filter(isSaid));
  if (isMistral && Array.isArray(content)) said.push(...content.flatMap(piecesOf).filter(isSaid));
  else if (content) said.push({ type: "text", text: content });
  if (refusal) said.push({ type: "text", text: refusal });
  return said;
}

const isSaid = ({ text }: DeltaPiece): boolean => typeof text === "string" && text !== "";

/** OpenRouter's list, also sent by MiniMax and gateways. Clients that show reasoning read it. */
const detailOf = (detail: unknown): DeltaPiece => ({
  type: "reasoning",
  text: isRecord(detail) ? (detail["text"] ?? detail["summary"]) : undefined,
});

/** A part of Mistral's content: text, or a list of reasoning parts. */
function piecesOf(part: unknown): readonly DeltaPiece[] {
  if (!isRecord(part)) return [];
  const { type, text, thinking } = part;
  if (type !== "thinking") return [{ type: "text", text }];
  const inner: readonly unknown[] = Array.isArray(thinking) ? thinking : [thinking];
  return inner.map((each) => ({ type: "reasoning", text: isRecord(each) ? each["text"] : each }));
}
