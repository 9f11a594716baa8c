import type { Cleaner } from "#codecs";

import { createLine } from "./line.ts";
import type { Line } from "./line.ts";
import type { Exchange } from "./mend-response.ts";

/**
 * Keeps the code that reads long streams fast. V8 holds such code through the functions that it was made for, and those of a stream
 * are gone with it: a full collection throws it away, and the next stream begins in slow code. So others like them read a short
 * stream of nobody's, and are kept. Nothing of a conversation is.
 */
export interface FastCode {
  /** So many bytes of a stream were read to its end. */
  readonly hasRead: (bytes: number, cleaner: Cleaner, exchange: Exchange) => void;
}

/** Streams that are shorter end before what reads them is fast. */
const long = 256 * 1024;

export function createFastCode(): FastCode {
  const shelf = new Map<Cleaner, { streams: number; kept: Line | undefined }>();
  return {
    hasRead(bytes, cleaner, exchange) {
      if (bytes < long || cleaner.specimen === undefined) return;
      const place = shelf.get(cleaner) ?? { streams: 0, kept: undefined };
      shelf.set(cleaner, place);
      place.streams++;
      if (isDue(place.streams)) place.kept = readSpecimen(cleaner.specimen(), cleaner, exchange);
    },
  };
}

/** What was kept has code that was new then: that is often better a few streams later, and seldom after many. */
const isDue = (streams: number): boolean => Number.isInteger(Math.log2(streams)) || streams % 64 === 0;

/** What has read a stream of nobody's. */
function readSpecimen(text: string, cleaner: Cleaner, exchange: Exchange): Line {
  const request = { ...nobodys, agent: exchange.request.agent };
  const line = createLine(cleaner, { ...exchange, request, maxBytes: Infinity, reporter: silent }, "events");
  const bytes = new TextEncoder().encode(text);
  const middle = Math.floor(bytes.length / 2); // within an event
  for (const piece of [bytes.slice(0, middle), bytes.slice(middle), undefined]) {
    line.ask();
    line.take(piece);
    if (piece === undefined) line.end();
    line.flush();
  }
  return line;
}

/** A request of nobody's. */
export const nobodys: Exchange["request"] = {
  url: "",
  agent: "",
  version: undefined,
  text: "",
  body: {},
  withBody: () => ["", undefined],
};

const silent: Exchange["reporter"] = { tell: () => undefined, fail: () => undefined };
