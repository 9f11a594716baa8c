import { isRecord } from "#core";
import type { JsonObject } from "#core";

import type { TextDelta, Frame } from "../../stream/response-writer.ts";
import { mendEnvelope } from "./envelope.ts";
import { listOf } from "./strict-client.ts";
import { isChunk } from "../stream/decode.ts";

export interface Place {
  /** True if the client has seen no choice yet. */
  readonly isFirst: boolean;
  /** True if one choice was requested. */
  readonly isSingle: boolean;
  /** The index of the choice to keep, if there are several. */
  readonly kept: unknown;
}

/** Chunks in the form that every client expects, with all other fields of the original. */
export function mendChunk(
  value: JsonObject,
  said: readonly TextDelta[],
  { isFirst, isSingle, kept }: Place,
): readonly Frame[] {
  const { choices, usage, ...shared } = mendEnvelope(value);
  const rest = isRecord(usage) ? { ...shared, usage } : shared;
  if (!Array.isArray(choices))
    return [{ value: isFirst && !isChunk(value) && !("choices" in value) ? value : { ...rest, choices: [] } }];
  const left = [...said];
  const given = listOf(choices).filter(({ index }) => kept === undefined || index === kept);
  if (given.length === 0 && choices.length > 0 && !isRecord(usage)) return [];
  const mended = given.map((choice) => {
    const index = isSingle ? 0 : indexOf(choice);
    const at = left.findIndex((each) => each.choice === index);
    const [piece] = at < 0 ? [] : left.splice(at, 1);
    return mendChoice(choice, index, piece, isFirst);
  });
  const others = left.map(({ choice, ...piece }) => ({ index: choice, delta: deltaOf(piece), finish_reason: null }));
  return [{ ...rest, choices: mended }, ...others.map((choice) => ({ ...shared, choices: [choice] }))].map((chunk) => ({
    value: chunk,
  }));
}

const indexOf = ({ index }: JsonObject): number => (typeof index === "number" && index >= 0 ? index : 0);

function mendChoice(
  choice: JsonObject,
  index: number,
  piece: Pick<TextDelta, "type" | "text"> | undefined,
  isFirst: boolean,
): JsonObject {
  const { delta, message, logprobs, ...rest } = choice;
  const given = isRecord(delta) ? delta : isRecord(message) ? message : {};
  const kept = Object.fromEntries(Object.entries(given).filter(([key]) => !said.has(key)));
  const isRefusal = piece !== undefined && given["refusal"] === piece.text;
  const text = piece === undefined ? {} : isRefusal ? { refusal: piece.text } : deltaOf(piece);
  const role = isFirst ? { role: "assistant" } : {};
  const chances = isRecord(logprobs) || logprobs === null ? { logprobs } : {};
  const mended = { index, delta: { ...role, ...kept, ...text }, ...chances, finish_reason: null };
  return { ...rest, ...mended, ...besides(given["content"]) };
}

/**
 * Content parts other than text and reasoning. They move to a separate field, where no client fails on them or sends
 * them back.
 */
export function besides(content: unknown): JsonObject {
  const parts = listOf(content).filter(({ type, text }) => !isThought(type) && typeof text !== "string");
  return parts.length === 0 ? {} : { content_parts: parts };
}

/** True for the type of a reasoning part. */
export const isThought = (type: unknown): boolean => type === "thinking" || type === "reasoning";

/** The keys of a chunk that are read and rewritten. */
export const said: ReadonlySet<string> = new Set([
  "role",
  "content",
  "refusal",
  "reasoning",
  "reasoning_content",
  "reasoning_text",
  "tool_calls",
  "function_call",
]);

/** A delta in wire form. */
export const deltaOf = ({ type, text }: Pick<TextDelta, "type" | "text">): JsonObject => ({
  [type === "text" ? "content" : "reasoning_content"]: text,
});
