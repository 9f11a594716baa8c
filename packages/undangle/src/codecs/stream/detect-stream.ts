import { isRecord, parseJson, wordOf } from "#core";
import type { JsonObject } from "#core";

import type { StreamFormat } from "./formats.ts";
import { isEndMarker, createEventReader } from "./events/sse.ts";

/**
 * Detects the format of a captured stream from the first frame that only one format has. Undefined if there is none.
 */
export function detectStream(text: string): StreamFormat | undefined {
  let found: StreamFormat | undefined;
  let isChat = false;
  const reader = createEventReader((data, event) => {
    if (isEndMarker(data)) isChat = true;
    else if (data.trim() !== "") found ??= detectFrame(parseJson(data), event);
  });
  for (let at = 0; at < text.length; at += portion) {
    reader.add(text.slice(at, at + portion));
    if (found !== undefined) return found;
  }
  reader.end();
  return found ?? (isChat ? "openai-chat" : undefined);
}

/** Only the start of a long capture is searched. */
const portion = 65_536;

type Frame = JsonObject;

/** Features that only frames of one format have. */
const signs: readonly (readonly [format: StreamFormat, has: (frame: Frame, type: string) => boolean])[] = [
  ["openai-responses", ({ object }, type) => type.startsWith("response.") || object === "response"],
  ["anthropic", ({ content }, type) => anthropicTypes.test(type) || (type === "message" && Array.isArray(content))],
  ["openai-chat", ({ choices, object }) => Array.isArray(choices) || wordOf(object).startsWith("chat.completion")],
  ["gemini", ({ candidates, promptFeedback, usageMetadata }) => Boolean(candidates ?? promptFeedback ?? usageMetadata)],
  ["ollama", ({ message, done }) => isRecord(message) && typeof done === "boolean"],
  ["bedrock", (frame) => bedrockKeys.some((key) => isRecord(frame[key])) || isConverse(frame)],
];

const anthropicTypes = /^(?:message_(?:start|delta|stop)|content_block_(?:start|delta|stop))$/u;

const bedrockKeys = ["messageStart", "contentBlockStart", "contentBlockDelta", "contentBlockStop", "messageStop"];

/** True for the body of a Bedrock response that is not streamed. */
const isConverse = ({ output, stopReason }: Frame): boolean =>
  isRecord(output) && isRecord(output["message"]) && typeof stopReason === "string";

/** The format of one event, or of a response that was not streamed. Undefined if no format has such an event. */
export function detectFrame(frame: unknown, event?: string): StreamFormat | undefined {
  if (Array.isArray(frame)) {
    for (const each of frame) {
      const found = detectFrame(each, event);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (!isRecord(frame)) return undefined;
  const type = typeof frame["type"] === "string" ? frame["type"] : (event ?? "");
  return signs.find(([, has]) => has(frame, type))?.[0];
}
