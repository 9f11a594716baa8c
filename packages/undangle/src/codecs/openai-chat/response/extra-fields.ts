import { isRecord } from "#core";
import type { AssembledTurn, JsonObject } from "#core";

import { hasSameCalls } from "../../stream/response-writer.ts";
import type { Frame } from "../../stream/response-writer.ts";
import { repairEnvelope } from "./envelope.ts";
import type { Expectations } from "./envelope.ts";
import { readKeys, repairChunk } from "./repair-chunk.ts";
import type { Place } from "./repair-chunk.ts";
import { createStrictClient, listOf } from "./strict-client.ts";

/** The fields of held chunks other than calls, text and the finish reason, as separate chunks. */
export interface ExtraFields {
  /** Chunks up to and including the one with the finish reason. */
  readonly before: readonly Frame[];
  /** Chunks after the finish reason, and usage. */
  readonly after: readonly Frame[];
}

/** Clients send some of these fields back to the provider, such as signatures and encrypted reasoning. */
export function extraFieldsOf(held: readonly Frame[], template: JsonObject, place: Place): ExtraFields {
  const end = held.findLastIndex(({ value }) => listOf(value["choices"]).some(hasReason));
  const count = end < 0 ? held.length : end + 1;
  const extraParts = held.map(({ value }) => extraTextIn(value, template, place));
  const after = held.flatMap(({ value }, i) => [
    ...(i < count ? [] : (extraParts[i] ?? [])),
    ...(isRecord(value["usage"]) ? [{ value: { ...repairEnvelope(value), choices: [] } }] : []),
  ]);
  return { before: extraParts.slice(0, count).flat(), after };
}

const hasReason = ({ finish_reason: finish }: JsonObject): boolean => typeof finish === "string";

function extraTextIn(chunk: JsonObject, template: JsonObject, place: Place): readonly Frame[] {
  const { usage, ...rest } = chunk;
  const isCounted = isRecord(usage); // the other top-level fields are sent with the usage
  const isMore = (key: string): boolean =>
    !isEnvelope.has(key) && !isBlank(rest[key]) && !isSame(rest[key], template[key]);
  if (!listOf(rest["choices"]).some(hasMore) && (isCounted || !Object.keys(rest).some(isMore))) return [];
  return repairChunk(isCounted ? picked(rest, (key) => isEnvelope.has(key)) : rest, [], place);
}

/** True for a choice with fields other than text, calls and the finish reason. */
const hasMore = ({ delta, index: _index, message: _message, finish_reason: _finish, ...rest }: JsonObject): boolean =>
  !Object.values(rest).every(isBlank) ||
  (isRecord(delta) && Object.entries(delta).some(([key, value]) => !readKeys.has(key) && !isBlank(value)));

/**
 * The held chunks with the final finish reasons, and without text that was already sent. Undefined if they have other
 * problems.
 */
export function withReasons(
  held: readonly Frame[],
  turns: readonly AssembledTurn[],
  {
    isFirst,
    sent,
    expectations,
  }: { readonly isFirst: boolean; readonly sent: readonly number[]; readonly expectations: Expectations },
): readonly Frame[] | undefined {
  const client = createStrictClient(expectations, sent);
  const repaired = held.map((frame) => ({ ...frame, value: withReason(frame.value, turns) }));
  let isNext = isFirst;
  for (const { value } of repaired) {
    client.take(value, isNext);
    isNext &&= !listOf(value["choices"]).some(({ delta }) => isRecord(delta));
  }
  const plain = client.turns()?.map(({ calls, isEnded }, i) => {
    const seen = sent[i] ?? 0;
    const isOver = calls.slice(0, seen).every((call) => call.arguments === ""); // nothing more arrived for them
    return { calls: calls.slice(seen), isEnded: isEnded && isOver };
  });
  return plain !== undefined && hasSameCalls(plain, turns) ? repaired : undefined;
}

function withReason(chunk: JsonObject, turns: readonly AssembledTurn[]): JsonObject {
  const { choices } = chunk;
  if (!Array.isArray(choices) || choices.length === 0) return chunk;
  const repaired = choices.map((choice: unknown) => {
    if (!isRecord(choice)) return choice;
    const { delta, index } = choice;
    const rest = isRecord(delta)
      ? { ...choice, delta: picked(delta, (key) => !(isWords.has(key) && delta[key])) }
      : choice;
    return hasReason(choice) ? { ...rest, finish_reason: turns[Number(index)]?.finish ?? "stop" } : rest;
  });
  return { ...chunk, choices: repaired };
}

const picked = (wire: JsonObject, isKept: (key: string) => boolean): JsonObject =>
  Object.fromEntries(Object.entries(wire).filter(([key]) => isKept(key)));

/** Text keys of a delta. */
const isWords: ReadonlySet<string> = new Set(
  [...readKeys].filter((key) => key !== "role" && key !== "tool_calls" && key !== "function_call"),
);

/** Keys that every chunk has, or that have no content. */
const isEnvelope: ReadonlySet<string> = new Set([
  "id",
  "object",
  "created",
  "model",
  "system_fingerprint",
  "service_tier",
  "obfuscation",
  "choices",
]);

function isBlank(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return isRecord(value) ? Object.keys(value).length === 0 : (value ?? "") === "";
}

const isSame = (one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other);
