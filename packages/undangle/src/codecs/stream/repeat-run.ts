import { patternOf } from "./repeats.ts";
import type { Repeatable } from "./decoder.ts";

/** Events, one behind the other, that are the same but for one text in each. */
export interface Run {
  /** The index behind the last of them. */
  readonly end: number;
  readonly count: number;
  /** The texts of all of them, joined, where they are heard. */
  readonly text: string;
  /** The same, one by one. */
  readonly texts: () => readonly string[];
}

/** Follows events that repeat a given one. */
export interface RunReader {
  /**
   * Reads the events from an index on that repeat the one that was learned; undefined when there is none. What they say is
   * told as one text, where it is heard.
   */
  readonly read: (text: string, from: number, isHeard: boolean) => Run | undefined;
  /** Learns from an event as it was sent, with its data and a way to ask the decoder what it says. */
  readonly learn: (raw: string, data: string, describe: () => Repeatable | undefined) => void;
  /** Something else was read. */
  readonly forget: () => void;
}

/** What a run says, as it is written between its quotes. */
interface Written extends Pick<Run, "end" | "count"> {
  readonly joined: string;
  readonly lengths: readonly number[];
}

/** How many events in a row may be learned from in vain before only one in 64 is. */
const patience = 16;

export function createRunReader(): RunReader {
  let head = "";
  let tail = "";
  let between = ""; // from the quote that closes the text of one event to the one that opens that of the next
  let again: Repeatable["again"] | undefined;
  let useless = 0;

  /** Reads the events from an index on. */
  const scan = (text: string, from: number, isHeard: boolean): Written => {
    let end = from;
    let count = 0;
    let joined = "";
    const lengths: number[] = [];
    let start = from + head.length;
    for (;;) {
      const quote = quoteAfter(text, start);
      if (quote < 0) break;
      // One look at all that stands between two texts. V8 compares whole texts several times faster than `startsWith` does.
      const hasNext = text.slice(quote, quote + between.length) === between;
      if (!hasNext && text.slice(quote, quote + tail.length) !== tail) break;
      if (isHeard) {
        joined += text.slice(start, quote);
        lengths.push(quote - start);
      }
      end = quote + tail.length;
      count++;
      if (!hasNext) break;
      start = quote + between.length;
    }
    return { end, count, joined, lengths };
  };

  return {
    read(text, from, isHeard) {
      if (again === undefined || text.slice(from, from + head.length) !== head) return undefined;
      const { end, count, joined, lengths } = scan(text, from, isHeard);
      if (count === 0) return undefined;
      useless = 0;
      const said = meant(joined);
      if (isHeard) again(said);
      return { end, count, text: said, texts: () => textsIn(joined, lengths) };
    },
    learn(raw, sent, describe) {
      again = undefined;
      if (useless++ >= patience && useless % 64 !== 0) return;
      const repeatable = describe();
      const pattern = repeatable && patternOf(sent, undefined, repeatable);
      const at = pattern === undefined ? -1 : raw.indexOf(sent);
      // Only an event in one line, with a blank one behind it and no other sign for a line's end.
      if (pattern === undefined || at < 0 || raw.slice(at + sent.length) !== "\n\n" || raw.includes("\r")) return;
      head = raw.slice(0, at) + pattern.head;
      tail = `${pattern.tail}\n\n`;
      between = tail + head;
      again = pattern.again;
    },
    forget() {
      again = undefined;
    },
  };
}

/** The index of the quote that ends a text; -1 where it does not end, or is no text. */
function quoteAfter(text: string, start: number): number {
  for (let at = start; ; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) return at;
    if (code === 0x5c) {
      at++;
      if (text.charCodeAt(at) === 0x75) {
        if (!/^[\da-f]{4}$/iu.test(text.slice(at + 1, at + 5))) return -1;
        at += 4;
      } else if (!'"\\/bfnrt'.includes(text.charAt(at) || " ")) return -1;
    } else if (!(code >= 0x20)) return -1; // also behind the end
  }
}

/** What a text that is written between quotes means. */
const meant = (written: string): string => (written.includes("\\") ? (JSON.parse(`"${written}"`) as string) : written); // it is one

function textsIn(joined: string, lengths: readonly number[]): readonly string[] {
  let at = 0;
  return lengths.map((length) => meant(joined.slice(at, (at += length))));
}
