import type { JsonObject } from "./json.ts";

/**
 * The history that the rules use, the same for every format. It is a draft: entries belong to one input and may be
 * changed in place. The wire values that they refer to are never changed.
 */
export type Entry = SystemEntry | UserEntry | AssistantEntry | ResultEntry | SpanEntry;

interface Place {
  /** The source message; undefined for an inserted entry. */
  readonly source: Source | undefined;
  /** The index of its message in the output; set by the writer. */
  at: number;
  /** True if the message must be written again. */
  fresh: boolean;
  /** The new content; undefined keeps the content of the message. */
  content: readonly Content[] | undefined;
  /** The parts of the entry, in formats with part lists; undefined if they are not needed. */
  parts: readonly Part[] | undefined;
}

/** A message of the input, and the number of entries that were read from it. */
export interface Source {
  readonly index: number;
  readonly wire: unknown;
  /** The message with a repaired shape; equal to `wire` if nothing was wrong. */
  mended: unknown;
  entries: number;
  /** The index of the message in the output; set by the writer. */
  at: number;
  /** The position of each part in the output, by its index in the input; set when a message is rebuilt. */
  slots?: Map<number, string>;
}

export interface SystemEntry extends Place {
  readonly role: "system";
}

export interface UserEntry extends Place {
  readonly role: "user";
}

/** An assistant message with its calls, in order. */
export interface AssistantEntry extends Place {
  readonly role: "assistant";
  calls: readonly Call[];
  /** Required keys of an inserted message. */
  extras?: JsonObject;
}

/** A result of a call. A message with several results becomes several entries. */
export interface ResultEntry extends Place {
  readonly role: "result";
  /** The original call id; "" for none. */
  id: string;
  name: string;
  readonly error: boolean;
  /** The index of the result in its message, if any. */
  readonly place: number;
  /** The index in its output message; set by the writer. */
  slot: number;
  /** The part of this result, in formats where a result is a part. */
  readonly wire: unknown;
  /** True if only its position pairs it. It gets the name of the call there. */
  isByPlace?: boolean;
  /** True if its block was edited. Formats with several results per message write the block as one message. */
  regrouped: boolean;
  /** True for a result that is still to come. Its turn stays the last of the history. */
  readonly pending?: boolean;
}

/** Messages that were found valid and are not read. */
export interface SpanEntry extends Place {
  readonly role: "span";
  /** The role of its first message that is not a system message. */
  readonly first: "user" | "assistant" | undefined;
}

export interface Call {
  /** "" for none. */
  id: string;
  name: string;
  /** In the form of the wire: text in some formats, a value in others. */
  arguments: unknown;
  /** The original arguments, if they had to be wrapped. */
  readonly raw: string | undefined;
  /** The problem of the argument text; "unknown" until it is checked. */
  damage: "malformed" | "truncated" | "unknown" | undefined;
  readonly place: number;
  slot: number;
  readonly wire: unknown;
  fresh: boolean;
  result: ResultEntry | undefined;
  /** True if the result may come in any later request, so that no result is added. */
  readonly mayWait?: boolean;
  /** Set if the history records a rejection, with its reason. */
  rejection?: { readonly reason: string | undefined } | undefined;
}

/** A part of a message: a call, or data of the codec. */
export interface Part {
  readonly wire: unknown;
  readonly place: number;
  /** Its original message, if it was moved. */
  readonly source?: Source;
  readonly call: Call | undefined;
}

/** Content that can move between messages: readable text, or wire data. */
export type Content =
  | { readonly type: "text"; readonly text: string; readonly wire: unknown }
  | {
      readonly type: "media";
      readonly wire: unknown;
      readonly origin?: { readonly source: Source; readonly place: number };
    };

/** New text without a wire part. */
export const textContent = (text: string): Content => ({ type: "text", text, wire: undefined });

export function makeSpan(first: SpanEntry["first"]): SpanEntry {
  return { role: "span", source: undefined, at: -1, fresh: false, content: undefined, parts: undefined, first };
}

/** A new user entry. */
export function makeUser(content: readonly Content[]): UserEntry {
  return { role: "user", source: undefined, at: -1, fresh: true, content, parts: undefined };
}

/** A new assistant entry. */
export function makeAssistant(calls: readonly Call[], content: readonly Content[] = []): AssistantEntry {
  return { role: "assistant", source: undefined, at: -1, fresh: true, content, parts: undefined, calls };
}

/** A new result, marked as an error if the format supports it. */
export function makeResult(call: Pick<Call, "id" | "name">, text: string): ResultEntry {
  return {
    role: "result",
    source: undefined,
    at: -1,
    fresh: true,
    content: [textContent(text)],
    parts: undefined,
    id: call.id,
    name: call.name,
    error: true,
    place: -1,
    slot: -1,
    wire: undefined,
    regrouped: true,
  };
}

/** A reconstructed call for a result without one. */
export function makeCall(id: string, name: string, args: unknown): Call {
  return {
    id,
    name,
    arguments: args,
    raw: undefined,
    damage: undefined,
    place: -1,
    slot: -1,
    wire: undefined,
    fresh: true,
    result: undefined,
  };
}
