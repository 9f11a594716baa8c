import { isRecord, UndangleError } from "#core";

import type { Codec, Format } from "./codec.ts";
import { codecs } from "./formats.ts";

/** Which format an input is in, and how sure that is: `likely` when nothing in it tells the formats apart. */
export interface Detected {
  readonly format: Format;
  readonly confidence: "known" | "likely";
}

/** Tells the format of a body or a bare array by what only that format has; undefined when it is none that we know. */
export function detect(input: unknown): Detected | undefined {
  const candidates = candidatesFor(input);
  const [first] = candidates;
  if (first === undefined) return undefined;
  const body = isRecord(input) ? input : undefined;
  const messages = messagesIn(input, first).filter(isRecord);
  const { model } = body ?? {};
  // What stands around the messages says more than any message: a foreign message may have slipped into a list. The name
  // of a model says something only where the messages say nothing: many are served in several formats.
  const shown =
    (body && candidates.find(({ signs }) => signs.body(body))) ??
    shownByMessages(messages, candidates) ??
    (typeof model === "string" ? candidates.find(({ signs }) => signs.model(model)) : undefined) ??
    candidates.find(({ signs }) => messages.some((message) => signs.slight(message)));
  if (shown === "foreign") return undefined;
  if (shown !== undefined) return { format: shown.format, confidence: "known" };
  const isHistory = messages.length === messagesIn(input, first).length;
  return isHistory && messages.every(({ role }) => typeof role === "string")
    ? { format: first.format, confidence: "likely" }
    : undefined;
}

/** The formats whose list of messages the input has. */
export function candidatesFor(input: unknown): readonly Codec[] {
  return Object.values(codecs).filter(({ listKey }) => Array.isArray(isRecord(input) ? input[listKey] : input));
}

function messagesIn(input: unknown, { listKey }: Codec): readonly unknown[] {
  const list: unknown = isRecord(input) ? input[listKey] : input;
  return Array.isArray(list) ? (list as readonly unknown[]) : []; // an array of anything
}

/** The first message that only one format can have decides. */
function shownByMessages(
  messages: readonly Readonly<Record<string, unknown>>[],
  candidates: readonly Codec[],
): Codec | "foreign" | undefined {
  for (const message of messages) {
    if (isForeign(message)) return "foreign";
    const shown = candidates.find(({ signs }) => signs.message(message));
    if (shown !== undefined) return shown;
  }
  return undefined;
}

/** True for a message with parts that only formats without a codec have: nobody can mend what nobody can read. */
function isForeign({ content }: Readonly<Record<string, unknown>>): boolean {
  if (!Array.isArray(content)) return false;
  return content.some(
    (part) => isRecord(part) && (foreignTypes.has(String(part["type"])) || foreignKeys.some((key) => key in part)),
  );
}

const foreignTypes = new Set([
  "tool-call",
  "tool-result",
  "tool-approval-request",
  "function_call",
  "function_call_output",
]);

const foreignKeys = ["toolUse", "toolResult", "functionCall", "functionResponse", "reasoningContent"];

/** What is to be said of an input in which no format can be told. */
export function undetected(input: unknown): UndangleError {
  if (!Array.isArray(input) && !isRecord(input)) {
    const got = input === null ? "null" : typeof input;
    const expected = "a request body or an array of messages";
    return new UndangleError("input/shape", { path: "The input", expected, got });
  }
  const keys = isRecord(input) ? Object.keys(input) : [];
  if (candidatesFor(input).length > 0) return new UndangleError("format/unknown", { keys });
  const listKeys = [...new Set(Object.values(codecs).map(({ listKey }) => listKey))];
  const wrong = listKeys.find((key) => isRecord(input) && key in input);
  if (wrong === undefined) return new UndangleError("input/no-messages", { keys, expected: listKeys });
  const value = isRecord(input) ? input[wrong] : undefined;
  const got = value === null ? "null" : typeof value;
  return new UndangleError("input/shape", { path: wrong, expected: "an array", got });
}
