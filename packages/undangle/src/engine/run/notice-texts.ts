import type { NoticeRequest } from "#codecs";
import type { Edit } from "#core";

/** The words for a call without a result. */
export type Words = (call: NoticeRequest) => string | Promise<string>;

/** A run for those who word notices in it. */
interface WordedRun {
  /** The words for calls whose results hooks cut out of requests from now on. */
  words?: Words;
  /** What the model was told of calls of the thread last, by their ids. */
  readonly told: Map<string, string>;
  readonly onEdits: (edits: readonly Edit[]) => void;
}

const runs = new WeakMap<AbortSignal, WordedRun>();

/** Lets notices be worded in a run; the signal is that of the run. */
export function beginWords(signal: AbortSignal, run: WordedRun): void {
  runs.set(signal, run);
}

/** Has what hooks cut out of the requests of a run, from now on, told in these words. */
export function tellInWords(signal: AbortSignal, words: Words): void {
  const run = runs.get(signal);
  if (run !== undefined) run.words = words;
}

/** The words that were wanted in a run; undefined for ours. */
export const wordsOf = (signal: AbortSignal): Words | undefined => runs.get(signal)?.words;

/** Remembers in which words the model is told of a call, so that the history has the same ones. */
export const rememberWords = (signal: AbortSignal, id: string, text: string): void =>
  void runs.get(signal)?.told.set(id, text);

/** Tells those who watch a run what was wrong with a request, and is repaired. */
export const reportEdits = (signal: AbortSignal, edits: readonly Edit[]): void => runs.get(signal)?.onEdits(edits);
