import { isRecord } from "#core";
import type { Assembly } from "#core";

/** Records a value in the place of a call, or of a part of one, that cannot be read. What is absent, and what is read, is not lost. */
export function loseUnreadable(given: unknown, assembly: Assembly): void {
  if (isUnreadable(given)) assembly.lose("call", "call-unreadable");
}

/** The same for what holds the deltas of calls and of text: a call that is open may lack one. */
export function losePiece(given: unknown, assembly: Assembly): void {
  if (isUnreadable(given)) assembly.lose("piece", "call-unreadable");
}

/** Some servers write an empty object as an empty list. */
const isUnreadable = (given: unknown): boolean =>
  Boolean(given) && !isRecord(given) && !(Array.isArray(given) && given.length === 0);

/** The same for the entry of a list: a null there may be a lost delta of an open call, but is not taken for a call. */
export function loseEntry(given: unknown, assembly: Assembly): void {
  if (!isRecord(given)) assembly.lose(given === null || given === undefined ? "piece" : "call", "call-unreadable");
}
