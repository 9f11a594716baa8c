import { isRecord } from "#core";
import type { Assembly, Loss } from "#core";

import { isKeepAliveName } from "./sse.ts";

/**
 * What an event may have contained that cannot be read: one whose data is not JSON, or a frame with another value in place of a call.
 * `core/stream/losses.ts` decides which calls are incomplete without it.
 *
 * | the event | may have contained |
 * |---|---|
 * | is named `error` | the provider's error, and nothing else |
 * | has no brace, or is a keep-alive | nothing |
 * | has a key of calls | a call |
 * | is something else | what its dialect says (`LossOf`) |
 */
interface UnreadableEvent {
  readonly data: string;
  readonly event: string | undefined;
  /** Lines after the data that belong to no field. A line break may have split the data. */
  readonly rest: string;
}

/** Reports an event whose data is not JSON. True if calls may lack it. */
export function takeUnreadable(
  { data, event, rest }: UnreadableEvent,
  assembly: Assembly,
  lossOf: LossOf = lossOfDelta,
): boolean {
  assembly.frames++;
  if (event === "error") {
    assembly.fail({ message: data, from: "provider" });
    return false;
  }
  if (!/[{}]/u.test(data) || isKeepAliveName(event)) {
    assembly.note("frame-not-json");
    return false;
  }
  const text = data + rest;
  return assembly.lose(hasCallKey.test(text) ? "call" : lossOf(text, event));
}

/** A key of calls, with content or truncated there. */
const hasCallKey =
  /(["'])(?:tool_calls|function_?[cC]all|toolUse)\1\s*:\s*(?:\[\s*)?(?:\{|$)|(["'])type\2\s*:\s*\2tool_use\2|[{,]\s*["'](?:tool_c|function_?[cC]|toolU)\w*["']?$/u;

// By dialect

/** What data without a key of calls may have contained, by its text and the name of its event. */
export type LossOf = (data: string, event: string | undefined) => Loss;

/** Bedrock starts a call in an event with a key of calls. The last event of Responses repeats every call. */
export const lossOfDelta: LossOf = () => "delta";

/** Chat: the finish reason shows whether there were calls. */
export const lossOfChatChunk: LossOf = (data) => (mayBeChunk(data) ? "perhaps" : "delta");

/** Gemini and Ollama: the finish reason does not show whether there were calls. */
export const lossOfWholeChunk: LossOf = (data) => (mayBeChunk(data) ? "anything" : "delta");

/** Anthropic: only the start of a block is the start of a call. */
export const lossOfBlockEvent: LossOf = (data, event) =>
  (event !== undefined && isNoStart.test(event)) || isNoCall.test(data) ? "delta" : "perhaps";

/** True for the start of a chunk that may contain a call. Long data is not searched. */
const mayBeChunk = (data: string): boolean =>
  startsObject.test(data) && !(data.length < 1_000_000 && (isInText.test(data) || isWithoutCall.test(data)));

/** The start of an object, with or without its first key. */
const startsObject = /^[\s,[]*\{\s*(?:"|$)/u;

/** Data that is truncated inside text. */
const isInText = /"(?:content|text|thinking|refusal|reasoning\w*)"\s*:\s*"(?=[^"])(?:[^"\\]|\\.)*\\?$/su;

/** A chunk whose complete content is not a call. */
const isWithoutCall =
  /"(?:delta|message)"\s*:\s*\{(?:"(?:[^"\\]|\\.)*"|[^"{}[\]])*\}|"parts"\s*:\s*\[(?:\{(?:"(?:[^"\\]|\\.)*"|[^"{}[\]])*\}|[\s,])*\]|"choices"\s*:\s*\[\s*\]/su;

/** Anthropic's events that start no call, by name and by content. */
const isNoStart = /^\s*(?:content_block_(?:delta|stop)|message_\w+)\s*$/u;
const isNoCall =
  /"type"\s*:\s*"(?:content_block_(?:delta|stop)|message_\w+|ping|text|(?:redacted_)?thinking|server_tool_use|\w+_(?:delta|tool_result))"/u;

// Values in frames

/** Reports a value in place of a call, or of a part of one, that cannot be read. Absent and readable values are ignored. */
export function loseUnreadable(given: unknown, assembly: Assembly): void {
  if (isUnreadable(given)) assembly.lose("call", "call-unreadable");
}

/** The same for a container of call and text deltas. An open call may lack one of them. */
export function losePart(given: unknown, assembly: Assembly): void {
  if (isUnreadable(given)) assembly.lose("delta", "call-unreadable");
}

/** The same for a list entry. A null may be a lost delta of an open call, but does not count as a call. */
export function loseEntry(given: unknown, assembly: Assembly): void {
  if (!isRecord(given)) assembly.lose(given === null || given === undefined ? "delta" : "call", "call-unreadable");
}

/** Some servers write an empty object as an empty list. */
const isUnreadable = (given: unknown): boolean =>
  Boolean(given) && !isRecord(given) && !(Array.isArray(given) && given.length === 0);
