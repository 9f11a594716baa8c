import { isEndMarker, isEndMarkerEvent, isKeepAlive, isKeepAliveName } from "#codecs";

import { createEventSplitter, endOfEventIn } from "./framing.ts";
import type { Framing } from "./framing.ts";

/** Passes events without content that follow the end of a turn, such as keep-alives. Events with content are removed. */
export interface AfterEnd {
  /** Gives what passes of a chunk, or of the remainder at the end of the body. */
  readonly take: (bytes: Uint8Array | undefined) => Uint8Array;
}

interface AfterEndOptions {
  /** The client fails on every event that it does not know, so that keep-alives are written as comments. */
  readonly isStrict: boolean;
  /** Called with the first event that is removed. */
  readonly onRemoved: () => void;
}

/** More bytes without an end are not a keep-alive. */
const largestKeepAlive = 1024 * 1024;

export function createAfterEnd(framing: Framing, { isStrict, onRemoved }: AfterEndOptions): AfterEnd {
  const endOf = endOfEventIn[framing];
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const encoder = new TextEncoder();
  let splitter = createEventSplitter(framing);
  let hasRemoved = false;
  let isBeheaded = false; // the start of the incomplete event was dropped

  const remove = (): void => {
    if (!hasRemoved) onRemoved();
    hasRemoved = true;
  };

  const passing = (text: string): string => {
    const isEmpty = !isBeheaded && hasNoContent(text);
    const isUnknown = isStrict && isEmpty && hasFields.test(text) && !isEndMarkerEvent(text);
    isBeheaded = false;
    if (!isEmpty || isUnknown) remove();
    return isUnknown ? asComment(text) : isEmpty ? text : "";
  };

  /** Keeps only the bytes of a large event that may be the start of its end. */
  const behead = (): void => {
    const end = splitter.rest().slice(-3);
    splitter = createEventSplitter(framing);
    splitter.split(end, (left) => left);
    isBeheaded = true;
    remove();
  };

  return {
    take(bytes) {
      if (bytes === undefined) return encoder.encode(passing(decoder.decode(splitter.rest())));
      let text = "";
      splitter.split(bytes, (whole) => {
        let start = 0;
        for (let end = endOf(whole, start); end >= 0; end = endOf(whole, start)) {
          text += passing(decoder.decode(whole.subarray(start, end)));
          start = end;
        }
        return start === whole.length ? undefined : whole.subarray(start);
      });
      if (splitter.size() > largestKeepAlive) behead();
      return encoder.encode(text);
    },
  };
}

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
