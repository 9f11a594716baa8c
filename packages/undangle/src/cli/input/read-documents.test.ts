import { Buffer } from "node:buffer";
import { expect, test } from "vitest";
import { readDocuments } from "./read-documents.ts";
import type { ReadOptions } from "./read-documents.ts";

async function* chunksOf(...texts: readonly string[]): AsyncGenerator<Uint8Array, void, undefined> {
  for (const text of texts) yield await Promise.resolve(Buffer.from(text));
}

const read = async (
  texts: readonly string[],
  options: Partial<ReadOptions> = {},
): Promise<readonly (readonly [string, number | undefined])[]> =>
  (await collect(readDocuments(chunksOf(...texts), { longest: Infinity, ...options }))).map(({ bytes, line }) => [
    bytes.toString(),
    line,
  ]);

test.each<
  [string, readonly string[], Partial<ReadOptions> | undefined, readonly (readonly [string, number | undefined])[]]
>([
  ["one value over several lines", ["{\n", '"a":1}\n'], undefined, [['{\n"a":1}\n', undefined]]],
  ["one value in one line", ["{}\n"], undefined, [["{}\n", undefined]]],
  ["one value in one line with blanks behind", ["{}", "\n", "\n \n"], undefined, [["{}\n\n \n", undefined]]],
  [
    "two values in two lines",
    ["{}\n[]"],
    undefined,
    [
      ["{}\n", 1],
      ["[]", 2],
    ],
  ],
  [
    "the second line comes late",
    ["{}\n", "\n", "[]\n"],
    undefined,
    [
      ["{}\n", 1],
      ["\n", 2],
      ["[]\n", 3],
    ],
  ],
  [
    "lines after a blank one and a byte order mark",
    ["\uFEFF{}\n{}\n"],
    undefined,
    [
      ["\uFEFF{}\n", 1],
      ["{}\n", 2],
    ],
  ],
  [
    "lines that begin with a blank one",
    ["\n{}\n{}\n"],
    undefined,
    [
      ["\n", 1],
      ["{}\n", 2],
      ["{}\n", 3],
    ],
  ],
  ["a text is no container", ['"a"\n"b"\n'], undefined, [['"a"\n"b"\n', undefined]]],
  ["one line that is known to be lines", ["{}\n"], { lines: true }, [["{}\n", 1]]],
  ["two lines that are known to be one value", ["{}\n{}\n"], { lines: false }, [["{}\n{}\n", undefined]]],
  ["nothing", [""], undefined, [["", undefined]]],
])("%s", async (_, chunks, options, documents) => {
  expect(await read(chunks, options)).toEqual(documents);
});

test("a value that is longer than a string can be is not held", async () => {
  const documents = await collect(readDocuments(chunksOf("[1,", "2,", "3]"), { longest: 5 }));
  expect(documents).toEqual([{ bytes: Buffer.alloc(0), line: undefined, overlong: true }]);
});

test("the source is closed when nobody reads on", async () => {
  let closed = false;
  async function* source(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for (;;) yield await Promise.resolve(Buffer.from("{}\n"));
    } finally {
      closed = true;
    }
  }
  for await (const document of readDocuments(source(), { longest: Infinity })) if (document.line === 3) break;
  expect(closed).toBe(true);
});

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
