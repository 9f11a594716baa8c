import { isKeepAlive } from "#codecs";
import type { ReadFrame, StreamFormat } from "#codecs";
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

/** True for an event that every client of the format reads in the same way. */
export function isCanonical(raw: string, frames: number, format: StreamFormat): boolean {
  if (format === "ollama") return frames === 1 && /^ *\{[^\n]*\n$/u.test(raw);
  if (format !== "gemini" || !isCanonicalSse(raw, frames)) return isCanonicalSse(raw, frames);
  // Google's SDK knows only the field `data`, and no end marker.
  return frames === 1 ? /^(?:\r?\n)*data:[^\n]*\n\r?\n$/u.test(raw) : !raw.includes("data:");
}

/** True for one event, comments or the end marker, with common line ends and a blank line at the end. */
function isCanonicalSse(raw: string, frames: number): boolean {
  if (frames > 1 || raw.startsWith("\ufeff") || (raw !== "" && !raw.endsWith("\n"))) return false;
  if (raw.includes("\r") && /\r(?!\n)/u.test(raw)) return false;
  if (frames === 1)
    return raw.indexOf("\n") < raw.length - 1 && hasData(raw) && !(raw.includes("[DONE]") && hasEndMarker.test(raw));
  return isSilent.test(raw);
}

/** Comments, blank lines and the end marker. Unambiguous, so that matching is linear. */
const isSilent = /^(?:(?::[^\r\n]*)?\r?\n)*(?:data: ?\[DONE\]\r?\n\r?\n)?$/u;

/** False for a value outside of events, which clients ignore. */
const hasData = (raw: string): boolean => raw.startsWith("data:") || raw.includes("\ndata:");

/** The end marker inside of an event, where every parser takes it for a line of data. */
const hasEndMarker = /^data: *\[DONE\]/mu;
