import type { Dialect, Entry, IdTable, Journal, Policy, Profile, RuleId } from "#core";

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

/** One request as the rules see it: its messages, and what is known about where it goes. */
export interface Request {
  readonly list: readonly unknown[];
  /** The body around the messages; undefined for a bare array, for which rules about the body are silent. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
  readonly provider: string | undefined;
  readonly model: string | undefined;
}

/** The features that distinguish a format from the others. */
export interface Signs {
  /** Something that only bodies of this format have around the messages. */
  body(body: Readonly<Record<string, unknown>>): boolean;
  /** A message that only this format has. */
  message(message: Readonly<Record<string, unknown>>): boolean;
  /** The name of a model that is served in this format. */
  model(name: string): boolean;
  /** A message that is usual in this format, but slips into others. */
  slight(message: Readonly<Record<string, unknown>>): boolean;
  /** A message that this format may have, among others; left out, any that has a role. */
  readonly fits?: (message: Readonly<Record<string, unknown>>) => boolean;
}

/** One wire format: how its messages become entries and back, and the rules that only it has. */
export interface Codec<OwnProfile extends Profile = Profile> {
  readonly format: Format;
  /** The key of the message list in a body. */
  readonly listKey: string;
  /** The key of the model's name in a body; left out, `model`. */
  readonly modelKey?: string;
  /** The message for a plain text instead of the list, in formats that accept one. */
  readonly fromText?: (text: string) => unknown;
  /**
   * The rule that a message breaks which is alone in a list; with `texts`, also one that is JSON text. `parts` is the key of a
   * list of parts whose members may be wrapped too. Left out where lists and texts are messages of the format.
   */
  readonly wrapped?: { readonly rule: RuleId; readonly texts: boolean; readonly parts?: string };
  readonly providers: readonly string[];
  readonly signs: Signs;
  profile(request: Request): OwnProfile;
  /** Separates messages that are certainly valid from those that may not be. A cheap check that builds nothing. */
  survey(request: Request, profile: OwnProfile): Survey;
  /** Starts the reading of one request. */
  open(request: Request, profile: OwnProfile, policy: Policy, journal: Journal): Reading;
}

/** Messages of a list, from `start` up to `end`. */
export interface Range {
  readonly start: number;
  readonly end: number;
  /** They are one turn, and nothing is wrong with it but that some of its calls have no result. */
  readonly isOpen: boolean;
}

/** What a first look at a history found. */
export interface Survey {
  /** What may be wrong, in order. Everything outside is healthy, and stays so whatever is done inside. */
  readonly suspects: readonly Range[];
  /** The ids of the calls outside, in formats where ids must be unique in a request. */
  readonly ids: IdTable | undefined;
}

/** One reading of one request, from the wire and back. */
export interface Reading {
  readonly dialect: Dialect;
  /**
   * The entries of some messages, each with a repaired shape. Spans represent the messages around them; undefined if
   * the whole list is needed.
   */
  read(start: number, end: number): Entry[] | undefined;
  /** Adds an open turn to a list, with results for its calls: the effect of the rules, without reading it. */
  answer(turn: Range, list: unknown[]): void;
  /** The history with the rules kept that concern the order of messages and its end. */
  settle(entries: readonly Entry[]): readonly Entry[];
  /** Adds the wire messages of the entries to a list, with the index of each noted in its entry; spans are not written. */
  write(entries: readonly Entry[], list: unknown[]): void;
  /** Changes that the body around the messages needs, once the whole list was read. */
  mendBody(entries: readonly Entry[]): Readonly<Record<string, unknown>> | undefined;
}
