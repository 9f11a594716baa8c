import { describe, expect, test } from "vitest";

import type { GrepQuery } from "./file-backend.ts";
import { memoryFiles } from "./memory-files.ts";

const text = (data: Uint8Array): string => new TextDecoder().decode(data);
const bytes = (content: string): Uint8Array => new TextEncoder().encode(content);
const query = (pattern: string, rest: Partial<GrepQuery> = {}): GrepQuery => ({
  pattern,
  isRegex: false,
  path: "/",
  context: 0,
  maxCount: 1000,
  ...rest,
});

describe("flatFiles", () => {
  test("a directory exists while there is a file in it", async () => {
    const files = memoryFiles({ "/d/e/a.txt": "a" });
    expect(await files.list("/")).toEqual([{ path: "/d", type: "directory" }]);
    expect(await files.stat("/d/e")).toEqual({ path: "/d/e", type: "directory" });
    await files.delete?.("/d/e/a.txt");
    expect(await files.stat("/d")).toBeUndefined();
    await expect(files.list("/d")).rejects.toThrow("There is no file or directory /d.");
  });

  test("a file and a directory never have the same path", async () => {
    const files = memoryFiles({ "/a/b": "x" });
    await expect(files.write("/a", bytes(""))).rejects.toThrow("/a is a directory, not a file.");
    await expect(files.write("/a/b/c", bytes(""))).rejects.toThrow("/a/b is not a directory.");
  });

  test("a name in another spelling is refused", async () => {
    const files = memoryFiles({ "/caf\u00e9/a": "x" });
    await expect(files.write("/cafe\u0301/b", bytes(""))).rejects.toThrow("another Unicode spelling");
    await expect(files.write("/caf\u00e9/b", bytes(""))).resolves.toEqual({ isCreated: true });
  });

  test("updates of one file run one after the other", async () => {
    const files = memoryFiles({ "/a": "" });
    await Promise.all(Array.from("abcdef", (letter) => files.update("/a", (data) => bytes(text(data) + letter))));
    expect(text(await files.read("/a"))).toBe("abcdef");
  });

  test("a search finds lines with the lines around them", async () => {
    const files = memoryFiles({ "/a.txt": "one\r\ntwo\rthree\nfour\u2028x\nfive\n", "/b.bin": "two\u0000" });
    const result = await files.grep(query("t", { context: 1 }));
    expect(result).toEqual({
      files: [
        {
          path: "/a.txt",
          count: 2,
          lines: [
            { number: 1, text: "one", isMatch: false },
            { number: 2, text: "two", isMatch: true },
            { number: 3, text: "three", isMatch: true },
            { number: 4, text: "four\u2028x", isMatch: false },
          ],
        },
      ],
      isCut: false,
      skipped: 1,
      failures: [],
    });
  });

  test("a search ends at its limit, and says so only if there is more", async () => {
    const files = memoryFiles({ "/a": "x\nx\n", "/b": "x\n" });
    const counts = async (maxCount: number): Promise<unknown> => {
      const { files: found, isCut } = await files.grep(query("x", { maxCount }));
      return [found.map(({ count }) => count), isCut];
    };
    expect(await counts(3)).toEqual([[2, 1], false]);
    expect(await counts(2)).toEqual([[2], true]);
    expect(await counts(1)).toEqual([[1], true]);
  });

  test("a search sees only what is visible", async () => {
    const files = memoryFiles({ "/s/a": "x", "/s/t/b": "x", "/c": "x" });
    const isVisible = (path: string): boolean => path !== "/s/t";
    const found = await files.grep(query("x", { isVisible }));
    expect(found.files.map(({ path }) => path)).toEqual(["/c", "/s/a"]);
    const globbed = await files.glob({ pattern: "*", path: "/", isVisible });
    expect(globbed.files.map(({ path }) => path)).toEqual(["/c", "/s/a"]);
  });

  test("an invalid regular expression is an error that names the fault", async () => {
    await expect(memoryFiles().grep(query("(", { isRegex: true }))).rejects.toThrow("not a regular expression");
  });
});
