import { isRecord } from "#core";

import type { Signs } from "../codec.ts";
import type { Message } from "./repair/message.ts";

/** Features that only a request to /api/chat has. */
export const ollamaSigns: Signs = {
  body(body) {
    if (keys.some((key) => key in body) || isRecord(body["options"])) return true;
    const messages = Array.isArray(body["messages"]) ? body["messages"].filter(isRecord) : [];
    if (messages.some(isNative)) return true;
    const { model } = body;
    // Argument objects also occur in chat requests; the model name decides.
    return typeof model === "string" && local.test(model) && messages.some((one) => callsOf(one).some(hasObject));
  },
  message: isNative,
  model: () => false, // the same models are served in the chat format
  slight: () => false,
  fits: () => false, // a message without Ollama's features usually belongs to another format
};

const keys = ["keep_alive", "think", "format"];

/** Model names of the Ollama library: `llama3.2`, `qwen3:8b`. */
const local =
  /^(?!ft:)[\w.-]+:[\w.-]+$|^(?:llama|qwen|gemma|phi|mistral|mixtral|granite|codellama|gpt-oss|deepseek-r1)[\d.]*$/;

/**
 * True for a message that no other format has: a result with `tool_name`, images beside the text, or a call without an
 * id and with object arguments.
 */
function isNative(message: Message): boolean {
  const { images, role } = message;
  if (role === "tool" && typeof message["tool_name"] === "string") return true;
  if (Array.isArray(images) && images.length > 0 && images.every((image) => typeof image === "string")) return true;
  const calls = callsOf(message);
  return calls.length > 0 && calls.every((call) => !("id" in call) && hasObject(call));
}

const callsOf = ({ tool_calls: calls }: Message): readonly Message[] =>
  Array.isArray(calls) ? calls.filter(isRecord) : [];

function hasObject(call: Message): boolean {
  const called = call["function"];
  return isRecord(called) && isRecord(called["arguments"]);
}
