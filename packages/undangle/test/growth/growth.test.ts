import { describe, expect, it } from "vitest";

import { passedThrough } from "../clients/passed-through.ts";
import { growthOf } from "./cpu-time.ts";
import { attacksOn, builtPatternsIn, isUnbounded, patternsIn, sourceFiles } from "./find-patterns.ts";
import { hostileStreams } from "./hostile-streams.ts";
import { hostileTexts, textReaders } from "./hostile-texts.ts";
import { longHistories } from "./long-histories.ts";
import { requests } from "./requests.ts";

/** Whatever takes more than this for an input of twice the size is not linear. */
const most = 3;

/** The time after which a run is measured, in milliseconds. A pattern that is linear takes far less for texts of these sizes. */
const suspicious = 1;

/** Many enough for work that grows with the square to exceed what each event costs. */
const eventCount = 1000;
const longTextSize = 10_000;
const messageCount = 20_000;

/** A pattern that takes exponential time is found by one of the first, and not run with the others: it would never end. */
const textSizes = [24, 34, 48, 70, 100, 150, 400, 1000, 10_000, 20_000] as const;

/** Files whose patterns read only what the operator, the developer or the user of this machine writes. */
const isTrusted = (path: string): boolean => /^undangle\/src\/(?:cli|config|testing|model\/demo)\//u.test(path);

/** Files that build patterns from texts, and what such a pattern reads. */
const builtPatterns: Readonly<Record<string, string>> = {
  "server/src/responses/route-methods.ts": "URLs of requests, by the routes of the server",
  "server/src/histories/mask-numbers.ts": "numbers of a fixed length",
  "studio/src/parts/text/text-segments.ts": "texts for a person, in test/growth.test.ts of the studio",
  "undangle/src/codecs/gemini/stream/decode.ts": "paths of partial arguments",
  "undangle/src/codecs/stream/events/dialects.ts": "events with text, at one index, without two ways to match",
  "undangle/src/codecs/stream/leaked-calls/markup.ts": "leaked calls",
  "undangle/src/codecs/stream/leaked-calls/recover.ts": "leaked calls",
  "undangle/src/engine/schema/json-validator.ts": "arguments, by patterns of their schema, for a second at most",
  "undangle/src/files/search/grep-lines.ts": "files, in a thread of its own, for 15 seconds at most",
  "undangle/src/middleware/free-tag.ts": "memory and conversations, for a name and a number after it",
  "undangle/src/model/http/concessions.ts": "errors of providers, by patterns that are literals elsewhere",
  "undangle/src/wire/request/repair-request.ts": "numbers of a fixed length",
};

/** The growth of the attack that slows a pattern down, and the attack; undefined where none does. */
async function slownessOf(pattern: RegExp): Promise<string | undefined> {
  if (!isUnbounded(pattern)) return undefined;
  for (const attack of attacksOn(pattern)) {
    const run = (size: number): unknown => matched(pattern, attack(size));
    for (const size of textSizes) {
      const before = performance.now();
      run(size);
      if (performance.now() - before < suspicious) continue;
      const growth = await growthOf(run, size / 2);
      if (growth > most) return `×${growth.toFixed(1)} ${String(pattern)} ${JSON.stringify(attack(12))}`;
    }
  }
  return undefined;
}

const matched = (pattern: RegExp, text: string): unknown =>
  pattern.global ? text.replaceAll(pattern, "") : text.replace(pattern, "");

describe("Regular expressions", () => {
  it("of the sources take linear time", async () => {
    const slow: string[] = [];
    const patterns = sourceFiles(isTrusted).flatMap(patternsIn);
    expect(patterns.length).toBeGreaterThan(300);
    for (const { place, pattern } of patterns) {
      const found = await slownessOf(pattern);
      if (found !== undefined) slow.push(`${place} ${found}`);
    }
    expect(slow).toEqual([]);
  }, 180_000);

  it.each([
    /\s*\]\s*$/u,
    /length|max_?\w*tokens|context_window/iu,
    /"(?:a|\\.|[^"])*"$/u,
    /translate\s+(.+?)\s+(?:in)?to/u,
  ])(
    "that do not are found: %s",
    { retry: 2 }, // other work on the machine can hide the growth of one measurement
    async (pattern) => {
      expect(await slownessOf(pattern)).toMatch(/^×/u);
    },
  );

  it("that are built from texts are known, and read by the tests below", () => {
    const built = sourceFiles(isTrusted).filter((path) => builtPatternsIn(path) > 0);
    expect(built.filter((path) => !Object.hasOwn(builtPatterns, path))).toEqual([]);
  });
});

describe("Streams of many events take linear time", () => {
  it.each(["hold", "stream"] as const)(
    "with toolCalls: %s",
    async (toolCalls) => {
      const slow: string[] = [];
      for (const [name, { format, make }] of Object.entries(hostileStreams)) {
        const bodies = new Map([eventCount, 2 * eventCount].map((size) => [size, make(size)]));
        const growth = await growthOf(
          (size) => passedThrough({ ...requests[format], body: bodies.get(size) ?? "", toolCalls }),
          eventCount,
        );
        if (growth > most) slow.push(`${name} ×${growth.toFixed(1)}`);
      }
      expect(slow).toEqual([]);
    },
    180_000,
  );
});

describe("Texts take linear time", () => {
  it.each(Object.entries(textReaders))(
    "%s",
    async (_, read) => {
      const slow: string[] = [];
      for (const attack of hostileTexts) {
        const growth = await growthOf((size) => read(attack(size)), longTextSize);
        if (growth > most) slow.push(`${JSON.stringify(attack(30))} ×${growth.toFixed(1)}`);
      }
      expect(slow).toEqual([]);
    },
    180_000,
  );
});

describe("Long histories take linear time", () => {
  it.each(Object.entries(longHistories))("%s", async (_, prepare) => {
    const work = new Map([messageCount, 2 * messageCount].map((count) => [count, prepare(count)]));
    expect(await growthOf((count) => work.get(count)?.(), messageCount)).toBeLessThanOrEqual(most);
  });
});
