import type { ClientTurn, Frame, StreamWriter } from "./response-writer.ts";

/** Reads held frames as a client. */
export function readWaiting(cleaner: StreamWriter, frames: readonly Frame[]): readonly ClientTurn[] | undefined {
  for (const frame of frames) cleaner.held(frame);
  return cleaner.clientTurns();
}
