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

export function createBehindEnd(framing: Framing): BehindEnd {
  const endOf = framing === "lines" ? endOfLine : endOfEvent;
  const cutter = createCutter(framing);
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const encoder = new TextEncoder();
  let hasMore = false;

  const passing = (text: string): string => {
    const isNothing = saysNothing(text);
    hasMore ||= !isNothing;
    return isNothing ? text : "";
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
