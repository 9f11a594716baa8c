import type { ModelTimeouts } from "../http-model-options.ts";

export type Phase = "connect" | "first-byte" | "idle";

/** Looks after one request: it ends at once when it is called off, and when it was silent for too long. */
export interface Watch {
  /** For what can be called off by itself. */
  readonly signal: AbortSignal;
  /** A new phase begins, with a time of its own. */
  enter(phase: Phase): void;
  /** Something came. */
  alive(): void;
  /** The body has ended: nothing is left open. */
  ended(): void;
  /** What is waited for, unless the request ends before. */
  orEnded<T>(work: Promise<T>): Promise<T>;
  /** The phase that took too long, and for how long it was waited. */
  timedOut(): { readonly phase: Phase; readonly after: number } | undefined;
  /** Nothing is waited for any more. What is still open is aborted. */
  close(): void;
}

const usualTimeouts = { connect: 120_000, firstByte: 300_000, idle: 300_000 } as const;

/** The longest that a timer of JavaScript can wait. */
const forever = 2 ** 31 - 1;

export function createWatch(outer: AbortSignal, given: ModelTimeouts = {}): Watch {
  const limits: Readonly<Record<Phase, number>> = {
    connect: given.connect ?? usualTimeouts.connect,
    "first-byte": given.firstByte ?? usualTimeouts.firstByte,
    idle: given.idle ?? usualTimeouts.idle,
  };
  const controller = new AbortController();
  const { signal } = controller;
  let phase: Phase = "connect";
  let since = performance.now();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOpen = true;
  let late: { readonly phase: Phase; readonly after: number } | undefined;

  const end = (): void => controller.abort(outer.reason);
  if (outer.aborted) end();
  else outer.addEventListener("abort", end, { once: true });

  /** One timer for a phase: it looks at its end whether something came in the meantime. */
  const arm = (): void => {
    clearTimeout(timer);
    const limit = limits[phase];
    if (limit > forever || signal.aborted) return;
    const left = limit - (performance.now() - since);
    timer = setTimeout(
      () => {
        if (performance.now() - since < limit) return arm();
        late = { phase, after: limit };
        controller.abort(new Error(`Nothing came for ${limit} ms.`));
      },
      Math.max(1, left),
    );
  };

  return {
    signal,
    enter(next) {
      phase = next;
      since = performance.now();
      arm();
    },
    alive() {
      since = performance.now();
    },
    ended() {
      isOpen = false;
    },
    orEnded: (work) => orAborted(work, signal),
    timedOut: () => late,
    close() {
      clearTimeout(timer);
      outer.removeEventListener("abort", end);
      if (isOpen) controller.abort(); // makes an exception with a stack, which a complete response does not need
    },
  };
}

/** What is waited for, unless the signal is aborted before. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop: (() => void) | undefined;
  const ended = new Promise<never>((_, reject) => {
    stop = () => reject(reasonOf(signal));
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  return Promise.race([ended, work]).finally(() => {
    if (stop !== undefined) signal.removeEventListener("abort", stop);
  });
}

/** What a signal was aborted with, which may be anything. */
const reasonOf = ({ reason }: AbortSignal): Error =>
  reason instanceof Error ? reason : new Error("It was aborted.", { cause: reason });

/** Waits, unless the signal ends it. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener("abort", done, { once: true });
  });
  signal.throwIfAborted();
}
