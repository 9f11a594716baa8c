/**
 * The history that the rules work on, the same for every format. It is a draft: entries belong to one reading of one input
 * and may be changed in place, while the wire values they point to are never touched.
 */
export type Entry = SystemEntry | UserEntry | AssistantEntry | ResultEntry | SpanEntry;

interface Place {
  /** The wire message this entry was read from; undefined for one that we made. */
  readonly source: Source | undefined;
  /** Index of the wire message that holds this entry in the output; set by the writer. */
  at: number;
  /** True when the wire message cannot be written as it was read. */
  fresh: boolean;
  /** Content to be written in place of what the wire holds; undefined = as it was. */
  content: readonly Content[] | undefined;
  /** The wire parts of this entry, in formats whose messages are lists of parts; undefined where they are not needed. */
  parts: readonly Part[] | undefined;
}

/** One message of the input, and how many entries were read from it. */
export interface Source {
  readonly index: number;
  readonly wire: unknown;
  /** The message with its shape mended; the same as `wire` when nothing was wrong with it. */
  mended: unknown;
  entries: number;
  /** Index of the message in the output; set by the writer. */
  at: number;
  /** Where each part stands in the output, by its index in the input; set by the writer of a message that was put together anew. */
  slots?: Map<number, string>;
}

export interface SystemEntry extends Place {
  readonly role: "system";
}

export interface UserEntry extends Place {
  readonly role: "user";
}

/** An assistant message with the calls it makes, in order. */
export interface AssistantEntry extends Place {
  readonly role: "assistant";
  calls: readonly Call[];
  /** Keys that the format wants on a message of ours. */
  extras?: Readonly<Record<string, unknown>>;
}

/** One result of one call. Formats that put several in a message are read as several entries. */
export interface ResultEntry extends Place {
  readonly role: "result";
  /** The id of the call as the wire gives it; "" when it gives none. */
  id: string;
  name: string;
  readonly error: boolean;
  /** Index of the result inside its wire message, where it has one. */
  readonly place: number;
  /** Index inside its message in the output; set by the writer. */
  slot: number;
  /** The wire part of this result, in formats where a result is a part of a message. */
  readonly wire: unknown;
  /** Nothing but its place says whose it is: the name that it is given is that of the call there. */
  isByPlace?: boolean;
  /** Its block was edited: formats that can hold several results in a message write the block as one. */
  regrouped: boolean;
  /** It stands for a result that is still to come: its turn stays the last of the history. */
  readonly pending?: boolean;
}

/** Stands for messages that are not read: they were found healthy, and stay as they are. */
export interface SpanEntry extends Place {
  readonly role: "span";
  /** The role of its first message that is not a system message. */
  readonly first: "user" | "assistant" | undefined;
}

/** One call of an assistant message. */
export interface Call {
  /** "" when the wire gives none. */
  id: string;
  name: string;
  /** As on the wire: text in some formats, a value in others. */
  arguments: unknown;
  /** The arguments as they came when they had to be wrapped. */
  readonly raw: string | undefined;
  /** What is wrong with the text of the arguments; "unknown" until somebody asks. */
  damage: "malformed" | "truncated" | "unknown" | undefined;
  readonly place: number;
  slot: number;
  readonly wire: unknown;
  fresh: boolean;
  result: ResultEntry | undefined;
  /** Its result may come in any later request, and the provider waits for it: nobody else answers it. */
  readonly mayWait?: boolean;
  /** A person refused it, as the history says; with the reason, where one was given. */
  rejection?: { readonly reason: string | undefined } | undefined;
}

/** One part of a wire message: either a call, or something that only the codec understands. */
export interface Part {
  readonly wire: unknown;
  readonly place: number;
  /** The message it came from, where that is not the one it stands in now. */
  readonly source?: Source;
  readonly call: Call | undefined;
}

/** Content that can move between messages: text that we may read, media and the rest as it is on the wire. */
export type Content =
  | { readonly type: "text"; readonly text: string; readonly wire: unknown }
  | {
      readonly type: "media";
      readonly wire: unknown;
      readonly origin?: { readonly source: Source; readonly place: number };
    };

/** Text of ours, with no wire part behind it. */
export const textContent = (text: string): Content => ({ type: "text", text, wire: undefined });

/** The entry of messages that are not read. */
export function makeSpan(first: SpanEntry["first"]): SpanEntry {
  return { role: "span", source: undefined, at: -1, fresh: false, content: undefined, parts: undefined, first };
}

/** A user entry that was not in the input. */
export function makeUser(content: readonly Content[]): UserEntry {
  return { role: "user", source: undefined, at: -1, fresh: true, content, parts: undefined };
}

/** An assistant entry that was not in the input. */
export function makeAssistant(calls: readonly Call[], content: readonly Content[] = []): AssistantEntry {
  return { role: "assistant", source: undefined, at: -1, fresh: true, content, parts: undefined, calls };
}

/** A result that was not in the input: it is marked as an error wherever the format has such a mark. */
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

/** A call that was not in the input: it stands for one whose result survived it. */
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
