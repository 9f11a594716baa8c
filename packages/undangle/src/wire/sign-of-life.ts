import { isKeepAlive } from "#codecs";
import type { ReadFrame } from "#codecs";
import { isRecord } from "#core";

/**
 * True for a piece that only keeps a connection alive, and that says the same wherever it stands between the events: a comment,
 * and a ping that has nothing but its name.
 */
export function isSignOfLife(raw: string, read: readonly ReadFrame[]): boolean {
  if (read.length === 0) return isComment.test(raw);
  return isUnnumbered.test(raw) && read.every(isPing);
}

const isComment = /^(?:(?::[^\r\n]*)?\r?\n)+$/u;

/** True for events without ids: what came before the one that a client has seen last would count as seen. */
const isUnnumbered = /^(?:(?:event|data|:)[^\r\n]*\r?\n)+\r?\n$/u;

function isPing({ value, event }: ReadFrame): boolean {
  if (!isRecord(value) || Object.keys(value).some((key) => key !== "type")) return false;
  return isKeepAlive(value, event);
}
