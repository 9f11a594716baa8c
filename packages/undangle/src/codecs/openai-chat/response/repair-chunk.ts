import { isRecord } from "#core";
import type { JsonObject } from "#core";

import type { TextDelta, Frame } from "../../stream/response-writer.ts";
import { repairEnvelope } from "./envelope.ts";
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
export function repairChunk(
  value: JsonObject,
  texts: readonly TextDelta[],
  { isFirst, isSingle, kept }: Place,
): readonly Frame[] {
  const { choices, usage, ...shared } = repairEnvelope(value);
  const rest = isRecord(usage) ? { ...shared, usage } : shared;
  if (!Array.isArray(choices))
    return [{ value: isFirst && !isChunk(value) && !("choices" in value) ? value : { ...rest, choices: [] } }];
  const left = [...texts];
  const given = listOf(choices).filter(({ index }) => kept === undefined || index === kept);
  if (given.length === 0 && choices.length > 0 && !isRecord(usage)) return [];
  const repaired = given.map((choice) => {
    const index = isSingle ? 0 : indexOf(choice);
    const at = left.findIndex((each) => each.choice === index);
    const [textDelta] = at < 0 ? [] : left.splice(at, 1);
    return repairChoice(choice, index, textDelta, isFirst);
  });
  const others = left.map(({ choice, ...textDelta }) => ({
    index: choice,
    delta: deltaOf(textDelta),
    finish_reason: null,
  }));
  return [{ ...rest, choices: repaired }, ...others.map((choice) => ({ ...shared, choices: [choice] }))].map(
    (chunk) => ({
      value: chunk,
    }),
  );
}

const indexOf = ({ index }: JsonObject): number => (typeof index === "number" && index >= 0 ? index : 0);

function repairChoice(
  choice: JsonObject,
  index: number,
  textDelta: Pick<TextDelta, "type" | "text"> | undefined,
  isFirst: boolean,
): JsonObject {
  const { delta, message, logprobs, ...rest } = choice;
  const given = isRecord(delta) ? delta : isRecord(message) ? message : {};
  const kept = Object.fromEntries(Object.entries(given).filter(([key]) => !readKeys.has(key)));
  const isRefusal = textDelta !== undefined && given["refusal"] === textDelta.text;
  const text = textDelta === undefined ? {} : isRefusal ? { refusal: textDelta.text } : deltaOf(textDelta);
  const role = isFirst ? { role: "assistant" } : {};
  const chances = isRecord(logprobs) || logprobs === null ? { logprobs } : {};
  const repaired = { index, delta: { ...role, ...kept, ...text }, ...chances, finish_reason: null };
  return { ...rest, ...repaired, ...extraParts(given["content"]) };
}

/**
 * Content parts other than text and reasoning. They move to a separate field, where no client fails on them or sends
 * them back.
 */
export function extraParts(content: unknown): JsonObject {
  const parts = listOf(content).filter(({ type, text }) => !isThought(type) && typeof text !== "string");
  return parts.length === 0 ? {} : { content_parts: parts };
}

/** True for the type of a reasoning part. */
export const isThought = (type: unknown): boolean => type === "thinking" || type === "reasoning";

/** The keys of a chunk that are read and rewritten. */
export const readKeys: ReadonlySet<string> = new Set([
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
