import type { JsonObject } from "#core";

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

export const plainChatText: PlainText = {
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
export const plainAnthropicText: PlainText = {
  pattern: pattern(
    String.raw`event: content_block_delta\ndata: \{"type":"content_block_delta","index":(?<index>${integer}),"delta":`,
    String.raw`\{"type":"(?:text_delta","(?<text>text)|thinking_delta","thinking)":${someText}\} *\}\n\n`,
  ),
  placeOf: ({ index, text = "thinking" }) => `${index} ${text}`,
};

export const plainResponsesText: PlainText = {
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
