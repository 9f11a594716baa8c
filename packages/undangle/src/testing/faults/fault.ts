import type { StreamFormat } from "#codecs";

import type { Played, Wire } from "../play/played.ts";

/** The formats of the server. */
export type WireFormat = StreamFormat;

/** A fault that occurs in real streams. */
export interface Fault {
  /** The providers with this fault. */
  readonly seen: string;
  readonly formats: readonly WireFormat[];
  /** What a correct client makes of it. */
  readonly outcome: Outcome;
  /** Changes the stream in place. It skips what earlier faults have made unsuitable, and never throws. */
  readonly apply: (played: Played) => void;
}

/**
 * `same`: the intended turn. `incomplete`, `length`, `error`: an incomplete turn that ended this way. `malformed`:
 * arguments that are not JSON. `leaked`: calls that are only text.
 */
export type Outcome = "same" | "incomplete" | "length" | "error" | "malformed" | "leaked";

/** Preserves the names of a group in its type. */
export const faultsOf = <Name extends string>(rows: Readonly<Record<Name, Fault>>): Readonly<Record<Name, Fault>> =>
  rows;

export const chat: readonly WireFormat[] = ["openai-chat"];

/** The text under a key, or "". */
export const textIn = (holder: Wire, key: string): string => (typeof holder[key] === "string" ? holder[key] : "");

/** The object in a JSON text. */
export function objectIn(text: string): Wire | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Wire) : undefined;
  } catch {
    return undefined; // an earlier fault broke it, and later faults skip it
  }
}
