import type { NoticeRequest } from "#codecs";

/** The words for a call whose result was cut out of a request. */
export type Words = (call: NoticeRequest) => string | Promise<string>;

const words = new WeakMap<AbortSignal, Words>();

/** Has what hooks cut out of the requests of a run, from now on, told in these words; the signal is that of the run. */
export function tellInWords(signal: AbortSignal, given: Words): void {
  words.set(signal, given);
}

/** The words that were wanted in a run; undefined for ours. */
export const wordsOf = (signal: AbortSignal): Words | undefined => words.get(signal);
