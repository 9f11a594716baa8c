import type { ModelTimeouts } from "../http-model-options.ts";

export type Phase = "connect" | "first-byte" | "idle";

/** Controls one request: it ends when it is aborted or times out. */
export interface Watch {
  /** Aborted with the request. */
  readonly signal: AbortSignal;
  /** Starts a new phase with its own timeout. */
  enter(phase: Phase): void;
  /** Restarts the timeout. */
  alive(): void;
  /** The body has ended, so nothing is open. */
  ended(): void;
  /** The result of the work, unless the request ends first. */
  orEnded<T>(work: Promise<T>): Promise<T>;
  /** The phase that timed out, and its limit. */
  timedOut(): { readonly phase: Phase; readonly after: number } | undefined;
  /** Stops the timers and aborts what is open. */
  close(): void;
}

const usualTimeouts = { connect: 120_000, firstByte: 300_000, idle: 300_000 } as const;

/** The longest delay of a JavaScript timer. */
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

  /** One timer per phase. When it fires, it checks whether something arrived meanwhile. */
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
      if (isOpen) controller.abort(); // an abort creates an exception with a stack, which a complete response does not need
    },
  };
}

/** The result of the work, unless the signal aborts first. */
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

/** The reason of a signal, which may be any value. */
const reasonOf = ({ reason }: AbortSignal): Error =>
  reason instanceof Error ? reason : new Error("It was aborted.", { cause: reason });

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
