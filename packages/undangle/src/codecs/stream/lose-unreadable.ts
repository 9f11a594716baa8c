import { isRecord } from "#core";
import type { Assembly } from "#core";

/**
 * Reports a value in place of a call, or of a part of one, that cannot be read. Absent and readable values are ignored.
 */
export function loseUnreadable(given: unknown, assembly: Assembly): void {
  if (isUnreadable(given)) assembly.lose("call", "call-unreadable");
}

/** The same for a container of call and text deltas. An open call may lack one of them. */
export function losePiece(given: unknown, assembly: Assembly): void {
  if (isUnreadable(given)) assembly.lose("piece", "call-unreadable");
}

/** Some servers write an empty object as an empty list. */
const isUnreadable = (given: unknown): boolean =>
  Boolean(given) && !isRecord(given) && !(Array.isArray(given) && given.length === 0);

/** The same for a list entry. A null may be a lost delta of an open call, but does not count as a call. */
export function loseEntry(given: unknown, assembly: Assembly): void {
  if (!isRecord(given)) assembly.lose(given === null || given === undefined ? "piece" : "call", "call-unreadable");
}
