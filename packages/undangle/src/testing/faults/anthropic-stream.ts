import type { Frame, Played, Wire } from "../play/played.ts";
import { objectIn, textIn } from "./fault.ts";

/** A piece of the arguments of a call, with the frame that it stands in. */
export interface ArgumentsPiece {
  readonly frame: Frame;
  readonly delta: Wire;
}

/** The pieces of arguments in Anthropic's format, call by call. */
export function piecesByCall({ frames }: Played): readonly (readonly ArgumentsPiece[])[] {
  const pieces = frames.flatMap((frame) => {
    const delta = frame.data["delta"] as Wire | undefined; // the player made it
    return delta?.["type"] === "input_json_delta" ? [{ frame, delta }] : [];
  });
  return [...Map.groupBy(pieces, ({ frame }) => frame.data["index"]).values()];
}

/** Gives every call its arguments in one piece. */
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
