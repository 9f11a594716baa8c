import type { StreamFormat } from "#codecs";

import type { Played, Wire } from "../play/played.ts";

/** The formats of the server. */
export type WireFormat = StreamFormat;

/** One thing that goes wrong with streams in practice. */
export interface Fault {
  /** The providers with this fault. */
  readonly seen: string;
  readonly formats: readonly WireFormat[];
  /** What a client that is right makes of it. */
  readonly outcome: Outcome;
  /** Changes the stream in place; leaves alone what earlier faults have made unfit for it, and never throws. */
  readonly apply: (played: Played) => void;
}

/**
 * `same`: the turn as it was meant. `incomplete`, `length`, `error`: a turn that is not complete, ended in that way.
 * `malformed`: arguments that are not JSON. `leaked`: calls that are only text.
 */
export type Outcome = "same" | "incomplete" | "length" | "error" | "malformed" | "leaked";

/** Keeps the names of a group as a type. */
export const faultsOf = <Name extends string>(rows: Readonly<Record<Name, Fault>>): Readonly<Record<Name, Fault>> =>
  rows;

export const chat: readonly WireFormat[] = ["openai-chat"];

/** The text under a key, where there is one. */
export const textIn = (holder: Wire, key: string): string => (typeof holder[key] === "string" ? holder[key] : "");

/** The object that a text is the JSON of. */
export function objectIn(text: string): Wire | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Wire) : undefined;
  } catch {
    return undefined; // an earlier fault broke it, and the next one leaves it alone
  }
}
