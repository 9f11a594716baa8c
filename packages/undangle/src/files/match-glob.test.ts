import fc from "fast-check";
import picomatch from "picomatch";
import { describe, expect, test } from "vitest";

import { compileGlob } from "./match-glob.ts";

const tree = [
  "/.github/workflows/ci.yml",
  "/.hidden.py",
  "/.hidden/x.py",
  "/a.py",
  "/readme.md",
  "/sub/b.py",
  "/sub/nested/c.py",
];
const found = (pattern: string, base = "/"): readonly string[] => {
  const { matches } = compileGlob(pattern, { base });
  return tree.filter(matches);
};

describe("compileGlob", () => {
  test.each([
    ["*.py", ["/.hidden/x.py", "/a.py", "/sub/b.py", "/sub/nested/c.py"]],
    ["**/*.py", ["/a.py", "/sub/b.py", "/sub/nested/c.py"]],
    ["sub/*.py", ["/sub/b.py"]],
    ["sub/**/*.py", ["/sub/b.py", "/sub/nested/c.py"]],
    ["sub/**", ["/sub/b.py", "/sub/nested/c.py"]],
    ["/*.py", ["/a.py"]],
    ["./*.py", ["/a.py"]],
    ["a.py/**", []],
    ["sub", []],
    ["sub/", []],
    ["*.yml", ["/.github/workflows/ci.yml"]],
    ["**/*.yml", []],
    [".github/**/*.yml", ["/.github/workflows/ci.yml"]],
    [".*/**", ["/.github/workflows/ci.yml", "/.hidden/x.py"]],
    [".*.py", ["/.hidden.py"]],
    ["*.{py,md}", ["/.hidden/x.py", "/a.py", "/readme.md", "/sub/b.py", "/sub/nested/c.py"]],
    ["{sub,.hidden}/*.py", ["/.hidden/x.py", "/sub/b.py"]],
    ["?.py", ["/.hidden/x.py", "/a.py", "/sub/b.py", "/sub/nested/c.py"]],
    ["[ab].py", ["/a.py", "/sub/b.py"]],
    ["[!a].py", ["/.hidden/x.py", "/sub/b.py", "/sub/nested/c.py"]],
    ["[^a].py", ["/.hidden/x.py", "/sub/b.py", "/sub/nested/c.py"]],
    ["**", ["/a.py", "/readme.md", "/sub/b.py", "/sub/nested/c.py"]],
    ["**/**/**", ["/a.py", "/readme.md", "/sub/b.py", "/sub/nested/c.py"]],
    ["../a.py", []],
  ])("%j matches %j", (pattern, expected) => {
    expect(found(pattern)).toEqual(expected);
  });

  test("a pattern is relative to the directory that is searched", () => {
    expect(found("*.py", "/sub")).toEqual(["/sub/b.py", "/sub/nested/c.py"]);
    expect(found("nested/*", "/sub")).toEqual(["/sub/nested/c.py"]);
    expect(found("/sub/nested/*", "/sub")).toEqual(["/sub/nested/c.py"]);
    expect(found("/*.py", "/sub")).toEqual([]);
  });

  test.each([
    ["[", "/["],
    ["[ab", "/[ab"],
    ["a{b", "/a{b"],
    ["a{b,c", "/a{b,c"],
    ["{a}", "/{a}"],
    ["a}b", "/a}b"],
    ["(group)", "/(group)"],
    ["!a", "/!a"],
    ["+(a)", "/+(a)"],
    ["a|b", "/a|b"],
    ["$^.+", "/$^.+"],
    ["\\[id\\].tsx", "/[id].tsx"],
    ["\\*", "/*"],
    ["a\\", "/a\\"],
    ["[]]", "/]"],
    ["[a/b]", "/[a/b]"],
    ["?", "/😀"],
  ])("%j matches %j", (pattern, path) => {
    expect(compileGlob(pattern).matches(path)).toBe(true);
  });

  test("wildcards of a rule match names with a dot", () => {
    const { matches } = compileGlob("/secrets/**", { dot: true });
    expect(["/secrets/.env", "/secrets/.a/b", "/secrets/k", "/secrets", "/secretsx"].map(matches)).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
  });

  test("a dot after an empty wildcard is not explicit", () => {
    expect(compileGlob("*.py").matches("/.py")).toBe(false);
    expect(compileGlob("{*,a}.py").matches("/.py")).toBe(false);
  });

  test.each([
    ["sub/*.py", ["/", "/sub"]],
    ["**/*.py", ["/", "/sub", "/sub/nested"]],
    ["/sub/**", ["/", "/sub", "/sub/nested"]],
    ["*.py", ["/", "/.hidden", "/sub", "/sub/nested"]],
  ])("%j may match in %j", (pattern, expected) => {
    const { mayMatchIn } = compileGlob(pattern);
    expect(["/", "/.hidden", "/sub", "/sub/nested"].filter(mayMatchIn)).toEqual(expected);
  });

  test("it may match in the directories above the searched one", () => {
    const { mayMatchIn } = compileGlob("*.py", { base: "/sub/nested" });
    expect(["/", "/sub", "/sub/nested", "/sub/nested/x", "/other"].map(mayMatchIn)).toEqual([
      true,
      true,
      true,
      true,
      false,
    ]);
  });

  test.each([
    "{a,b}".repeat(30),
    "*a".repeat(100),
    "**/".repeat(100),
    `${"{a,".repeat(500)}b${"}".repeat(500)}`,
    "{".repeat(4000),
    "[".repeat(4000),
    "*".repeat(4000),
    `${"**/*a".repeat(50)}b`,
  ])("a catastrophic pattern ends (%#)", (pattern) => {
    const { matches } = compileGlob(pattern);
    for (const path of [`/${"a".repeat(255)}`, `/${"a/".repeat(120)}a`]) expect(matches(path)).toBeTypeOf("boolean");
  });

  test("it agrees with picomatch on common patterns", () => {
    const part = fc.constantFrom("a", "b", ".", "*", "?", "[ab]", "{a,b}");
    const segment = fc.oneof(
      { weight: 3, arbitrary: fc.array(part, { minLength: 1, maxLength: 4 }).map((all) => all.join("")) },
      { weight: 1, arbitrary: fc.constant("**") },
    );
    const patterns = fc
      .array(segment, { minLength: 2, maxLength: 4 })
      .map((all) => all.join("/"))
      .filter((text) => !/\*\*[^/]|[^/]\*\*|(?:^|\/)\.{1,2}(?:\/|$)|^\*\*\/\*\*/u.test(text));
    const name = fc.string({ unit: fc.constantFrom("a", "b", "."), minLength: 1, maxLength: 4 });
    const paths = fc.array(name, { minLength: 1, maxLength: 4 }).map((all) => all.join("/"));
    fc.assert(
      fc.property(patterns, paths, (pattern, path) => {
        fc.pre(!path.split("/").some((segment) => segment === "." || segment === ".."));
        const theirs = picomatch(pattern, { strictSlashes: true, nonegate: true, noextglob: true })(path);
        expect([pattern, path, compileGlob(pattern).matches(`/${path}`)]).toEqual([pattern, path, theirs]);
      }),
      { numRuns: 2000 },
    );
  });
});
