import { isRecord, UndangleError } from "#core";
import type { JsonObject } from "#core";

import type { Codec, Format } from "./codec.ts";
import { codecs } from "./formats.ts";

/** The format of an input and its confidence: `likely` if nothing distinguishes the formats. */
export interface Detected {
  readonly format: Format;
  readonly confidence: "known" | "likely";
}

/** Detects the format of a body or a bare array by features that only that format has; undefined if it is unknown. */
export function detect(input: unknown): Detected | undefined {
  const candidates = candidatesFor(input).toReversed(); // later codecs have more specific features
  const body = isRecord(input) ? input : undefined;
  // The body around the messages is more reliable than any message, because a foreign message may be in the list. The
  // model name counts only if the messages are ambiguous: many models are served in several formats.
  const shown =
    (body && candidates.find(({ signs }) => signs.body(body))) ??
    shownByMessages(input, candidates) ??
    (body && candidates.find((codec) => codec.signs.model(modelIn(body, codec) ?? ""))) ??
    candidates.find((codec) => recordsIn(input, codec).some((message) => codec.signs.slight(message)));
  if (shown !== undefined) return { format: shown.format, confidence: "known" };
  const [first] = fitting(input);
  return first && { format: first.format, confidence: "likely" };
}

/** The formats with the message list of the input. */
function candidatesFor(input: unknown): readonly Codec[] {
  return Object.values(codecs).filter((codec) => listIn(input, codec) !== undefined);
}

/** The candidates that accept every message of the input. */
export function fitting(input: unknown): readonly Codec[] {
  return candidatesFor(input).filter((codec) => {
    const fits = codec.signs.fits ?? hasRole;
    return recordsIn(input, codec).every(fits) && recordsIn(input, codec).length === listIn(input, codec)?.length;
  });
}

/** The messages of an input, if it has them under the key of the format. */
export function listIn(input: unknown, { listKey, fromText }: Codec): readonly unknown[] | undefined {
  const list: unknown = isRecord(input) ? input[listKey] : input;
  if (typeof list === "string" && isRecord(input)) return fromText && [fromText(list)];
  return Array.isArray(list) ? (list as readonly unknown[]) : undefined; // an array with unchecked entries
}

/** The model name in a body. */
export function modelIn(body: JsonObject, { modelKey = "model" }: Codec): string | undefined {
  const name = body[modelKey];
  return typeof name === "string" ? name : undefined;
}

type Message = JsonObject;

const recordsIn = (input: unknown, codec: Codec): readonly Message[] => listIn(input, codec)?.filter(isRecord) ?? [];

const hasRole = ({ role }: Message): boolean => typeof role === "string";

/** The format of the first message that only one format can have. */
function shownByMessages(input: unknown, candidates: readonly Codec[]): Codec | undefined {
  const lists = candidates.map((codec) => ({ codec, messages: recordsIn(input, codec) }));
  const longest = lists.reduce((most, { messages }) => Math.max(most, messages.length), 0);
  for (let i = 0; i < longest; i++) {
    const shown = lists.find(({ codec, messages }) => i < messages.length && codec.signs.message(messages[i] ?? {}));
    if (shown !== undefined) return shown.codec;
  }
  return undefined;
}

/** The error of an input without a detectable format. */
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
