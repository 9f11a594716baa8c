import type { PlainTurn, SentFrame, StreamCleaner } from "./cleaner.ts";

/** What a client makes of frames that wait. */
export function readWaiting(cleaner: StreamCleaner, frames: readonly SentFrame[]): readonly PlainTurn[] | undefined {
  for (const frame of frames) cleaner.waits(frame);
  return cleaner.read();
}
