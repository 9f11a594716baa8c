import { isRecord } from "#core";
import type { AssembledTurn } from "#core";

import { hasSameCalls } from "../stream/response-writer.ts";
import type { Frame, JsonObject } from "../stream/response-writer.ts";
import { mendEnvelope } from "./envelope.ts";
import type { Manner } from "./manner.ts";
import { mendChunk, said } from "./mend-chunk.ts";
import type { Place } from "./mend-chunk.ts";
import { createPlainClient, listOf } from "./strict-client.ts";

/** What stands in chunks that wait beside calls, text and the reason, in chunks of its own. */
export interface Besides {
  /** Of those up to the one with the reason. */
  readonly before: readonly Frame[];
  /** Of those behind it, and what was counted. */
  readonly behind: readonly Frame[];
}

/** What providers put beside calls goes back to some of them: signatures, or what was thought and is encrypted. */
export function besidesOf(waiting: readonly Frame[], like: JsonObject, place: Place): Besides {
  const end = waiting.findLastIndex(({ value }) => listOf(value["choices"]).some(hasReason));
  const count = end < 0 ? waiting.length : end + 1;
  const besides = waiting.map(({ value }) => besideIn(value, like, place));
  const behind = waiting.flatMap(({ value }, i) => [
    ...(i < count ? [] : (besides[i] ?? [])),
    ...(isRecord(value["usage"]) ? [{ value: { ...mendEnvelope(value), choices: [] } }] : []),
  ]);
  return { before: besides.slice(0, count).flat(), behind };
}

const hasReason = ({ finish_reason: finish }: JsonObject): boolean => typeof finish === "string";

function besideIn(chunk: JsonObject, like: JsonObject, place: Place): readonly Frame[] {
  const { usage, ...rest } = chunk;
  const isCounted = isRecord(usage); // then what stands around its choices comes with that
  const isMore = (key: string): boolean => !isEnvelope.has(key) && !isBlank(rest[key]) && !isSame(rest[key], like[key]);
  if (!listOf(rest["choices"]).some(hasMore) && (isCounted || !Object.keys(rest).some(isMore))) return [];
  return mendChunk(isCounted ? picked(rest, (key) => isEnvelope.has(key)) : rest, [], place);
}

/** True for a choice in which something stands that is neither said nor called, nor the reason. */
const hasMore = ({ delta, index: _index, message: _message, finish_reason: _finish, ...rest }: JsonObject): boolean =>
  !Object.values(rest).every(isBlank) ||
  (isRecord(delta) && Object.entries(delta).some(([key, value]) => !said.has(key) && !isBlank(value)));

/**
 * The chunks that wait with the reasons that their turns have, and without what was said in them, which the client has heard;
 * undefined where more is wrong with them.
 */
export function withReasons(
  waiting: readonly Frame[],
  turns: readonly AssembledTurn[],
  { isFirst, sent, manner }: { readonly isFirst: boolean; readonly sent: readonly number[]; readonly manner: Manner },
): readonly Frame[] | undefined {
  const client = createPlainClient(manner, sent);
  const mended = waiting.map((frame) => ({ ...frame, value: withReason(frame.value, turns) }));
  let isNext = isFirst;
  for (const { value } of mended) {
    client.take(value, isNext);
    isNext &&= !listOf(value["choices"]).some(({ delta }) => isRecord(delta));
  }
  const plain = client.turns()?.map(({ calls, isEnded }, i) => {
    const seen = sent[i] ?? 0;
    const isOver = calls.slice(0, seen).every((call) => call.arguments === ""); // no more has come of those
    return { calls: calls.slice(seen), isEnded: isEnded && isOver };
  });
  return plain !== undefined && hasSameCalls(plain, turns) ? mended : undefined;
}

function withReason(chunk: JsonObject, turns: readonly AssembledTurn[]): JsonObject {
  const { choices } = chunk;
  if (!Array.isArray(choices) || choices.length === 0) return chunk;
  const mended = choices.map((choice: unknown) => {
    if (!isRecord(choice)) return choice;
    const { delta, index } = choice;
    const rest = isRecord(delta)
      ? { ...choice, delta: picked(delta, (key) => !(isWords.has(key) && delta[key])) }
      : choice;
    return hasReason(choice) ? { ...rest, finish_reason: turns[Number(index)]?.finish ?? "stop" } : rest;
  });
  return { ...chunk, choices: mended };
}

const picked = (wire: JsonObject, isKept: (key: string) => boolean): JsonObject =>
  Object.fromEntries(Object.entries(wire).filter(([key]) => isKept(key)));

/** Keys of a delta under which something is said. */
const isWords: ReadonlySet<string> = new Set(
  [...said].filter((key) => key !== "role" && key !== "tool_calls" && key !== "function_call"),
);

/** Keys of a chunk that every one has, or that say nothing. */
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
