import type { Call, Entry, Journal, Policy, Source } from "#core";

import type { Request } from "../../codec.ts";
import type { Outlook } from "../../spans.ts";
import type { Envelope } from "../envelope.ts";
import type { Mould } from "./mould.ts";
import type { LangchainProfile } from "../profile.ts";

/** The context for reading one request. */
export interface Context {
  readonly list: Request["list"];
  readonly profile: LangchainProfile;
  readonly policy: Policy;
  readonly journal: Journal;
  readonly mould: Mould;
  /** Looks up the role of the next message. */
  readonly outlook: Outlook;
  /** The form of each message in the input. */
  readonly envelopes: Map<Source, Envelope>;
  /** The field paths of inserted messages. */
  readonly prefixes: Map<Entry, Envelope["prefix"]>;
  readonly seats: Map<Call, Seats>;
  /** All calls that were read from a message, including those that a rule removed later. */
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

/** The places of a call in its message, because LangChain repeats a call in several fields. */
export interface Seats {
  readonly own: Seat;
  /** The other places of the call: its content block, and the provider fields. */
  readonly mirrors: Seat[];
  /** The indexes of its blocks that are removed from the content. */
  readonly leaving: readonly number[];
  readonly id: string;
  readonly name: string;
}
