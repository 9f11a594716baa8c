import type { Frame, Played, Wire } from "../play/played.ts";
import { objectIn, textIn } from "./fault.ts";

/** An argument delta and its frame. */
export interface ArgumentsPiece {
  readonly frame: Frame;
  readonly delta: Wire;
}

/** The argument deltas in Anthropic's format, by call. */
export function piecesByCall({ frames }: Played): readonly (readonly ArgumentsPiece[])[] {
  const pieces = frames.flatMap((frame) => {
    const delta = frame.data["delta"] as Wire | undefined; // written by the player
    return delta?.["type"] === "input_json_delta" ? [{ frame, delta }] : [];
  });
  return [...Map.groupBy(pieces, ({ frame }) => frame.data["index"]).values()];
}

/** Joins the arguments of every call into one delta. */
export function inOneBlockDelta(played: Played, argsOf: (whole: string) => string): void {
  for (const [first, ...rest] of piecesByCall(played)) {
    if (first === undefined) continue;
    const whole = [first, ...rest].map(({ delta }) => textIn(delta, "partial_json")).join("") || "{}";
    if (objectIn(whole) === undefined) continue;
    first.delta["partial_json"] = argsOf(whole);
    const later = new Set(rest.map(({ frame }) => frame));
    played.frames = played.frames.filter((frame) => !later.has(frame));
  }
}
