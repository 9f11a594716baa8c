import { isKeepAlive, isKeepAliveName } from "#codecs";

import { createCutter } from "./cut-events.ts";
import { endOfEvent, endOfLine } from "./split-events.ts";
import type { Framing } from "./split-events.ts";

/** What comes behind an answer that is over: it passes where it says nothing. */
export interface BehindEnd {
  /** Gives what passes of these bytes; of what is left, when nothing more comes. */
  readonly take: (bytes: Uint8Array | undefined) => Uint8Array;
  /** Something was left out. */
  readonly hasMore: () => boolean;
}

interface Client {
  /** It trips over every event that it does not know, and gets keep-alives as comments. */
  readonly isStrict?: boolean;
}

/** So many bytes without an end are no sign of life. */
const mostOfSign = 1024 * 1024;

export function createBehindEnd(framing: Framing, { isStrict = false }: Client = {}): BehindEnd {
  const endOf = framing === "lines" ? endOfLine : endOfEvent;
  let cutter = createCutter(framing);
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const encoder = new TextEncoder();
  let hasMore = false;
  let isForgotten = false; // the beginning of the event that has not ended

  const passing = (text: string): string => {
    const isNothing = !isForgotten && saysNothing(text);
    const isTrippedOver = isStrict && isNothing && hasFields.test(text);
    isForgotten = false;
    hasMore ||= !isNothing || isTrippedOver;
    return isTrippedOver ? asComment(text) : isNothing ? text : "";
  };

  /** Keeps no more of an event that is left out than may be the beginning of its end. */
  const forget = (): void => {
    const end = cutter.rest().slice(-3);
    cutter = createCutter(framing);
    cutter.cut(end, (left) => left);
    isForgotten = true;
    hasMore = true;
  };

  return {
    take(bytes) {
      if (bytes === undefined) return encoder.encode(passing(decoder.decode(cutter.rest())));
      let text = "";
      cutter.cut(bytes, (whole) => {
        let start = 0;
        for (let end = endOf(whole, start); end >= 0; end = endOf(whole, start)) {
          text += passing(decoder.decode(whole.subarray(start, end)));
          start = end;
        }
        return start === whole.length ? undefined : whole.subarray(start);
      });
      if (cutter.size() > mostOfSign) forget();
      return encoder.encode(text);
    },
    hasMore: () => hasMore,
  };
}

/** Blank lines, comments, the end marker once more, and keep-alives. */
function saysNothing(text: string): boolean {
  let event: string | undefined;
  const data: string[] = [];
  for (const line of text.split(/\r\n?|\n/u)) {
    const [, name = "", value = ""] = /^(event|data): ?(.*)$/su.exec(line) ?? [];
    if (name === "event") event = value;
    else if (name === "data") data.push(value);
    else if (!isNothing.test(line)) return false;
  }
  return isKeepAliveName(event) || data.every((value) => isSilent(value, event));
}

const hasFields = /^(?:event|data):(?! ?\[DONE\])/mu;

const asComment = (text: string): string => text.replaceAll(/^(?=[^:\s])/gmu, ": ");

const isNothing = /^(?:[\t ]*$|:|(?:id|retry):|\[DONE\])/u;

/** True for the end marker, and for a keep-alive. Blank data is none: clients trip over it. */
function isSilent(data: string, event: string | undefined): boolean {
  const text = data.trim();
  if (text.startsWith("[DONE]")) return event === undefined;
  return text.length < mostOfKeepAlive && isKeepAlive(parsed(text), event);
}

/** A keep-alive is short. */
const mostOfKeepAlive = 1000;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // no JSON is undefined
  }
}
