import type { Io } from "../../io.ts";

/** Reports whether the program was told to stop. */
export interface StopWatch {
  /** Resolves to the exit code when it was. */
  readonly code: Promise<number>;
  readonly isStopped: () => boolean;
}

/** Starts to watch. From then on, a signal does not end the program by itself. */
export function stopWatch(io: Io): StopWatch {
  let isStopped = false;
  const code = io.untilStopped().then((signalled) => {
    isStopped = true;
    return signalled;
  });
  return { code, isStopped: () => isStopped };
}
