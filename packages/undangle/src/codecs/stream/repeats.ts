import type { Assembly } from "#core";

import type { Repeatable, StreamDecoder } from "./decoder.ts";

/**
 * Nearly all events of a stream are the one before with another piece of text in it. Such an event is known by comparing, which
 * takes a fraction of the time of parsing it.
 */
export interface Repeats {
  /** Reads the data of an event, if it differs in one text alone from the one that was learned just before. */
  readonly read: (data: string, event: string | undefined) => boolean;
  /** Learns from the data of an event that the decoder has just read. */
  readonly learn: (data: string, event: string | undefined, frame: Readonly<Record<string, unknown>>) => void;
  /** Something else was read. */
  readonly forget: () => void;
}

/** An event with a hole in it. */
interface Pattern {
  /** Up to the quote that opens the text. */
  readonly head: string;
  /** From the quote that closes it on. */
  readonly tail: string;
  readonly event: string | undefined;
  readonly again: Repeatable["again"];
}

/** How many patterns in a row may be of no use before only one event in 64 is learned from. */
const patience = 8;

export function createRepeats({ repeatable }: StreamDecoder, assembly: Assembly): Repeats {
  let pattern: Pattern | undefined;
  let isUsed = false;
  let useless = 0;
  let skipped = 0;

  const forget = (): void => {
    if (pattern !== undefined) useless = isUsed ? 0 : useless + 1;
    pattern = undefined;
  };

  return {
    read(data, event) {
      if (pattern === undefined) return false;
      const text = pattern.event === event ? textIn(data, pattern) : undefined;
      if (text === undefined) {
        forget();
        return false;
      }
      assembly.frames++;
      isUsed = true;
      pattern.again(text);
      return true;
    },
    learn(data, event, frame) {
      if (repeatable === undefined || (useless >= patience && ++skipped % 64 !== 0)) return;
      const found = repeatable(frame);
      pattern = found && patternOf(data, event, found);
      isUsed = false;
    },
    forget,
  };
}

/**
 * The pattern of an event, where it is certain at which place of the data the text stands: the key is nowhere else, and
 * nothing around it is written in a way that could hide it.
 */
export function patternOf(
  data: string,
  event: string | undefined,
  { key, text, again }: Repeatable,
): Pattern | undefined {
  const quoted = `"${key}"`;
  if (text === "" || data.indexOf(quoted) !== data.lastIndexOf(quoted)) return undefined;
  const literal = JSON.stringify(text);
  const name = data.includes(`${quoted}:${literal}`) ? `${quoted}:` : `${quoted}: `;
  const at = data.indexOf(name + literal);
  if (at < 0) return undefined;
  const head = data.slice(0, at + name.length + 1);
  const tail = data.slice(at + name.length + literal.length - 1);
  return head.includes("\\") || tail.includes("\\") ? undefined : { head, tail, event, again };
}

/** The text in the hole of a pattern; undefined for data that differs elsewhere too. */
function textIn(data: string, { head, tail }: Pattern): string | undefined {
  const end = data.length - tail.length;
  // V8 compares whole texts several times faster than `startsWith` does.
  if (end < head.length || data.slice(0, head.length) !== head || data.slice(end) !== tail) return undefined;
  return textBetween(data, head.length, end);
}

/** What stands between two quotes; undefined when it is more than one text, or none. */
export function textBetween(data: string, start: number, end: number): string | undefined {
  for (let at = start; at < end; at++) {
    const code = data.charCodeAt(at);
    if (code === 0x5c) return unescaped(data.slice(start - 1, end + 1));
    if (code === 0x22 || code < 0x20) return undefined;
  }
  return data.slice(start, end);
}

/** What a text in quotes means; undefined when it is more than one text, or none. */
function unescaped(literal: string): string | undefined {
  try {
    return JSON.parse(literal) as string; // it begins with a quote: nothing else can come of it
  } catch {
    return undefined;
  }
}
