import { deepEqual, equal, match, rejects } from "node:assert/strict";

import { isRefused } from "../store-cases/store-case.ts";
import { type FilesCases, bytes, fill, globbed, grep, matches } from "./files-case.ts";

const tree = {
  "/a.py": "",
  "/sub/b.py": "",
  "/sub/nested/c.py": "",
  "/readme.md": "",
  "/.hidden.py": "",
  "/.hidden/x.py": "",
  "/.github/workflows/ci.yml": "",
};

const globs: readonly (readonly [pattern: string, found: readonly string[]])[] = [
  ["*.py", ["/.hidden/x.py", "/a.py", "/sub/b.py", "/sub/nested/c.py"]],
  ["**/*.py", ["/a.py", "/sub/b.py", "/sub/nested/c.py"]],
  ["sub/*.py", ["/sub/b.py"]],
  ["sub/**/*.py", ["/sub/b.py", "/sub/nested/c.py"]],
  ["/*.py", ["/a.py"]],
  ["a.py/**", []],
  ["*.yml", ["/.github/workflows/ci.yml"]],
  ["**/*.yml", []],
  [".github/**/*.yml", ["/.github/workflows/ci.yml"]],
  [".*.py", ["/.hidden.py"]],
  ["*.{py,md}", ["/.hidden/x.py", "/a.py", "/readme.md", "/sub/b.py", "/sub/nested/c.py"]],
  ["?.py", ["/.hidden/x.py", "/a.py", "/sub/b.py", "/sub/nested/c.py"]],
  ["[ab].py", ["/a.py", "/sub/b.py"]],
  ["[!a].py", ["/.hidden/x.py", "/sub/b.py", "/sub/nested/c.py"]],
  ["[^a].py", ["/.hidden/x.py", "/sub/b.py", "/sub/nested/c.py"]],
  ["[", []],
  ["{a", []],
  ["{a,b}".repeat(30), []],
  ["**/**/**/zzz", []],
];

