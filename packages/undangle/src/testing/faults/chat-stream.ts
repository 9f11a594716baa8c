import type { Frame, Played, Wire } from "../play/played.ts";
import { objectIn, textIn } from "./fault.ts";

/** The delta of a chat chunk; a new object if there is none. */
export function deltaOf({ data }: Frame): Wire {
  return (choiceOf(data)?.["delta"] as Wire | undefined) ?? {}; // written by the player
}

export const choiceOf = (data: Wire): Wire | undefined => (data["choices"] as Wire[] | undefined)?.[0]; // written by the player

/** A call delta and its frame. */
export interface CallDelta {
  readonly frame: Frame;
  /** Its entry in `tool_calls`. */
  readonly call: Wire;
  /** The function of the entry. */
  readonly called: Wire;
}

/** Every entry of `tool_calls`, including those that belong to no call. */
export function callDeltas({ frames }: Played): readonly CallDelta[] {
  return frames.flatMap((frame) => {
    const calls = deltaOf(frame)["tool_calls"] as Wire[] | null | undefined; // written by the player
    return (calls ?? []).map((call) => ({
      frame,
      call,
      called: (call["function"] as Wire | undefined) ?? {}, // written by the player
    }));
  });
}

/** The deltas by intended call, because earlier faults may have changed ids and indexes. */
export function byCall(played: Played): readonly (readonly CallDelta[])[] {
  const groups = new Map<number, CallDelta[]>();
  for (const delta of callDeltas(played)) {
    const { call } = delta.frame;
    if (call === undefined) continue;
    const group = groups.get(call);
    if (group === undefined) groups.set(call, [delta]);
    else group.push(delta);
  }
  return [...groups.values()];
}

/** True for a non-empty id or name. */
export const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== "";

/** The first delta of a call that has an id. */
export const idHolder = (deltas: readonly CallDelta[]): CallDelta | undefined =>
  deltas.find(({ call }) => isGiven(call["id"]));

/** The deltas with the name of a call, or a part of it. */
export const nameHolders = (deltas: readonly CallDelta[]): readonly CallDelta[] =>
  deltas.filter(({ called }) => isGiven(called["name"]));

/** True if the name is split, not repeated. */
export const isNameSplit = (deltas: readonly CallDelta[]): boolean =>
  new Set(nameHolders(deltas).map(({ called }) => called["name"])).size > 1;

/** The name of a call, from all deltas. */
export function nameOf(deltas: readonly CallDelta[]): string {
  const names = nameHolders(deltas).map(({ called }) => textIn(called, "name"));
  return isNameSplit(deltas) ? names.join("") : (names[0] ?? "");
}

/** The deltas after another. */
export const behind = (deltas: readonly CallDelta[], one: CallDelta): readonly CallDelta[] =>
  deltas.slice(deltas.indexOf(one) + 1);

/** The arguments of a call as one text; undefined if its deltas do not form one object. */
export function argumentsOf(deltas: readonly CallDelta[]): string | undefined {
  if (deltas.some(({ called }) => typeof (called["arguments"] ?? "") !== "string")) return undefined;
  const whole = deltas.map(({ called }) => textIn(called, "arguments")).join("");
  return objectIn(whole) === undefined ? undefined : whole;
}

/** Joins the arguments of every call into one delta; other fields of the deltas stay. */
export function inOneDelta(played: Played, argsOf: (whole: string) => unknown): void {
  for (const deltas of byCall(played)) {
    const whole = argumentsOf(deltas);
    const names = nameHolders(deltas);
    const target = (isNameSplit(deltas) ? names.at(-1) : names[0]) ?? deltas[0];
    if (whole === undefined || target === undefined) continue;
    const kept = new Set([target, idHolder(deltas), ...(isNameSplit(deltas) ? names : [])]);
    for (const delta of deltas.filter(({ called }) => textIn(called, "arguments") !== "")) {
      delete delta.called["arguments"];
      if (!kept.has(delta)) removeDelta(played, delta);
    }
    target.called["arguments"] = argsOf(whole);
  }
}

/** Removes a delta of a call, and its frame unless that has a finish reason. */
export function removeDelta(played: Played, { frame }: CallDelta): void {
  if (hasReason(frame)) delete deltaOf(frame)["tool_calls"];
  else played.frames = played.frames.filter((each) => each !== frame);
}

/** A chunk of the same call with another delta. */
export function chunkLike({ data, call }: Frame, delta: Wire): Frame {
  const choice = { index: 0, delta, finish_reason: null };
  return { data: { ...data, choices: [choice] }, ...(call === undefined ? {} : { call }) };
}

/** Inserts a frame before or after another. */
export function insert({ frames }: Played, at: Frame, side: "before" | "behind", added: Frame): void {
  frames.splice(frames.indexOf(at) + (side === "behind" ? 1 : 0), 0, added);
}

/** True for a chunk with a finish reason. */
export const hasReason = ({ data }: Frame): boolean => isGiven(choiceOf(data)?.["finish_reason"]);

/** The choices with a finish reason. */
export const endingsOf = ({ frames }: Played): readonly Wire[] =>
  frames.filter(hasReason).map(({ data }) => choiceOf(data) ?? {});
