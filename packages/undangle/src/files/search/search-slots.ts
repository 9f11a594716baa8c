import { UndangleError } from "#core";

/** Searches that run at the same time in this process. Others wait. */
const maxSearches = 4;

const waiting: (() => void)[] = [];
let running = 0;

export interface SearchLimits {
  /** The path that is searched, for the error. */
  readonly path: string;
  /** In milliseconds, without the time that it waits for others. */
  readonly timeout: number;
  readonly signal?: AbortSignal | undefined;
}

/** Runs a search when fewer than four are running. After the timeout it is aborted, and fails. */
export async function runSearch<T>(
  { path, timeout, signal }: SearchLimits,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  if (running >= maxSearches) await new Promise<void>((resolve) => void waiting.push(resolve));
  else running++;
  const clock = new AbortController();
  const timer = setTimeout(() => clock.abort(), timeout);
  const either = signal === undefined ? clock.signal : AbortSignal.any([signal, clock.signal]);
  try {
    either.throwIfAborted();
    return await work(either);
  } catch (error) {
    if (!clock.signal.aborted || signal?.aborted === true) throw error;
    const reason = `the search took longer than ${timeout / 1000} seconds. Search in a smaller directory, or use a simpler pattern`;
    throw new UndangleError("file/failed", { path, reason });
  } finally {
    clearTimeout(timer);
    const next = waiting.shift();
    if (next === undefined) running--;
    else next();
  }
}