/** Finding files and lines. */
export const searchCases: FilesCases = {
  "a glob finds the files that match, sorted by path": async (files) => {
    await fill(files, tree);
    for (const [pattern, expected] of globs) deepEqual([pattern, await globbed(files, pattern)], [pattern, expected]);
    deepEqual(await globbed(files, "*.py", "/sub"), ["/sub/b.py", "/sub/nested/c.py"]);
    deepEqual(await globbed(files, "nested/*", "/sub"), ["/sub/nested/c.py"]);
  },

  "brackets and braces without an end are literal": async (files) => {
    await fill(files, { "/[a": "", "/{b": "", "/(c)": "" });
    for (const name of ["[a", "{b", "(c)"]) deepEqual(await globbed(files, name), [`/${name}`]);
  },

  "a search starts in an existing directory": async (files) => {
    await fill(files, { "/a": "x" });
    await isRefused(files.glob({ pattern: "*", path: "/no" }), "file/missing", { path: "/no" });
    await isRefused(files.glob({ pattern: "*", path: "/a" }), "file/not-directory", { path: "/a" });
    await isRefused(grep(files, "x", { path: "/no" }), "file/missing", { path: "/no" });
    deepEqual(matches(await grep(files, "x", { path: "/a" })), ["/a:1"]);
  },

  "a search shows only what is visible": async (files) => {
    await fill(files, { "/s/a": "x", "/s/t/b": "x", "/c": "x" });
    const isVisible = (path: string): boolean => path !== "/s/t" && path !== "/c";
    deepEqual(matches(await grep(files, "x", { isVisible })), ["/s/a:1"]);
    deepEqual(
      (await files.glob({ pattern: "*", path: "/", isVisible })).files.map(({ path }) => path),
      ["/s/a"],
    );
  },

  "a literal text is no pattern": async (files) => {
    await fill(files, { "/a": "foo|bar\nfoo\nf.o\n$& -e --\n" });
    deepEqual(matches(await grep(files, "foo|bar")), ["/a:1"]);
    deepEqual(matches(await grep(files, "f.o")), ["/a:3"]);
    deepEqual(matches(await grep(files, "$&")), ["/a:4"]);
    deepEqual(matches(await grep(files, "-e")), ["/a:4"]);
    deepEqual(matches(await grep(files, "--")), ["/a:4"]);
    deepEqual(matches(await grep(files, "foo\nf")), []);
  },

  "a regular expression is one if the caller says so": async (files) => {
    await fill(files, { "/a": "foo\nbar\nBAR\n", "/b/c": "fao\n" });
    deepEqual(matches(await grep(files, "f.o|bar$", { isRegex: true })), ["/a:1", "/a:2", "/b/c:1"]);
    deepEqual(matches(await grep(files, "^(?=b)", { isRegex: true })), ["/a:2"]);
    await isRefused(grep(files, "(", { isRegex: true }), "file/failed");
  },

  "lines end with \\n, \\r\\n and \\r only": async (files) => {
    await fill(files, { "/a": "one\r\ntwo\rthree\u2028x\n\n\tfour\u000b\n" });
    const { files: found } = await grep(files, "", { isRegex: true });
    deepEqual(
      found.flatMap(({ lines }) => lines.map(({ text }) => text)),
      ["one", "two", "three\u2028x", "", "\tfour\u000b"],
    );
  },

  "lines around a match are shown once": async (files) => {
    await fill(files, { "/a": "1\nx2\n3\nx4\n5\n6\n7\nx8\n" });
    const { files: found } = await grep(files, "x", { context: 1 });
    deepEqual(
      found.map(({ count, lines }) => [count, lines.map(({ number, isMatch }) => (isMatch ? number : -number))]),
      [[3, [-1, 2, -3, 4, -5, -7, 8]]],
    );
  },

  "the files of a search can be limited by a pattern relative to its path": async (files) => {
    await fill(files, { "/sub/a.py": "x", "/sub/b.md": "x", "/sub/t/c.py": "x" });
    deepEqual(matches(await grep(files, "x", { glob: "sub/*.py" })), ["/sub/a.py:1"]);
    deepEqual(matches(await grep(files, "x", { glob: "t/*.py", path: "/sub" })), ["/sub/t/c.py:1"]);
    deepEqual(matches(await grep(files, "x", { glob: "*.py" })), ["/sub/a.py:1", "/sub/t/c.py:1"]);
  },

  "a search ends at its limit, and says so only if there is more": async (files) => {
    await fill(files, { "/a": "x\nx\n", "/b": "x\n" });
    for (const isRegex of [false, true]) {
      const counts = async (maxCount: number): Promise<unknown> => {
        const { files: found, isCut } = await grep(files, "x", { maxCount, isRegex });
        return [found.map(({ count }) => count), isCut];
      };
      deepEqual(await counts(3), [[2, 1], false]);
      deepEqual(await counts(2), [[2], true]);
      deepEqual(await counts(1), [[1], true]);
    }
  },

  "files that are not text are skipped and counted": async (files) => {
    await fill(files, { "/a": "x\n", "/nul": "x\u0000\n" });
    await files.write("/latin", Uint8Array.of(0x78, 0xe9, 0x0a));
    for (const isRegex of [false, true]) {
      const found = await grep(files, "x", { isRegex });
      deepEqual(matches(found), ["/a:1"]);
      equal(found.skipped, 2);
    }
  },

  "names with a dot are searched": async (files) => {
    await fill(files, { "/.env": "x", "/.git/config": "x", "/.gitignore": "*", "/node_modules/a": "x" });
    deepEqual(matches(await grep(files, "x")), ["/.env:1", "/.git/config:1", "/node_modules/a:1"]);
  },

  "a file that was just written is found": async (files) => {
    await files.write("/d/a", bytes("needle"));
    deepEqual(matches(await grep(files, "needle")), ["/d/a:1"]);
    deepEqual(await globbed(files, "a"), ["/d/a"]);
  },

  "a search that is aborted rejects": async (files) => {
    await fill(files, { "/a": "x" });
    const signal = AbortSignal.abort(new Error("stopped"));
    await rejects(
      grep(files, "x", { signal }),
      (error) => error instanceof Error && (match(error.message, /stopped/u), true),
    );
  },

  "a catastrophic regular expression ends when its signal aborts, and the next search works": async (files) => {
    await fill(files, { "/a": `${"a".repeat(40)}!` });
    await rejects(grep(files, "^(a+)+$", { isRegex: true, signal: AbortSignal.timeout(300) }));
    deepEqual(matches(await grep(files, "a!$", { isRegex: true })), ["/a:1"]);
  },
};
