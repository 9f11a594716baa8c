import { readFileSync } from "node:fs";
import { isObjectText } from "#core";
import fc from "fast-check";
import { expect, test } from "vitest";
import wabt from "wabt";
import { createRunReader } from "./repeat-run.ts";
import type { RunReader } from "./repeat-run.ts";
import { assembled, createScanner, supplyScanner } from "./scan-events.ts";
import type { Runner } from "./scan-events.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

test("what runs is what is written", async () => {
  const assembler = await wabt();
  const source = readFileSync(new URL("scan-events.wat", import.meta.url), "utf8");
  const { buffer } = assembler.parseWat("scan-events.wat", source, { simd: true }).toBinary({});
  expect(assembled).toBe(Buffer.from(buffer).toString("base64"));
});

test("where nothing may be made executable, there is none, and it is tried once", () => {
  let tries = 0;
  const refused = function refuse(): never {
    tries++;
    throw new Error("refused");
  };
  const runner = Object.assign(Object.create(null) as Runner, { Module: refused, Instance: refused });
  for (const scannerFor of [supplyScanner(undefined), supplyScanner(runner)]) {
    for (let i = 0; i < 40; i++) expect(scannerFor(16 * 1024)).toBeUndefined();
  }
  expect(tries).toBe(1);
});

test("one is made when much was read, and few bytes are never brought to it", () => {
  const scannerFor = supplyScanner((globalThis as { readonly WebAssembly?: Runner }).WebAssembly);
  for (let i = 0; i < 15; i++) expect(scannerFor(16 * 1024)).toBeUndefined();
  const made = scannerFor(16 * 1024);
  expect(made).toBeDefined();
  expect(scannerFor(100_000)).toBe(made);
  expect(scannerFor(100)).toBeUndefined();
});

const scanner = createScanner((globalThis as { readonly WebAssembly?: Runner }).WebAssembly);

/** A reader that has learned from an event with another text. */
function learned(eventOf: (text: string) => string, isFast: boolean): RunReader {
  const reader = createRunReader(() => (isFast ? scanner : undefined));
  const raw = eventOf("a");
  reader.learn(raw, raw.slice(raw.indexOf("{"), -2), () => ({ key: "text", text: "a", again: () => undefined }));
  return reader;
}

/** What a reader makes of pieces, one behind the other. */
function readings(reader: RunReader, pieces: readonly Uint8Array[], isHeard: boolean): unknown {
  const ends = pieces.map((piece) => reader.read(piece, 0, isHeard));
  const run = reader.told();
  return { ends, run: run && { ...run, ends: [...run.ends] } };
}

