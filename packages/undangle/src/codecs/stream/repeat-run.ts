import { patternOf, textBetween } from "./repeats.ts";
import type { Repeatable } from "./decoder.ts";

/** Events, one behind the other, that are the same but for one text in each. */
export interface Run {
  /** The index behind the last of them. */
  readonly end: number;
  readonly count: number;
  /** The texts of all of them, joined. */
  readonly text: string;
  /** One event that says all that they say. */
  readonly value: () => unknown;
}

/** Follows events that repeat a given one. */
export interface RunReader {
  /** Reads the events from an index on that repeat the one that was learned; undefined when there is none. */
  readonly read: (text: string, from: number) => Run | undefined;
  /** Learns from an event as it was sent, with its data and a way to ask the decoder what it says. */
  readonly learn: (raw: string, data: string, describe: () => Repeatable | undefined) => void;
  /** Something else was read. */
  readonly forget: () => void;
}

/** How many events in a row may be learned from in vain before only one in 64 is. */
const patience = 16;

export function createRunReader(): RunReader {
  let head = "";
  let tail = "";
  let data: { readonly head: string; readonly tail: string } | undefined;
  let again: Repeatable["again"] | undefined;
  let useless = 0;
  return {
    read(text, from) {
      if (data === undefined || again === undefined) return undefined;
      const pattern = data;
      let at = from;
      let count = 0;
      let joined = "";
      while (text.slice(at, at + head.length) === head) {
        const blank = text.indexOf("\n\n", at + head.length);
        const end = blank + 2 - tail.length;
        if (blank < 0 || end < at + head.length || text.slice(end, blank + 2) !== tail) break;
        const said = textBetween(text, at + head.length, end);
        if (said === undefined) break;
        again(said);
        joined += said;
        count++;
        at = blank + 2;
      }
      if (at === from) return undefined;
      const value = (): unknown =>
        JSON.parse(pattern.head.slice(0, -1) + JSON.stringify(joined) + pattern.tail.slice(1));
      useless = 0;
      return { end: at, count, text: joined, value };
    },
    learn(raw, sent, describe) {
      data = undefined;
      if (useless++ >= patience && useless % 64 !== 0) return;
      const repeatable = describe();
      data = repeatable && patternOf(sent, undefined, repeatable);
      again = repeatable?.again;
      const at = data === undefined ? -1 : raw.indexOf(sent);
      // Only an event in one line, with a blank one behind it and no other sign for a line's end.
      if (data === undefined || at < 0 || raw.slice(at + sent.length) !== "\n\n" || raw.includes("\r")) {
        data = undefined;
        return;
      }
      head = raw.slice(0, at) + data.head;
      tail = `${data.tail}\n\n`;
    },
    forget() {
      data = undefined;
    },
  };
}
