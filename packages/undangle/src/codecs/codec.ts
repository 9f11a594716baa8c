import type { Dialect, Entry, Journal, Policy, Profile } from "#core";

/** A wire format that has a codec. */
export type Format = "openai-chat" | "anthropic";

/** One request as the rules see it: its messages, and what is known about where it goes. */
export interface Request {
  readonly list: readonly unknown[];
  /** The body around the messages; undefined for a bare array, for which rules about the body are silent. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
  readonly provider: string | undefined;
  readonly model: string | undefined;
}

/** One wire format: how its messages become entries and back, and the rules that only it has. */
export interface Codec {
  readonly format: Format;
  /** The key of the message list in a body. */
  readonly listKey: string;
  readonly providers: readonly string[];
  profile(request: Request): Profile;
  /** Tells the messages that are certainly healthy from those that may not be: a cheap look that builds nothing. */
  survey(request: Request, profile: Profile): Survey;
  /** Starts the reading of one request. */
  open(request: Request, profile: Profile, policy: Policy, journal: Journal): Reading;
}

/** What a first look at a history found. */
export interface Survey {
  /** Ranges of messages that may be wrong, as pairs of start and end. Everything outside is healthy, and stays so whatever is done inside. */
  readonly suspects: readonly number[];
  /** The ids of the calls outside, in formats where ids must be unique in a request. */
  readonly ids: ReadonlySet<string> | undefined;
}

/** One reading of one request, from the wire and back. */
export interface Reading {
  readonly dialect: Dialect;
  /** The entries of the suspects with the shape of each message mended, and spans between them; undefined when it takes the whole. */
  read(suspects: readonly number[]): Entry[] | undefined;
  /** The history with the rules kept that concern the order of messages and its end. */
  settle(entries: readonly Entry[]): readonly Entry[];
  /** The wire messages, with the index of each noted in its entries. */
  write(entries: readonly Entry[]): unknown[];
  /** What stands for an entry in the written list. */
  written(entry: Entry, list: readonly unknown[]): unknown;
  /** Changes that the body around the messages needs. */
  mendBody(entries: readonly Entry[]): Readonly<Record<string, unknown>> | undefined;
}
