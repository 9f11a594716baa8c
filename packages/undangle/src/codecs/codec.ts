import type { Dialect, Entry, Journal, JsonObject, Policy, Profile, RuleId } from "#core";

/** A wire format that has a codec. */
export type Format =
  | "openai-chat"
  | "openai-responses"
  | "anthropic"
  | "langchain"
  | "ai-sdk"
  | "gemini"
  | "bedrock"
  | "ollama";

/** One request: its messages, and what is known about its target. */
export interface Request {
  readonly list: readonly unknown[];
  /** The body around the messages. Undefined for a bare array, to which rules about the body do not apply. */
  readonly body: JsonObject | undefined;
  readonly provider: string | undefined;
  readonly model: string | undefined;
}

/** The features that distinguish a format from the others. */
export interface Signs {
  /** True for a body with fields that only this format has. */
  body(body: JsonObject): boolean;
  /** True for a message that only this format has. */
  message(message: JsonObject): boolean;
  /** True for the name of a model that is served in this format. */
  model(name: string): boolean;
  /** True for a message that is common in this format, but also occurs in others. */
  slight(message: JsonObject): boolean;
  /** True for a message that this format may have. Default: any message with a role. */
  readonly fits?: (message: JsonObject) => boolean;
}

/** One wire format: the conversion of its messages to entries and back, and the rules that only it has. */
export interface Codec<OwnProfile extends Profile = Profile> {
  readonly format: Format;
  /** The key of the message list in a body. */
  readonly listKey: string;
  /** The key of the model name in a body. Default: `model`. */
  readonly modelKey?: string;
  /** Converts plain text in place of the list to a message, in formats that accept it. */
  readonly fromText?: (text: string) => unknown;
  /**
   * The rule for a message that is wrapped in a list; with `texts`, also for one that is JSON text. `parts` is the key
   * of a list of parts whose entries may be wrapped too. Absent if lists and texts are valid messages of the format.
   */
  readonly wrapped?: { readonly rule: RuleId; readonly texts: boolean; readonly parts?: string };
  readonly providers: readonly string[];
  readonly signs: Signs;
  profile(request: Request): OwnProfile;
  /**
   * The ranges of messages that may be invalid, in order. Everything outside is certainly valid, regardless of changes
   * inside, and has a result for every call. A cheap check that builds nothing.
   */
  survey(request: Request, profile: OwnProfile): readonly Range[];
  /** Visits the id of each call in a message that the survey found valid. */
  eachCallId(message: JsonObject, visit: (id: unknown) => void): void;
  /**
   * Visits the ids that bind a message to others beside calls and results of functions: approvals, and tools of the
   * provider or its SDK. A message that closes an id is not kept without the one that opened it.
   */
  readonly eachLink?: (message: JsonObject, visit: (id: unknown, side: "opens" | "closes") => void) => void;
  /** True for an assistant message that starts with thinking which a tool loop must not lose. */
  readonly startsWithThinking?: (message: JsonObject) => boolean;
  /** What counts as tokens in a message. Default: the message. */
  readonly counted?: (message: unknown) => unknown;
  /** Starts the reading of one request. */
  open(request: Request, profile: OwnProfile, policy: Policy, journal: Journal): Reading;
}

/** A range of messages in a list, from `start` up to `end`. */
export interface Range {
  readonly start: number;
  readonly end: number;
  /** True if they are one turn that is valid, except that some of its calls have no result. */
  readonly isOpen: boolean;
}

/** A survey that suspects everything. */
export const wholeList = (list: readonly unknown[]): readonly Range[] => [
  { start: 0, end: list.length, isOpen: false },
];

/** Reads one request, and writes it back. */
export interface Reading {
  readonly dialect: Dialect;
  /** The entries of some messages, each with a repaired shape; undefined if the whole list is needed. */
  read(start: number, end: number): Entry[] | undefined;
  /** Applies rules that need all entries before they are paired; undefined if the whole list is needed. */
  readonly prepare?: (entries: readonly Entry[]) => readonly Entry[] | undefined;
  /** The role of a valid message. Only `user` and `assistant` count. */
  speakerOf(message: unknown): unknown;
  /** Adds a turn and the results for its open calls to a list: the effect of the rules, without reading the turn. */
  answer(turn: Range, list: unknown[]): void;
  /** Applies the rules about the order of messages and the end of the history. */
  settle(entries: readonly Entry[]): readonly Entry[];
  /** Appends the wire messages of the entries to a list, and records their indexes. Spans are not written. */
  write(entries: readonly Entry[], list: unknown[]): void;
  /** The necessary changes of the body around the messages, after the whole list was read. */
  mendBody(entries: readonly Entry[]): JsonObject | undefined;
}
