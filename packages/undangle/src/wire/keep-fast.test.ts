import { cleaners, supplyScanner } from "#codecs";
import type { Cleaner } from "#codecs";
import { expect, test } from "vitest";
import { createFastCode, nobodys } from "./keep-fast.ts";
import { createLine } from "./line.ts";
import type { Exchange } from "./mend-response.ts";

const told: unknown[] = [];

const exchangeIn = (format: "anthropic" | "openai-chat"): Exchange => ({
  endpoint: { format, provider: undefined, model: undefined, isGuess: false },
  request: nobodys,
  mode: "repair",
  toolCalls: "hold",
  maxBytes: Infinity,
  reporter: { tell: (repair) => void told.push(repair), fail: (_side, _url, error) => void told.push(error) },
  now: () => 0,
  scannerFor: supplyScanner(undefined),
  fastCode: createFastCode(),
});

const formats = ["anthropic", "openai-chat"] as const;

test.each(formats)("the stream of nobody's is a healthy one of %s, and passes as it came", (format) => {
  const cleaner = cleaners[format];
  const text = cleaner?.specimen?.() ?? "";
  expect(text.length).toBeGreaterThan(2000);
  const line = cleaner && createLine(cleaner, exchangeIn(format), "events");
  line?.take(new TextEncoder().encode(text));
  line?.take(undefined);
  expect(line?.end()).toBeUndefined();
  expect(Buffer.concat(line?.flush() ?? []).toString()).toBe(text);
  expect(told).toEqual([]);
});

test.each(formats)(
  "it is read behind the first long streams of %s and then seldom, and behind no short one",
  (format) => {
    const cleaner = cleaners[format];
    if (cleaner === undefined) return;
    const written: number[] = [];
    let streams = 0;
    const watched: Cleaner = { ...cleaner, specimen: () => (written.push(streams), cleaner.specimen?.() ?? "") };
    const { hasRead } = createFastCode();
    for (let i = 0; i < 5; i++) hasRead(10_000, watched, exchangeIn(format));
    for (streams = 1; streams <= 200; streams++) hasRead(1_000_000, watched, exchangeIn(format));
    expect(written).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 192]);
  },
);
