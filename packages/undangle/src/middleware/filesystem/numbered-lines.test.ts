import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { countCharacters, lastCharacters, pageOf, wholeCharacters } from "./numbered-lines.ts";

const numbered = (count: number): readonly string[] => Array.from({ length: count }, (_, i) => `l${i + 1}`);
const ask = (given: Partial<Parameters<typeof pageOf>[1]> = {}) => ({
  offset: 0,
  limit: 100,
  column: 0,
  maxLength: 80_000,
  ...given,
});

describe("a page of a file", () => {
  test("RF1 numbers the lines", () => {
    expect(pageOf(numbered(3), ask())).toEqual({
      text: "1  l1\n2  l2\n3  l3",
      first: 1,
      last: 3,
      isCut: false,
      nextOffset: undefined,
      part: undefined,
    });
  });

  test.each([
    ["RF2 the first 100 lines", ask(), { first: 1, last: 100, nextOffset: 100 }],
    ["RF3 the next 100", ask({ offset: 100 }), { first: 101, last: 200, nextOffset: 200 }],
    ["the rest", ask({ offset: 200 }), { first: 201, last: 250, nextOffset: undefined }],
  ])("%s", (_, request, expected) => {
    expect(pageOf(numbered(250), request)).toMatchObject({ ...expected, isCut: false });
  });

  test("numbers are aligned at their right end", () => {
    expect(pageOf(numbered(10), ask({ offset: 8 })).text).toBe(" 9  l9\n10  l10");
  });

  test.each([
    [5_000, ["1"]],
    [5_001, ["  1", "1.1"]],
    [12_000, ["  1", "1.1", "1.2"]],
  ])("RF8 a line of %i characters", (length, labels) => {
    const rows = pageOf(["😀".repeat(length)], ask()).text.split("\n");
    expect(rows.map((row) => row.split("  😀")[0])).toEqual(labels);
    expect(rows.every((row) => row.isWellFormed())).toBe(true);
  });

  test("RF9 the limit counts lines, not rows", () => {
    const page = pageOf(["x".repeat(12_000), "b", "c"], ask({ limit: 2 }));
    expect(page.text.split("\n").map((row) => row.trim().split("  ")[0])).toEqual(["1", "1.1", "1.2", "2"]);
    expect(page.nextOffset).toBe(2);
  });

  test("RF10 it is cut after the last whole line", () => {
    const page = pageOf(
      Array.from({ length: 50 }, () => "x".repeat(4_000)),
      ask(),
    );
    expect(page).toMatchObject({ last: 19, isCut: true, nextOffset: 19, part: undefined });
    expect(page.text.length).toBeLessThanOrEqual(80_000);
  });

  test("RF10 a line that does not fit is not begun after others", () => {
    const page = pageOf(["a", "x".repeat(90_000), "b"], ask());
    expect(page).toMatchObject({ text: "1  a", last: 1, isCut: true, nextOffset: 1 });
  });

  test("RF10, RF11 a line that does not fit alone is shown in parts", () => {
    const line = "x".repeat(200_000);
    const first = pageOf([line, "b"], ask());
    expect(first.text.length).toBeLessThanOrEqual(80_000);
    expect(first.part).toMatchObject({ from: 0, of: 200_000 });
    const second = pageOf([line, "b"], ask({ column: first.part?.to ?? 0 }));
    const third = pageOf([line, "b"], ask({ column: second.part?.to ?? 0 }));
    expect(third).toMatchObject({ part: undefined, last: 2, nextOffset: undefined });
    expect(third.text.endsWith("\n   2  b")).toBe(true);
  });

  test("RF11 a column in the middle of a row keeps the numbers of the rows", () => {
    const rows = pageOf(["x".repeat(11_000)], ask({ column: 5_500 })).text.split("\n");
    expect(rows.map((row) => [row.split("  ")[0], row.split("  ")[1]?.length])).toEqual([
      ["1.1", 4_500],
      ["1.2", 1_000],
    ]);
  });

  test("blank lines, tabs and unusual spaces stay", () => {
    expect(pageOf(["", "\ta", "b\u2028c\v\f"], ask()).text).toBe("1  \n2  \ta\n3  b\u2028c\v\f");
  });

  const text = fc.array(fc.constantFrom("", "a", "😀", "\t", "$&", "x".repeat(4_999), "é".repeat(7_001)), {
    maxLength: 9,
  });
  const lines = fc.array(
    text.map((parts) => parts.join("")),
    { minLength: 1, maxLength: 12 },
  );
  test("every file can be read to its end, in pages that lose nothing", () => {
    const law = fc.property(lines, fc.integer({ min: 60, max: 30_000 }), (given, maxLength) => {
      expect(readAll(given, maxLength)).toEqual(given);
    });
    fc.assert(law, { numRuns: 30 });
  });
});

/** Reads a file as a model does: it follows what each page says. */
function readAll(lines: readonly string[], maxLength: number): readonly string[] {
  const found: string[] = [];
  let at: { readonly offset: number; readonly column: number } | undefined = { offset: 0, column: 0 };
  while (at !== undefined) {
    const { text, nextOffset, part }: ReturnType<typeof pageOf> = pageOf(lines, ask({ ...at, maxLength }));
    expect(text.length).toBeLessThanOrEqual(maxLength);
    for (const row of text.split("\n")) {
      const [, number, shown] = /^ *(\d+)(?:\.\d+)? {2}(.*)$/su.exec(row) ?? [];
      found[Number(number) - 1] = (found[Number(number) - 1] ?? "") + (shown ?? "");
    }
    if (part !== undefined && part.to < part.of) at = { offset: at.offset, column: part.to };
    else at = nextOffset === undefined ? undefined : { offset: nextOffset, column: 0 };
  }
  return found;
}

describe("characters", () => {
  test.each([
    ["a😀b", 2, "a", "b"],
    ["a😀b", 3, "a😀", "😀b"],
    ["abc", 9, "abc", "abc"],
  ])("%j is cut to %i units without half a pair", (text, length, first, last) => {
    expect([wholeCharacters(text, length), lastCharacters(text, length)]).toEqual([first, last]);
  });

  test("they are counted by code point", () => {
    expect(countCharacters("a😀b")).toBe(3);
  });
});
