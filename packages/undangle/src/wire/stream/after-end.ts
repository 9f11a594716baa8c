import { isEndMarker, isEndMarkerEvent, isKeepAlive, isKeepAliveName } from "#codecs";

/** What becomes of an event after the end of the turn. */
export interface Trailer {
  readonly passed: string;
  readonly isRemoved: boolean;
}

/**
 * Events without content pass after the end of a turn, such as keep-alives. Events with content are removed. For a client that fails on
 * every event that it does not know, keep-alives become comments.
 */
export function trailerOf(text: string, { rejectsUnknown }: { readonly rejectsUnknown: boolean }): Trailer {
  if (!hasNoContent(text)) return { passed: "", isRemoved: true };
  const isUnknown = rejectsUnknown && hasFields.test(text) && !isEndMarkerEvent(text);
  return isUnknown ? { passed: asComment(text), isRemoved: true } : { passed: text, isRemoved: false };
}

/** More bytes without an end are not a keep-alive. */
export const largestKeepAlive = 1024 * 1024;

/** True for blank lines, comments, another end marker, and keep-alives. */
function hasNoContent(text: string): boolean {
  let event: string | undefined;
  const data: string[] = [];
  for (const line of text.split(/\r\n?|\n/u)) {
    const [, name = "", value = ""] = /^(event|data): ?(.*)$/su.exec(line) ?? [];
    if (name === "event") event = value;
    else if (name === "data") data.push(value);
    else if (!isEmptyLine.test(line) && !isEndMarker(line)) return false;
  }
  return isKeepAliveName(event) || data.every((value) => isSilent(value, event));
}

const hasFields = /^(?:event|data):/mu;

const asComment = (text: string): string => text.replaceAll(/^(?=[^:\s])/gmu, ": ");

const isEmptyLine = /^(?:[\t ]*$|:|(?:id|retry):)/u;

/** True for the end marker and for a keep-alive, but not for blank data, on which clients fail. */
function isSilent(data: string, event: string | undefined): boolean {
  const text = data.trim();
  if (isEndMarker(text)) return event === undefined;
  return text.length < longestPing && isKeepAlive(parsed(text), event);
}

const longestPing = 1000;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // not JSON
  }
}
