import type { JsonObject } from "#core";

import type { StreamFormat } from "../formats.ts";
import { hasEndMarkerData, hasOddBreaks, isKeepAliveEvent } from "./sse.ts";
import { lossOfBlockEvent, lossOfChatChunk, lossOfDelta, lossOfWholeChunk } from "./unreadable-event.ts";
import type { LossOf } from "./unreadable-event.ts";

/** The framing of a format, and the behaviour of its clients. */
export interface StreamDialect {
  /** How a body is split into events: at blank lines or at line ends. */
  readonly framing: "events" | "lines";
  /** What a request asks for, by its address and its body. */
  readonly requested: (url: string, body: JsonObject) => RequestedResponse;
  /** An event may contain a list of frames. */
  readonly hasLists: boolean;
  /** What ends a turn: its last event, an end marker after the finish reason, or only the end of the body. */
  readonly end: "last-event" | "end-marker" | "body";
  /** True if clients stop reading at the end, and may disconnect silently. */
  readonly stopsAtEnd: boolean;
  /** True for an event that every client reads in the same way, given the number of frames in it. */
  readonly isCanonical: (raw: string, frames: number) => boolean;
  /** True for an event without frames on which clients fail. */
  readonly isObstacle: (raw: string) => boolean;
  /** Different events without frames of the format after which a body is of another protocol. */
  readonly mostUnknownEvents: number;
  /** True for an error in a shape that clients recognise. Undefined means an event named `error` that is not JSON. */
  readonly isVisibleError: (value: JsonObject | undefined) => boolean;
  /** The event name without which clients do not recognise an error. */
  readonly errorEvent?: string;
  /** Clients read usage after a finish reason that reports an error. */
  readonly readsAfterError: boolean;
  /** Events with nothing but text, which pass unparsed after one like them. */
  readonly plainText?: PlainText;
  /** What an event that is not JSON may have contained. */
  readonly lossOf: LossOf;
}

/** `list`: the events of a stream as one JSON array. */
export type RequestedResponse = "stream" | "list" | "body";

/**
 * Events in the notation of a provider that contain nothing but text. Such an event cannot carry a call, an end or an error, so that
 * it need not be parsed if an event before it had text in the same place. Any other notation is parsed.
 */
export interface PlainText {
  /** Matches a raw event at `lastIndex`. */
  readonly pattern: RegExp;
  /** The place of the text, from the groups of a match. */
  readonly placeOf: (groups: Groups) => string;
  /** In formats whose later events repeat the text, so that clients compare the two. */
  readonly kept?: KeptText;
}

type Groups = Readonly<Record<string, string | undefined>>;

interface KeptText {
  /** The text of an event as JSON, without quotes, and its number, which rises. Undefined if the event has to be parsed. */
  readonly read: (groups: Groups) => { readonly json: string; readonly number: number } | undefined;
  /** The frame before as one with the text of several events, and the number of the last. */
  readonly write: (value: JsonObject, text: string, number: number) => JsonObject;
  readonly numberOf: (value: JsonObject) => number;
}

/** The inside of a JSON string. Unambiguous, so that matching is linear. */
const inside = String.raw`[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[^"\\\u0000-\u001f]*)*`;
const anyText = `"${inside}"`;
const someText = `"(?!")${inside}"`;
const simpleText = String.raw`"[^"\\\u0000-\u001f]*"`;
const integer = String.raw`(?:0|[1-9]\d{0,14})`;

const pattern = (...parts: readonly string[]): RegExp => new RegExp(parts.join(""), "uy");

const plainChatText: PlainText = {
  pattern: pattern(
    String.raw`data: \{"id":${anyText},"object":"chat\.completion\.chunk","created":${integer},"model":${anyText}`,
    `(?:,"(?:service_tier|system_fingerprint|provider)":(?:${anyText}|null))*`,
    String.raw`,"choices":\[\{"index":0,"delta":\{"(?<key>content|reasoning_content|reasoning)":${someText}\}`,
    String.raw`(?:,"(?:logprobs|finish_reason|native_finish_reason)":null)*\}\]`,
    String.raw`(?:,"usage":null)?(?:,"obfuscation":${anyText})?\}\n\n`,
  ),
  placeOf: ({ key = "" }) => key,
};

/** Anthropic pads events with blanks. */
const plainAnthropicText: PlainText = {
  pattern: pattern(
    String.raw`event: content_block_delta\ndata: \{"type":"content_block_delta","index":(?<index>${integer}),"delta":`,
    String.raw`\{"type":"(?:text_delta","(?<text>text)|thinking_delta","thinking)":${someText}\} *\}\n\n`,
  ),
  placeOf: ({ index, text = "thinking" }) => `${index} ${text}`,
};

const plainResponsesText: PlainText = {
  pattern: pattern(
    String.raw`event: response\.output_text\.delta\ndata: \{"type":"response\.output_text\.delta"`,
    `(?:,"sequence_number":(?<before>${integer}))?,`,
    `(?<place>"item_id":${simpleText},"output_index":${integer}|"output_index":${integer},"item_id":${simpleText})`,
    String.raw`,"content_index":(?<part>${integer})(?:,"logprobs":\[\])?,"delta":"(?!")(?<text>${inside})"`,
    String.raw`(?:,"logprobs":\[\])?(?:,"sequence_number":(?<after>${integer}))?(?:,"obfuscation":${anyText})?\}\n\n`,
  ),
  placeOf: ({ place, part }) => `${place} ${part}`,
  kept: {
    read({ text = "", before, after }) {
      const number = before ?? after;
      return number === undefined ? undefined : { json: text, number: Number(number) };
    },
    write: (value, text, number) => ({ ...value, delta: text, sequence_number: number }),
    numberOf: ({ sequence_number: number }) => Number(number),
  },
};

