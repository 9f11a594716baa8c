import { isRecord } from "#core";
import type { JsonObject } from "#core";

import type { Reasoning } from "./conversation.ts";
import { listOf, stringOf } from "./wire.ts";

/** The keys that servers of the chat format use for reasoning. */
export const thoughtNames = ["reasoning_content", "reasoning", "reasoning_details"] as const;

/** The reasoning beside the content of a message: one text, and its encrypted part. */
export function readThoughts(wire: JsonObject, path: string): readonly Reasoning[] {
  const details = listOf(wire["reasoning_details"]).filter(isRecord);
  const key = thoughtNames.find((name) => typeof wire[name] === "string" && wire[name] !== "") ?? "reasoning_details";
  const text =
    stringOf(wire[key]) ?? details.map((detail) => stringOf(detail["text"] ?? detail["summary"]) ?? "").join("");
  const isSealed = details.some(({ signature, data }) => typeof signature === "string" || typeof data === "string");
  if (text === "" && !isSealed) return [];
  const seal = isSealed ? ({ owner: "openrouter", value: JSON.stringify(details) } as const) : undefined;
  return [{ type: "reasoning", path: `${path}.${key}`, text, seal, isRedacted: text === "" }];
}

/** True for a reasoning part of the content, as Mistral sends it. */
export const isThoughtPart = (part: unknown): part is JsonObject => isRecord(part) && part["type"] === "thinking";

export function thoughtIn({ thinking }: JsonObject, path: string): Reasoning {
  const pieces = Array.isArray(thinking) ? listOf(thinking) : [thinking];
  const text = pieces.map((piece) => stringOf(isRecord(piece) ? piece["text"] : piece) ?? "").join("");
  return { type: "reasoning", path, text, seal: undefined, isRedacted: false };
}
