import { describe, expect, test } from "vitest";
import { createRunReader } from "./repeat-run.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const eventOf = (text: string): string => `data: {"delta":{"text":"${text}"},"index":0}\n\n`;

/** A reader that has learned from one event, and what it tells. */
function learned() {
  const told: string[] = [];
  const reader = createRunReader();
  const raw = eventOf("a");
  reader.learn(raw, raw.slice(6, -2), () => ({ key: "text", text: "a", again: (text) => void told.push(text) }));
  return { reader, told };
}

describe("events that repeat one", () => {
  test("are read up to the first that does not", () => {
    const { reader, told } = learned();
    const run = [eventOf("b"), eventOf('\\n\\"c'), eventOf("\\u00e9好\\ud83d\\ude00\\\\")].join("");
    const read = reader.read(bytesOf(`${run}data: {}\n\n`), 0, true);
    expect(read).toMatchObject({ end: bytesOf(run).length, count: 3, text: 'b\n"cé好😀\\' });
    expect(read?.texts()).toEqual(["b", '\n"c', "é好😀\\"]);
    expect(told).toEqual(['b\n"cé好😀\\']);
  });

  test("are read without a word where nobody hears it", () => {
    const { reader, told } = learned();
    const run = eventOf("b") + eventOf("c");
    expect(reader.read(bytesOf(run), 0, false)).toMatchObject({ end: run.length, count: 2 });
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
    const { reader } = learned();
    expect(reader.read(bytesOf(eventOf("b") + eventOf(text)), 0, true)).toMatchObject({
      end: eventOf("b").length,
      count: 1,
    });
    expect(reader.read(bytesOf(eventOf(text)), 0, true)).toBeUndefined();
  });

  test("are not read where they are not whole", () => {
    const { reader } = learned();
    expect(reader.read(bytesOf(eventOf("b").slice(0, -1)), 0, true)).toBeUndefined();
  });
});
