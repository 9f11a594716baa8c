import type { Taker, Takers } from "./line.ts";
import type { Entrance } from "./passage.ts";
import { commasIn, endOfOpening, partsOfRest, startOfObject } from "./split-list.ts";

/** Takes a list, object by object; `plain` is the passage for what is none of its objects. */
export function takeList({ mender, passage }: Takers, plain: Entrance): Taker {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let isOpened = false;
  let count = 0; // of its objects
  return {
    /** Passes the bracket that opens it, with blanks before it. */
    begin(bytes) {
      if (isOpened) return bytes;
      const end = endOfOpening(bytes);
      isOpened = end > 0;
      const opening = isOpened ? bytes.subarray(0, end) : bytes;
      plain.open(opening);
      plain.at(0, opening.length);
      plain.pass();
      plain.close(opening.length);
      return bytes.subarray(opening.length);
    },
    take(bytes, start, end) {
      const object = startOfObject(bytes, start);
      const isAsShould = commasIn(bytes, start, object) === Math.min(count++, 1);
      const text = decoder.decode(bytes.subarray(object, end));
      mender.take(text, isAsShould ? text : decoder.decode(bytes.subarray(start, end)));
    },
    /** The bracket that closes it may be forgotten. */
    last(rest) {
      const [junk, end] = partsOfRest(decoder.decode(rest));
      if (junk !== "") {
        passage.give(junk, junk);
        mender.take(junk);
      }
      const isForgotten = !end.includes("]");
      passage.give(isForgotten ? `${end}]` : end, end);
      mender.close(isForgotten);
    },
  };
}
