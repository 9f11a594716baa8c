import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { canonicalPath, comparablePath } from "./canonical-path.ts";

const reasonOf = (text: string): unknown => {
  const { error } = canonicalPath(text);
  return error?.is("file/path") === true ? error.data.reason : undefined;
};

describe("canonicalPath", () => {
  test.each([
    ["foo/bar", "/foo/bar"],
    ["/./foo//bar/", "/foo/bar"],
    ["//secrets/k", "/secrets/k"],
    ["///secrets/k", "/secrets/k"],
    ["/./secrets/k", "/secrets/k"],
    ["/secrets/./k", "/secrets/k"],
    ["/", "/"],
    [".", "/"],
    ["./", "/"],
    ["foo..bar.txt", "/foo..bar.txt"],
    ["..hidden", "/..hidden"],
    ["a/...", "/a/..."],
    ["/a/~b", "/a/~b"],
    ["/x~", "/x~"],
    ["a\\b", "/a/b"],
    ["\\a", "/a"],
    ["/a b/ c", "/a b/ c"],
    ["/．．/x", "/．．/x"],
    ["/a／b", "/a／b"],
    ["/e\u0301", "/e\u0301"],
    [`/${"a".repeat(255)}`, `/${"a".repeat(255)}`],
  ])("%j becomes %j", (text, path) => {
    expect(canonicalPath(text)).toEqual({ path });
  });

  test.each([
    ["", "empty"],
    ["..", "parent"],
    ["/a/../b", "parent"],
    ["a\\..\\b", "parent"],
    ["/a/..", "parent"],
    ["~", "home"],
    ["~/x", "home"],
    ["~root/x", "home"],
    ["C:\\x", "drive"],
    ["c:/x", "drive"],
    ["\\\\host\\share", "drive"],
    ["//?/C:/x", "drive"],
    ["a\u0000b", "control-character"],
    ["a\nb", "control-character"],
    ["a\ud800", "lone-surrogate"],
    ["a/".repeat(2500), "too-long"],
    ["a".repeat(300), "segment-too-long"],
    ["é".repeat(128), "segment-too-long"],
    ["€".repeat(86), "segment-too-long"],
  ])("%j is refused: %s", (text, reason) => {
    expect(reasonOf(text)).toBe(reason);
  });

  test("the error shows the limit", () => {
    expect(canonicalPath("a".repeat(300)).error?.message).toContain("255 bytes");
    expect(canonicalPath("a/".repeat(3000)).error?.message).toContain("4096 characters");
  });

  test("a value that is not a text is refused", () => {
    expect(reasonOf(JSON.parse("5") as string)).toBe("empty"); // a caller without types
  });

  test("a canonical path is its own canonical path, and has no segment to fold", () => {
    const parts = fc.constantFrom("a", "/", "\\", ".", "..", "~", "C:", "é", "e\u0301", "😀", "?", "．", " ");
    const texts = fc.array(parts, { minLength: 1, maxLength: 12 }).map((all) => all.join(""));
    fc.assert(
      fc.property(texts, (text) => {
        const { path } = canonicalPath(text);
        if (path === undefined) return;
        expect(canonicalPath(path)).toEqual({ path });
        expect(path).toMatch(/^\/(?!\/)/u);
        expect(path.split("/").filter((segment) => segment === "." || segment === "..")).toEqual([]);
      }),
    );
  });
});

describe("comparablePath", () => {
  test("two spellings of a name compare as equal", () => {
    expect(comparablePath("/caf\u0065\u0301")).toBe(comparablePath("/caf\u00e9"));
  });
});
