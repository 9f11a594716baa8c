import { Buffer } from "node:buffer";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readLines } from "./read-lines.ts";
import type { Line } from "./read-lines.ts";

async function* chunksOf(...texts: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array, void, undefined> {
  for (const text of texts) yield await Promise.resolve(Buffer.from(text));
}

const read = (chunks: AsyncIterable<Uint8Array>, longest = Infinity): Promise<readonly Line[]> =>
  collect(readLines(chunks, { longest }));

test.each([
  ["nothing", [""], []],
  ["one line without an end", ["a"], ["a"]],
  ["one line with an end", ["a\n"], ["a\n"]],
  ["blank lines stay", ["a\n\n\r\nb"], ["a\n", "\n", "\r\n", "b"]],
  ["a line over three chunks", ["a", "b", "c\nd"], ["abc\n", "d"]],
  ["an end on the border", ["a\n", "b\n"], ["a\n", "b\n"]],
])("%s", async (_, chunks, lines) => {
  const found = await read(chunksOf(...chunks));
  expect(found.map(({ bytes }) => bytes.toString())).toEqual(lines);
  expect(found.map(({ number }) => number)).toEqual(lines.map((_, index) => index + 1));
});

test("the lines together are the bytes that came in, wherever they were cut, also inside a character", async () => {
  const pieces = fc
    .array(fc.constantFrom("é", "汉", "😀", "\n", "\r\n", "ab"), { maxLength: 30 })
    .map((all) => Buffer.from(all.join("")));
  await fc.assert(
    fc.asyncProperty(pieces, fc.integer({ min: 1, max: 5 }), async (bytes, size) => {
      const cuts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      );
      const lines = await read(chunksOf(...cuts));
      expect(Buffer.concat(lines.map((line) => line.bytes))).toEqual(bytes);
      for (const line of lines.slice(0, -1)) expect(line.bytes.indexOf(0x0a)).toBe(line.bytes.length - 1);
    }),
  );
});

test("a line that is too long comes in pieces that say so, and the next line is read as ever", async () => {
  const lines = await read(chunksOf("ab\n", "1234", "5678", "9\nc", "d\n"), 5);
  expect(lines.map(({ number, bytes, overlong }) => [number, bytes.toString(), overlong])).toEqual([
    [1, "ab\n", false],
    [2, "1234", true],
    [2, "5678", true],
    [2, "9\n", true],
    [3, "cd\n", false],
  ]);
});

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
