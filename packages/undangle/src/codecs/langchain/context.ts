import type { Call, Entry, Journal, Policy, Source } from "#core";

import type { Request } from "../codec.ts";
import type { Outlook } from "../spans.ts";
import type { Envelope } from "./envelope.ts";
import type { Mould } from "./mould.ts";
import type { LangchainProfile } from "./profile.ts";

/** What reading one request needs at hand. */
export interface Context {
  readonly list: Request["list"];
  readonly profile: LangchainProfile;
  readonly policy: Policy;
  readonly journal: Journal;
  readonly mould: Mould;
  /** The next role from a message on. */
  readonly outlook: Outlook;
  /** The form in which each message came. */
  readonly envelopes: Map<Source, Envelope>;
  /** The field paths of inserted messages. */
  readonly prefixes: Map<Entry, Envelope["prefix"]>;
  readonly seats: Map<Call, Seats>;
  /** Every call that was read from a message, also those that a rule took out since. */
  readonly readCalls: Map<Source, readonly Call[]>;
}

/** The lists of an AI message that can contain a call. */
export type SeatList =
  | "tool_calls"
  | "invalid_tool_calls"
  | "content"
  | "additional_kwargs.tool_calls"
  | "tool_call_chunks"
  | "response_metadata.output";

/** One place of a call. */
export interface Seat {
  readonly list: SeatList;
  readonly index: number;
}

/** The places of a call in its message: LangChain repeats a call in several places. */
export interface Seats {
  readonly own: Seat;
  /** The other places of the same call: its block in the content, what the provider sent. */
  readonly mirrors: Seat[];
  /** The indexes of its blocks that leave the content. */
  readonly leaving: readonly number[];
  readonly id: string;
  readonly name: string;
}