type Value = JsonObject | undefined;

const sse = {
  framing: "events",
  isCanonical: isCanonicalEvent,
  isObstacle: isSseObstacle,
  mostUnknownEvents: 8,
  readsAfterError: false,
  hasLists: false,
  requested: (url, body) => (body["stream"] === true || /:streamRawPredict(?:\?|$)/u.test(url) ? "stream" : "body"),
} as const satisfies Partial<StreamDialect>;

export const dialects: Readonly<Record<StreamFormat, StreamDialect>> = {
  "openai-chat": {
    ...sse,
    end: "end-marker",
    stopsAtEnd: true,
    isObstacle: (raw) => isKeepAliveEvent(raw) || isSseObstacle(raw), // clients read the data of any event as a chunk
    isVisibleError: (value) => value === undefined || Boolean(value["error"]),
    readsAfterError: true,
    plainText: plainChatText,
    lossOf: lossOfChatChunk,
  },
  "openai-responses": {
    ...sse,
    end: "last-event",
    stopsAtEnd: false,
    isVisibleError: (value) => value === undefined || Boolean(value["error"]) || value["type"] === "error",
    plainText: plainResponsesText,
    lossOf: lossOfDelta,
  },
  anthropic: {
    ...sse,
    end: "last-event",
    stopsAtEnd: false,
    isVisibleError: (value) => value === undefined || value["type"] === "error",
    errorEvent: "error",
    plainText: plainAnthropicText,
    lossOf: lossOfBlockEvent,
  },
  gemini: {
    ...sse,
    end: "body",
    stopsAtEnd: false,
    hasLists: true,
    requested: requestedOfGemini,
    isCanonical: isGoogleEvent,
    // Google's SDK treats an event without a blank line at its end as truncated, even a comment.
    isObstacle: (raw) => !isGoogleEvent(raw, 0) || (raw.trim() !== "" && !/\n\r?\n$/u.test(raw)),
    isVisibleError: () => false, // Google's SDK treats errors as responses
    lossOf: lossOfWholeChunk,
  },
  bedrock: {
    ...sse,
    end: "last-event",
    stopsAtEnd: false,
    isVisibleError: (value) => value === undefined || Boolean(value["error"]),
    lossOf: lossOfDelta,
  },
  ollama: {
    framing: "lines",
    requested: (_, body) => (body["stream"] === false ? "body" : "stream"),
    hasLists: false,
    end: "last-event",
    stopsAtEnd: true,
    isCanonical: isJsonLine,
    isObstacle: (raw) => !isJsonLine(raw, 0),
    mostUnknownEvents: 1,
    isVisibleError: (value: Value) => Boolean(value?.["error"]),
    readsAfterError: false,
    lossOf: lossOfWholeChunk,
  },
};

/** Gemini requests name the kind of response in the URL. */
function requestedOfGemini(url: string): RequestedResponse {
  if (!/:streamGenerateContent(?:\?|$)/u.test(url)) return "body";
  return /:streamGenerateContent\?(?:.*&)?alt=sse(?:&|$)/u.test(url) ? "stream" : "list";
}

// Framing

function isJsonLine(raw: string, frames: number): boolean {
  return frames === 1 && /^ *\{[^\n]*\n$/u.test(raw);
}

/** True for one event, comments or the end marker, with common line ends and a blank line at the end. */
function isCanonicalEvent(raw: string, frames: number): boolean {
  if (frames > 1 || raw.startsWith("\ufeff") || (raw !== "" && !raw.endsWith("\n"))) return false;
  if (hasOddBreaks(raw)) return false;
  if (frames === 1) return raw.indexOf("\n") < raw.length - 1 && hasData(raw) && !hasEndMarkerData(raw);
  return isSilent.test(raw);
}

/** Google's SDK knows only the field `data`, and no end marker. */
function isGoogleEvent(raw: string, frames: number): boolean {
  if (!isCanonicalEvent(raw, frames)) return false;
  return frames === 1 ? /^(?:\r?\n)*data:[^\n]*\n\r?\n$/u.test(raw) : !raw.includes("data:");
}

/** Comments, blank lines and the end marker. Unambiguous, so that matching is linear. */
const isSilent = /^(?:(?::[^\r\n]*)?\r?\n)*(?:data: ?\[DONE\]\r?\n\r?\n)?$/u;

/** False for a value outside events, which clients ignore. */
const hasData = (raw: string): boolean => raw.startsWith("data:") || raw.includes("\ndata:");

/** True for data that is not JSON, in an event without another name. */
function isSseObstacle(raw: string): boolean {
  if (hasOddBreaks(raw)) return true;
  return !/^event/mu.test(raw) && /^[ \t]*(?!(?:id|retry|:))[^\s:]/mu.test(raw);
}
