import { isKeepAlive } from "#codecs";
import type { ReadFrame } from "#codecs";
import { isRecord } from "#core";

/** True for an event that only keeps the connection alive and may pass before held events: a comment, or a bare ping. */
export function isCommentOrPing(raw: string, read: readonly ReadFrame[]): boolean {
  if (read.length === 0) return isComment.test(raw);
  return hasNoId.test(raw) && read.every(isBarePing);
}

const isComment = /^(?:(?::[^\r\n]*)?\r?\n)+$/u;

/** An event with an id may not overtake others: a client that resumes after it would miss them. */
const hasNoId = /^(?:(?:event|data|:)[^\r\n]*\r?\n)+\r?\n$/u;

function isBarePing({ value, event }: ReadFrame): boolean {
  if (!isRecord(value) || Object.keys(value).some((key) => key !== "type")) return false;
  return isKeepAlive(value, event);
}
