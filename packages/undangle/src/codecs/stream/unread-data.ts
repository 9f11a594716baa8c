import type { Assembly, Loss } from "#core";

import type { StreamFormat } from "./formats.ts";
import { isKeepAliveName } from "./keep-alive.ts";

/** Data that is no JSON, as it came. */
export interface Unread {
  readonly data: string;
  readonly event: string | undefined;
  /** What stood behind it in its event and belongs to no field: a line break may have come into the middle of it. */
  readonly rest: string;
  /** The format of the stream, where it is one of those that are known. */
  readonly format: StreamFormat | undefined;
}

/** Takes the data of an event that is no JSON; true where calls may lack what stood in it. */
export function takeUnread({ data, event, rest, format }: Unread, assembly: Assembly): boolean {
  assembly.frames++;
  if (event === "error") {
    assembly.fail({ message: data, from: "provider" });
    return false;
  }
  if (isChunk(data, event)) return assembly.lose(lossOf(data + rest, event, format));
  assembly.note("frame-not-json");
  return false;
}

/** True for what looks like a piece of an answer, and not like a sign of life. */
const isChunk = (data: string, event: string | undefined): boolean => /[{}]/u.test(data) && !isKeepAliveName(event);

/** What was lost with data that cannot be read, by what is left of it. */
function lossOf(text: string, event: string | undefined, format: StreamFormat | undefined): Loss {
  if (speaksOfCall.test(text)) return "call";
  if (format === undefined || format === "openai-responses" || format === "bedrock") return "piece";
  if (format === "anthropic")
    return (event !== undefined && isNoStart.test(event)) || isNoCall.test(text) ? "piece" : "perhaps";
  if (!begins.test(text) || saysOther(text)) return "piece";
  return format === "openai-chat" ? "perhaps" : "anything"; // elsewhere the reason for the end is the same with calls and without
}

/**
 * Keys under which calls stand, with something in them or cut off there, in the key or behind it. A call of a response is told again
 * at its end.
 */
const speaksOfCall =
  /(["'])(?:tool_calls|function_?[cC]all|toolUse)\1\s*:\s*(?:\[\s*)?(?:\{|$)|(["'])type\2\s*:\s*\2tool_use\2|[{,]\s*["'](?:tool_c|function_?[cC]|toolU)\w*["']?$/u;

/** True for the beginning of an object, of which the first key need not be there. */
const begins = /^[\s,[]*\{\s*(?:"|$)/u;

/** True where what is left shows what it was, and that is no call. A pattern does not go through any length. */
const saysOther = (text: string): boolean =>
  text.length < 1_000_000 && (isInText.test(text) || isWithoutCall.test(text));

/** True for what is cut off in the middle of words. */
const isInText = /"(?:content|text|thinking|refusal|reasoning\w*)"\s*:\s*"(?=[^"])(?:[^"\\]|\\.)*\\?$/su;

/** True where all that a chunk says is there, and none of it is a call. */
const isWithoutCall =
  /"(?:delta|message)"\s*:\s*\{(?:"(?:[^"\\]|\\.)*"|[^"{}[\]])*\}|"parts"\s*:\s*\[(?:\{(?:"(?:[^"\\]|\\.)*"|[^"{}[\]])*\}|[\s,])*\]|"choices"\s*:\s*\[\s*\]/su;

/** Events of Anthropic's with which no call begins, by their names and by what stands in them. */
const isNoStart = /^\s*(?:content_block_(?:delta|stop)|message_\w+)\s*$/u;
const isNoCall =
  /"type"\s*:\s*"(?:content_block_(?:delta|stop)|message_\w+|ping|text|(?:redacted_)?thinking|server_tool_use|\w+_(?:delta|tool_result))"/u;
