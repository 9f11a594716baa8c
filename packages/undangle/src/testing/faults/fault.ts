import type { Frame, Played, Wire } from "../play/played.ts";

/** The formats that the server speaks. */
export type WireFormat = "openai-chat" | "openai-responses" | "anthropic" | "gemini" | "bedrock" | "ollama";

/** One thing that goes wrong with streams in practice. */
export interface Fault {
  /** Who does this, in a few words. */
  readonly seen: string;
  readonly formats: readonly WireFormat[];
  /** What a client that is right makes of it. */
  readonly outcome: Outcome;
  /** Changes the stream in place. */
  readonly apply: (played: Played) => void;
}

/**
 * `same`: the turn as it was meant. `incomplete`, `length`, `error`: a turn that is not complete, ended in that way.
 * `malformed`: arguments that are no JSON. `leaked`: calls that are only text.
 */
export type Outcome = "same" | "incomplete" | "length" | "error" | "malformed" | "leaked";

/** Keeps the names of a group as a type. */
export const faultsOf = <Name extends string>(rows: Readonly<Record<Name, Fault>>): Readonly<Record<Name, Fault>> =>
  rows;

export const chat: readonly WireFormat[] = ["openai-chat"];

/** The delta of a chat chunk. */
export function deltaOf({ data }: Frame): Wire {
  const choice = choiceOf(data);
  return (choice?.["delta"] as Wire | undefined) ?? {}; // the player made it
}

export const choiceOf = (data: Wire): Wire | undefined => (data["choices"] as Wire[] | undefined)?.[0]; // the player made it

/** A call in a chat delta, with the frame that it stands in. */
export interface CallDelta {
  readonly frame: Frame;
  readonly call: Wire;
  readonly called: Wire;
  /** The first delta of its call. */
  readonly isFirst: boolean;
  readonly index: number;
}

/** Every delta of every call of a chat stream. */
export function callDeltas({ frames }: Played): readonly CallDelta[] {
  return frames.flatMap((frame) => {
    const calls = deltaOf(frame)["tool_calls"] as Wire[] | undefined; // the player made it
    return (calls ?? []).map((call) => ({
      frame,
      call,
      called: (call["function"] as Wire | undefined) ?? {}, // the player made it
      isFirst: call["id"] !== undefined,
      index: Number(call["index"]),
    }));
  });
}

/** The deltas call by call. */
export function byCall(played: Played): readonly (readonly CallDelta[])[] {
  const groups = new Map<number, CallDelta[]>();
  for (const delta of callDeltas(played)) groups.set(delta.index, [...(groups.get(delta.index) ?? []), delta]);
  return [...groups.values()];
}

/** The arguments of a call, of all its deltas. */
export const argumentsOf = (deltas: readonly CallDelta[]): string =>
  deltas.map(({ called }) => textIn(called, "arguments")).join("");

/** The text under a key, where there is one. */
export const textIn = (holder: Wire, key: string): string => (typeof holder[key] === "string" ? holder[key] : "");

/** A chat chunk like another one, with another choice. */
export function chunkLike(frame: Frame, choice: Wire): Frame {
  return { data: { ...frame.data, choices: [{ index: 0, finish_reason: null, ...choice }] } };
}

/** Puts frames before or behind another one. */
export function insert({ frames }: Played, at: Frame, side: "before" | "behind", added: readonly Frame[]): void {
  frames.splice(frames.indexOf(at) + (side === "behind" ? 1 : 0), 0, ...added);
}

/** The frame that ends a chat stream. */
export function finishFrame({ frames }: Played): Frame | undefined {
  return frames.findLast(({ data }) => choiceOf(data)?.["finish_reason"] !== null);
}
