import { setImmediate as nextTick } from "node:timers/promises";

/** The longest time without a pause for other work, in milliseconds. */
const slice = 10;

/** Pauses from time to time, so that other work can be done, and throws when the caller gives up. */
export function createPause(signal: AbortSignal | undefined): () => Promise<void> | undefined {
  let last = performance.now();
  const pause = async (): Promise<void> => {
    await nextTick();
    signal?.throwIfAborted();
    last = performance.now();
  };
  return () => (performance.now() - last < slice ? undefined : pause());
}
