import type { ClientTurn, Frame, StreamWriter } from "./response-writer.ts";

/** What a client makes of frames that wait. */
export function readWaiting(cleaner: StreamWriter, frames: readonly Frame[]): readonly ClientTurn[] | undefined {
  for (const frame of frames) cleaner.held(frame);
  return cleaner.clientTurns();
}
