import type { Io } from "../../io.ts";

/** Whether a program was told to end. */
export interface StopWatch {
  /** Resolves when it was, to the exit code that says so. */
  readonly code: Promise<number>;
  readonly isStopped: () => boolean;
}

/** Watches from now on: a signal does not end the program by itself any more. */
export function stopWatch(io: Io): StopWatch {
  let isStopped = false;
  const code = io.untilStopped().then((signalled) => {
    isStopped = true;
    return signalled;
  });
  return { code, isStopped: () => isStopped };
}
