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

/** So many bytes without an end are no sign of life. */
const mostOfSign = 1024 * 1024;

export function createBehindEnd(framing: Framing): BehindEnd {
  const endOf = framing === "lines" ? endOfLine : endOfEvent;
  let cutter = createCutter(framing);
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const encoder = new TextEncoder();
  let hasMore = false;
  let isForgotten = false; // the beginning of the event that has not ended

  const passing = (text: string): string => {
    const isNothing = !isForgotten && saysNothing(text);
    isForgotten = false;
    hasMore ||= !isNothing;
    return isNothing ? text : "";
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

/** Blank lines, comments, the mark of the end once more, and signs of life that have a name. */
const saysNothing = (text: string): boolean =>
  isSign.test(text) || text.split(/\r\n?|\n/u).every((line) => isNothing.test(line));

// Each line is looked at alone: one pattern for all of them would take twice as long for every colon in a comment.
const isNothing = /^(?:[\t ]*$|:|(?:id|retry):|(?:data: *)?\[DONE\])/u;
const isSign = /^event: *(?:ping|keep-?alive)(?:\r\n?|\n)data:[^\r\n]*[\r\n]*$/u;