const writtenText = fc
  .array(
    fc.oneof(
      {
        weight: 8,
        arbitrary: fc.string({ unit: "grapheme", maxLength: 40 }).map((text) => JSON.stringify(text).slice(1, -1)),
      },
      {
        weight: 4,
        arbitrary: fc.constantFrom("\\n", '\\"', "\\\\", "\\/", "\\t\\r\\b\\f", "好", "a".repeat(16), "b".repeat(33)),
      },
      { weight: 2, arbitrary: fc.constantFrom("\\u00e9", "\\ud83d\\ude00") },
      { weight: 1, arbitrary: fc.constantFrom("\\ud83d", "\\q", '"', "\n", "\u0001", "\\u12") },
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(""));

/** How events are written around their texts: with little, with much, and with what looks like the end of one. */
const envelopes = [
  (text: string): string => `data: {"text":"${text}"}\n\n`,
  (text: string): string => `event: delta\ndata: {"delta":{"text":"${text}"},"index":0,"more":"${"x".repeat(40)}"}\n\n`,
  (text: string): string => `data: {"choices":[{"index":0,"delta":{"text":"${text}"}}],"usage":null,"p":"}}]}"}\n\n`,
];

test.each([true, false])("it reads what JavaScript reads, heard: %s", (isHeard) => {
  fc.assert(
    fc.property(
      fc.constantFrom(...envelopes),
      fc.array(fc.array(writtenText, { maxLength: 12 }), { minLength: 1, maxLength: 4 }),
      fc.nat({ max: 400 }),
      (eventOf, pieces, missing) => {
        const all = pieces.map((texts, i) => {
          const bytes = bytesOf(texts.map(eventOf).join(""));
          return i === pieces.length - 1 ? bytes.subarray(0, Math.max(0, bytes.length - missing)) : bytes; // cut off somewhere
        });
        expect(readings(learned(eventOf, true), all, isHeard)).toEqual(readings(learned(eventOf, false), all, isHeard));
      },
    ),
    { numRuns: 1500 },
  );
});

test("pieces that are larger than its memory are read in parts, with a text of any length", () => {
  const [eventOf = String] = envelopes;
  const texts = Array.from({ length: 400 }, (_, i) => `${i} ${"word \\n".repeat(i % 9 === 0 ? 400 : 20)}`);
  texts.splice(200, 0, "x".repeat(70_000), "\\u00e9", "y".repeat(50_000));
  const piece = bytesOf(texts.map(eventOf).join("") + "data: {}\n\n");
  const fast = readings(learned(eventOf, true), [piece], true);
  expect(fast).toEqual(readings(learned(eventOf, false), [piece], true));
  expect(fast).toMatchObject({ ends: [piece.length - 10], run: { count: texts.length } });
});

test("readers that take turns do not disturb each other", () => {
  const pieces = envelopes.map((eventOf) => bytesOf(["b", "\\nc", "d"].map(eventOf).join("")));
  const readers = envelopes.map((eventOf) => learned(eventOf, true));
  for (let round = 0; round < 3; round++) {
    for (const [i, reader] of readers.entries())
      expect(reader.read(pieces[i] ?? bytesOf(""), 0, true)).toBeGreaterThan(0);
  }
  for (const reader of readers) expect(reader.told()).toMatchObject({ count: 9, text: "b\ncd".repeat(3) });
});

/** Texts that are JSON, or nearly: what is written in one is changed at a few places. */
const nearlyJson = fc
  .tuple(
    fc.jsonValue({ maxDepth: 5 }),
    fc.constantFrom(undefined, 1, "\t"),
    fc.array(
      fc.tuple(
        fc.nat(),
        fc.nat({ max: 2 }),
        fc.constantFrom(
          "",
          " ",
          "\n",
          '"',
          "\\",
          "\\u00",
          "\\u00e9",
          "{",
          "}",
          "[",
          "]",
          ",",
          ":",
          "0",
          "-",
          ".",
          "e",
          "E+",
          "1",
          "true",
          "nul",
          "false",
          "\u0000",
          "\u0001",
          "\ud83d",
          "好",
          "\ufeff",
        ),
      ),
      { maxLength: 3 },
    ),
  )
  .map(([value, blanks, changes]) => {
    let text = JSON.stringify({ a: value, "b\n": [value, { c: value }] }, undefined, blanks);
    for (const [place, length, sign] of changes) {
      const at = place % (text.length + 1);
      text = text.slice(0, at) + sign + text.slice(at + length);
    }
    return text;
  });

test("it knows the text of an object from every other", () => {
  let objects = 0;
  fc.assert(
    fc.property(nearlyJson, (text) => {
      objects += Number(isObjectText(text));
      expect(scanner?.isObject(text)).toBe(isObjectText(text));
    }),
    { numRuns: 20_000 },
  );
  expect(objects).toBeGreaterThan(2000);
});

test.each([1, 199, 200, 201, 240, 5000])("what is nested %s deep is one, or it cannot tell", (depth) => {
  const text = `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
  expect(scanner?.isObject(text)).toBe(depth <= 200);
  expect(scanner?.isObject(text.slice(0, -1))).toBe(false);
  expect(scanner?.isObject('{"a":"\\n\\"\\t"}')).toBe(true); // what it knows of signs is still there
});

test("what is longer than its memory it cannot tell", () => {
  for (let size = 188_300; size < 188_460; size += 3) {
    const text = `{"a":"${"x".repeat(size - 8)}"}`;
    expect(scanner?.isObject(text)).toBe(size <= 188_400);
    for (const cut of [1, 2, 3]) expect(scanner?.isObject(text.slice(0, -cut))).toBe(false);
  }
});
