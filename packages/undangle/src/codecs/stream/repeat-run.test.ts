import { describe, expect, test } from "vitest";
import { createRunReader, parted } from "./repeat-run.ts";
import type { RunReader } from "./repeat-run.ts";
import { createScanner } from "./scan-events.ts";
import type { Runner } from "./scan-events.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const eventOf = (text: string): string => `data: {"delta":{"text":"${text}"},"index":0}\n\n`;

/** Both ways to read: in JavaScript, and sixteen bytes at a time. */
const scanner = createScanner((globalThis as { readonly WebAssembly?: Runner }).WebAssembly);
const ways = [
  { way: "one by one", create: (): RunReader => createRunReader(() => undefined) },
  { way: "sixteen at a time", create: (): RunReader => createRunReader(() => scanner) },
];

test("this platform reads sixteen at a time", () => {
  expect(scanner).toBeDefined();
});

/** A reader that has learned from one event, and what it tells. */
function learned(create: () => RunReader) {
  const told: string[] = [];
  const reader = create();
  const raw = eventOf("a");
  reader.learn(raw, raw.slice(6, -2), () => ({ key: "text", text: "a", again: (text) => void told.push(text) }));
  return { reader, told };
}

describe.each(ways)("events that repeat one, bytes $way", ({ create }) => {
  test("are read up to the first that does not", () => {
    const { reader, told } = learned(create);
    const run = [eventOf("b"), eventOf('\\n\\"c'), eventOf("\\u00e9好\\ud83d\\ude00\\\\")].join("");
    expect(reader.read(bytesOf(`${run}data: {}\n\n`), 0, true)).toBe(bytesOf(run).length);
    expect(told).toEqual([]);
    const read = reader.told();
    expect(read).toMatchObject({ count: 3, text: 'b\n"cé好😀\\' });
    expect(read && parted(read.text, read.ends)).toEqual(["b", '\n"c', "é好😀\\"]);
    expect(told).toEqual(['b\n"cé好😀\\']);
    expect(reader.told()).toBeUndefined();
  });

  test("are told together, however many pieces they come in", () => {
    const { reader, told } = learned(create);
    const texts = Array.from({ length: 300 }, (_, i) => `${"好".repeat(i % 7)}${i}`);
    for (const text of texts) expect(reader.read(bytesOf(eventOf(text)), 0, true)).toBe(bytesOf(eventOf(text)).length);
    const read = reader.told();
    expect(read).toMatchObject({ count: texts.length, text: texts.join("") });
    expect(read && parted(read.text, read.ends)).toEqual(texts);
    expect(told).toEqual([texts.join("")]);
  });

  test("are read without a word where nobody hears it", () => {
    const { reader, told } = learned(create);
    const run = eventOf("b") + eventOf("c");
    expect(reader.read(bytesOf(run), 0, false)).toBe(run.length);
    expect(reader.told()).toMatchObject({ count: 2, text: "" });
    expect(told).toEqual([]);
  });

  test.each([
    ["a quote too many", 'b"'],
    ["a line break", "b\nc"],
    ["an escape that is none", "\\q"],
    ["an escape that is cut off", "\\u12"],
    ["a backslash at the end", "b\\"],
    ["another field", 'b","more":"c'],
    ["half a character", "\\ud83d"],
    ["a letter too many", "b\\u00zz"],
  ])("end before one with %s", (_, text) => {
    const { reader } = learned(create);
    for (const isHeard of text === "\\ud83d" ? [true] : [true, false]) {
      expect(reader.read(bytesOf(eventOf("b") + eventOf(text)), 0, isHeard)).toBe(eventOf("b").length);
      expect(reader.told()).toMatchObject({ count: 1, text: isHeard ? "b" : "" });
      expect(reader.read(bytesOf(eventOf(text)), 0, isHeard)).toBe(-1);
      expect(reader.told()).toBeUndefined();
    }
  });

  test("are not read where they are not whole", () => {
    const { reader } = learned(create);
    expect(reader.read(bytesOf(eventOf("b").slice(0, -1)), 0, true)).toBe(-1);
  });
});

describe.each(ways)("pieces of a call that has begun, bytes $way", ({ create }) => {
  const pieceOf = (index: string, text: string): string =>
    `event: delta\ndata: {"type":"delta",${index},"delta":{"json":"${text}"}}\n\n`;

  /** A reader that knows a piece of a call, and expects those of another one. */
  function expecting(raw: string, index: number) {
    const told: string[] = [];
    const reader = create();
    const key = "json";
    const data = raw.slice(raw.indexOf("{"), -2);
    reader.learn(raw, data, () => ({ key, text: "a", index: 9, again: () => undefined }));
    reader.forget();
    reader.expect({ key, index, again: (text) => void told.push(text) });
    return { reader, told };
  }

  test("are known by those of the call before, also the first, and where it is empty", () => {
    const { reader, told } = expecting(pieceOf('"index":9', "a"), 10);
    const run = pieceOf('"index":10', "") + pieceOf('"index":10', "{");
    expect(reader.read(bytesOf(run + pieceOf('"index":9', "b")), 0, true)).toBe(run.length);
    expect(reader.told()).toMatchObject({ count: 2, text: "{" });
    expect(told).toEqual(["{"]);
  });

  test.each([
    ["it is written with a blank", '"index": 9'],
    ["it stands there twice", '"index":9,"inner":{"index":9,"a":1}'],
    ["another may be meant", '"index" :9,"inner":{"index":9,"a":1}'],
    ["it is another one", '"index":91'],
  ])("are not known where the place of the index is not certain: %s", (_, index) => {
    const { reader } = expecting(pieceOf(index, "a"), 10);
    for (const other of ["10", "9"]) {
      expect(reader.read(bytesOf(pieceOf(index.replaceAll("9", other), "b")), 0, true)).toBe(-1);
    }
  });
});
