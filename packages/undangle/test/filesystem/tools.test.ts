import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describe, expect, onTestFinished, test } from "vitest";
import { diskFiles, memoryFiles, stateFiles } from "#files";
import type { FileBackend } from "#files";

import { numberedLines, onFiles, resultOf, textIn } from "./file-stage.ts";
import type { Called, FileStageOptions } from "./file-stage.ts";

type Files = Readonly<Record<string, string | Uint8Array>>;
type Row = readonly [row: string, files: Files, call: Called, expected: string | RegExp];

const read = (args: Record<string, unknown>): Called => ["read_file", { file_path: "/f", ...args }];
const edit = (old_string: string, new_string: string, more: Record<string, unknown> = {}): Called => [
  "edit_file",
  { file_path: "/f", old_string, new_string, ...more },
];

const rows: readonly Row[] = [
  ["P1 a relative path", { "/foo/bar": "x" }, ["read_file", { file_path: "foo/bar" }], "1  x"],
  ["P2 dots and slashes", { "/foo/bar": "x" }, ["read_file", { file_path: "/./foo//bar/" }], "1  x"],
  ["P3 two slashes in front", { "/foo": "x" }, ["read_file", { file_path: "//foo" }], "1  x"],
  ["P5 the parent", {}, ["read_file", { file_path: "/a/../b" }], /^!The path "\/a\/\.\.\/b" cannot be used/u],
  ["P6 dots in names", { "/foo..bar": "x" }, ["read_file", { file_path: "foo..bar" }], "1  x"],
  ["P7 the home directory", {}, ["ls", { path: "~/x" }], /^!The path "~\/x" cannot be used/u],
  ["P8 a drive", {}, ["write_file", { file_path: "C:\\x", content: "" }], /^!The path "C:/u],
  ["P9 a backslash", { "/a/b": "x" }, ["read_file", { file_path: "a\\b" }], "1  x"],
  ["P10 NUL", {}, ["read_file", { file_path: "/a\u0000" }], /^!The path/u],
  ["P12 a long path", {}, ["read_file", { file_path: `/${"a".repeat(5000)}` }], /^!The path .* 4096/su],
  ["P14 no path", {}, ["read_file", {}], /^!read_file was not executed/u],
  ["P14 a number", {}, ["read_file", { file_path: 5 }], /^!read_file was not executed/u],

  ["C11 path for file_path", { "/f": "x" }, ["read_file", { path: "/f" }], "1  x"],
  ["unknown arguments are refused", { "/f": "x" }, read({ lines: 5 }), /^!read_file was not executed/u],
  ["numbers as text", { "/f": numberedLines(3) }, read({ offset: "1", limit: "1" }), /^2 {2}l2\n/u],
  ["other texts are not numbers", { "/f": "x" }, read({ offset: "two" }), /^!read_file was not executed/u],
  ["numbers as text only for offset and limit", { "/f": "x" }, read({ column: "1" }), /^!read_file was not executed/u],

  ["L1 an empty directory", {}, ["ls"], "/ is empty."],
  ["L2 missing", {}, ["ls", { path: "/x" }], "!There is no file or directory /x."],
  ["L3 a file", { "/f": "" }, ["ls", { path: "/f" }], "!/f is not a directory."],
  [
    "L6 directories first, once",
    { "/d/a": "1", "/d/b": "22", "/a.txt": "333", "/é": "" },
    ["ls"],
    "d/\na.txt (3 bytes)\né (0 bytes)",
  ],

  ["RF1", { "/f": "l1\nl2\nl3\n" }, read({}), "1  l1\n2  l2\n3  l3"],
  [
    "RF2",
    { "/f": numberedLines(250) },
    read({}),
    /100 {2}l100\n\n\[Lines 1-100 of 250\. Continue with offset 100\.\]$/u,
  ],
  ["RF3", { "/f": numberedLines(250) }, read({ offset: 100, limit: 100 }), /^101 {2}l101\n.*offset 200\.\]$/su],
  [
    "RF4 at the end",
    { "/f": numberedLines(250) },
    read({ offset: 250 }),
    "!The offset 250 is past the end: /f has 250 lines.",
  ],
  [
    "RF4 after it",
    { "/f": numberedLines(1) },
    read({ offset: 300 }),
    "!The offset 300 is past the end: /f has 1 line.",
  ],
  [
    "RF5",
    { "/f": "a\n" },
    read({ offset: -3 }),
    "1  a\n\n[The offset -3 is before the first line. Reading started at line 1.]",
  ],
  ["RF6 no lines", { "/f": "a\nb\n" }, read({ limit: 0 }), "No lines were requested: the limit is 0. /f has 2 lines."],
  ["RF6 an empty file", { "/f": "" }, read({ limit: 0 }), "/f exists and is empty."],
  ["RF7 an empty file", { "/f": "" }, read({}), "/f exists and is empty."],
  ["RF7 a blank line", { "/f": "\n" }, read({}), "1  "],
  ["RF12", { "/f": "a\r\nb\r\n" }, read({}), "1  a\n2  b"],
  ["RF13", { "/f": "\ta\u2028b\v\fc" }, read({}), "1  \ta\u2028b\v\fc"],
  ["RF16", { "/f": new Uint8Array([0xff, 0xfe, 0x61]) }, read({}), /^!\/f is not text/u],
  ["RF17 missing", {}, read({}), "!There is no file or directory /f."],
  ["RF17 a directory", { "/f/a": "" }, read({}), "!/f is a directory, not a file."],

  ["W1 creates", {}, ["write_file", { file_path: "/a/b", content: "x" }], "Created /a/b."],
  ["W1 replaces", { "/f": "x" }, ["write_file", { file_path: "/f", content: "y" }], "Replaced /f."],
  ["W2 nothing", {}, ["write_file", { file_path: "/f", content: "" }], "Created /f."],
  [
    "W3 a directory",
    { "/f/a": "" },
    ["write_file", { file_path: "/f", content: "x" }],
    "!/f is a directory, not a file.",
  ],

  ["E1", { "/f": "a b" }, edit("a", "x"), "Replaced 1 occurrence in /f."],
  ["E2", { "/f": "a b" }, edit("x", "y"), "!old_string was not found in /f."],
  ["E2 white space", { "/f": "a  b" }, edit("a b", "y"), /^!old_string was not found in \/f\. .*white space/u],
  ["E3", { "/f": "a a" }, edit("a", "x"), /^!old_string occurs 2 times in \/f\./u],
  ["E4", { "/f": "a a" }, edit("a", "x", { replace_all: true }), "Replaced 2 occurrences in /f."],
  ["E5", { "/f": "a" }, edit("a", "a"), "!old_string and new_string are the same. Nothing was changed."],
  ["E6", { "/f": "" }, edit("", "a"), "Replaced 1 occurrence in /f."],
  ["E6 with content", { "/f": "a" }, edit("", "b"), /^!old_string is empty/u],
  ["E9", { "/f": "foo\n" }, edit("12  foo", "b"), /line numbers of read_file are not part of the file/u],
  ["E12", {}, edit("a", "b"), "!There is no file or directory /f."],
  ["an edit of bytes that are not UTF-8", { "/f": new Uint8Array([0xff]) }, edit("a", "b"), /^!\/f is not text/u],

  ["D1", { "/f": "" }, ["delete", { file_path: "/f" }], "Deleted /f."],
  ["D2", { "/d/a": "", "/d/e/b": "" }, ["delete", { file_path: "/d" }], "Deleted /d with 2 files."],
  ["D3", {}, ["delete", { file_path: "/f" }], "!There is no file or directory /f."],
  ["D5", { "/f": "" }, ["delete", { file_path: "/" }], "!/ cannot be deleted. Delete what it contains."],

  ["G4 sorted", { "/b.py": "", "/a/c.py": "", "/x": "" }, ["glob", { pattern: "*.py" }], "/a/c.py\n/b.py"],
  ["G5 nothing", {}, ["glob", { pattern: "*.py" }], "Nothing in / matches *.py"],
  ["G7 odd patterns", { "/a": "" }, ["glob", { pattern: "[{" }], "Nothing in / matches [{"],
  ["C20 in a directory", { "/a.py": "", "/s/b.py": "" }, ["glob", { pattern: "*.py", path: "/s" }], "/s/b.py"],

  [
    "GR1 literal",
    { "/f": "foo|bar\nfoo" },
    ["grep", { pattern: "foo|bar", output_mode: "content" }],
    "/f:\n  1: foo|bar",
  ],
  [
    "GR1 a hint",
    { "/f": "foo" },
    ["grep", { pattern: "f.o" }],
    /^Nothing in \/ matches f\.o\n\[The pattern is literal text/u,
  ],
  ["regex", { "/f": "foo" }, ["grep", { pattern: "f.o", regex: true }], "/f"],
  [
    "GR2 long lines",
    { "/f": "x".repeat(1500) },
    ["grep", { pattern: "x", output_mode: "content" }],
    /x… \[500 more characters\]$/u,
  ],
  ["count", { "/f": "x\nx\ny", "/g": "x" }, ["grep", { pattern: "x", output_mode: "count" }], "/f: 2\n/g: 1"],
  [
    "context",
    { "/f": "a\nb\nc" },
    ["grep", { pattern: "b", output_mode: "content", context: 1 }],
    "/f:\n  1- a\n  2: b\n  3- c",
  ],
  [
    "GR3 glob",
    { "/p/sub/a.py": "x", "/p/a.py": "x" },
    ["grep", { pattern: "x", path: "/p", glob: "sub/*.py" }],
    "/p/sub/a.py",
  ],
  ["GR4 at the limit", { "/f": "x\n".repeat(1000) }, ["grep", { pattern: "x", output_mode: "count" }], "/f: 1000"],
  [
    "GR4 over the limit",
    { "/f": "x\n".repeat(1001) },
    ["grep", { pattern: "x", output_mode: "count" }],
    /^\/f: 1000\n\[The first 1000 matches/u,
  ],
  ["GR9 no pattern", {}, ["grep", { pattern: "" }], /^!grep was not executed/u],
];

/** A directory of the disk with these files, which is removed after the test. */
async function filesOnDisk(files: Files): Promise<FileBackend> {
  const root = await mkdtemp(join(tmpdir(), "undangle-"));
  onTestFinished(async () => rm(root, { recursive: true, force: true }));
  const backend = diskFiles(root);
  for (const [path, content] of Object.entries(files))
    await backend.write(path, typeof content === "string" ? new TextEncoder().encode(content) : content);
  return backend;
}

describe.each<[string, (files: Files) => Promise<Omit<FileStageOptions, "turns">>]>([
  ["memory", async (files) => ({ backend: memoryFiles(files) })],
  ["a disk", async (files) => ({ backend: await filesOnDisk(files) })],
  ["the thread", async (files) => ({ backend: stateFiles(), threadFiles: files })],
])("the tools on %s", (_backend, open) => {
  test.each(rows)("%s", async (_, files, call, expected) => {
    const result = await resultOf(call, await open(files));
    const shown = typeof expected === "string" || !expected.test(result) ? result : expected;
    expect(shown).toEqual(expected);
    expect(result).not.toContain(tmpdir());
  });
});

describe("the tools", () => {
  test("they are offered in their order, with delete, and without execute", async () => {
    const { model } = await onFiles({ turns: [] });
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(
      "ls read_file write_file edit_file delete glob grep".split(" "),
    );
  });

  test("RF8, RF9, RF10 and RF11: a file of one very long line can be read to its end", async () => {
    const backend = memoryFiles({ "/f": `${"x".repeat(100_000)}\nend\n` });
    const first = await resultOf(["read_file", { file_path: "/f" }], { backend });
    expect(first.length).toBeLessThanOrEqual(80_000);
    const [, column] = /Continue with offset 0 and column (\d+), or use grep\.\]$/u.exec(first) ?? [];
    const second = await resultOf(["read_file", { file_path: "/f", column: Number(column) }], { backend });
    expect(second.endsWith("2  end")).toBe(true);
  });

  test("RF14 media come beside a short text, also with limit 0", async () => {
    const files = { "/a.png": new Uint8Array([137, 80, 78, 71]), "/a.svg": "<svg/>", "/a.pdf": "%PDF" };
    const { results } = await onFiles({
      files,
      turns: [
        [
          ["read_file", { file_path: "/a.png", limit: 0 }],
          ["read_file", { file_path: "/a.svg" }],
          ["read_file", { file_path: "/a.pdf" }],
        ],
      ],
    });
    expect(results).toMatchObject([
      [
        { type: "text", text: "/a.png (image/png, 4 bytes)" },
        { type: "media", kind: "image", mediaType: "image/png" },
      ],
      "1  <svg/>",
      [{ type: "text" }, { type: "media", kind: "file", mediaType: "application/pdf", name: "a.pdf" }],
    ]);
  });

  test("E7, RF12: an edit keeps the line ends of the file, and its byte order mark", async () => {
    const backend = memoryFiles({ "/f": "\uFEFFa\r\nb\r\n" });
    expect(await resultOf(edit("a\nb", "$&\nb"), { backend })).toBe("Replaced 1 occurrence in /f.");
    expect(await textIn(backend, "/f")).toBe("\uFEFF$&\r\nb\r\n");
  });

  test("E11, W4: parallel edits of one file both take effect", async () => {
    const backend = memoryFiles({ "/f": "a b" });
    const { results } = await onFiles({ backend, turns: [[edit("a", "x"), edit("b", "y")]] });
    expect(results).toEqual(["Replaced 1 occurrence in /f.", "Replaced 1 occurrence in /f."]);
    expect(await textIn(backend, "/f")).toBe("x y");
  });

  test("E11, W4: also in the thread, where what a call writes is saved with its result", async () => {
    const { agent, results } = await onFiles({
      backend: stateFiles(),
      threadFiles: { "/f": "a b" },
      turns: [[edit("a", "x"), edit("b", "y"), ["write_file", { file_path: "/g", content: "new" }]]],
    });
    expect(results).toEqual(["Replaced 1 occurrence in /f.", "Replaced 1 occurrence in /f.", "Created /g."]);
    const thread = agent.thread("t");
    const texts = await Promise.all(
      ["/f", "/g"].map(async (path) => String(Buffer.from((await thread.readFile(path)) ?? []))),
    );
    expect(texts).toEqual(["x y", "new"]);
  });

  test("E10 mustRead", async () => {
    const backend = memoryFiles({ "/f": "a b" });
    const turns = [[edit("a", "x")], [["read_file", { file_path: "/f" }]], [edit("a", "x")], [edit("b", "y")]] as const;
    const { results } = await onFiles({ backend, mustRead: true, turns });
    expect(results).toEqual([
      "/f was not read since it last changed. Read it before you edit it.",
      "1  a b",
      "Replaced 1 occurrence in /f.",
      "Replaced 1 occurrence in /f.",
    ]);
  });

  test("E10 mustRead notices a change of another program", async () => {
    const backend = memoryFiles({ "/f": "a b" });
    let turn = 0;
    const other = {
      name: "other",
      afterModel: async () => void (await backend.write("/f", new TextEncoder().encode(`a ${turn++}`))),
    };
    const turns = [[["read_file", { file_path: "/f" }]], [edit("a", "x")]] as const;
    const { results } = await onFiles({ backend, mustRead: true, turns, agent: { middleware: [other] } });
    expect(results[1]).toBe("/f was not read since it last changed. Read it before you edit it.");
  });

  test("L5, G3: long lists are cut at a whole line, with a note", async () => {
    const files = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`/${"n".repeat(40)}${i}`, ""]));
    for (const call of [["ls"], ["glob", { pattern: "*" }]] as const) {
      const result = await resultOf(call, { files });
      expect(result.length).toBeLessThanOrEqual(80_000);
      expect(result).toMatch(/\n\[\d+ more (?:entries|files) are not shown\./u);
    }
  });

  test("GR8 a file that a sibling has written is found", async () => {
    const { results } = await onFiles({
      turns: [[["write_file", { file_path: "/new", content: "needle" }]], [["grep", { pattern: "needle" }]]],
    });
    expect(results[1]).toBe("/new");
  });

  test("texts and descriptions are Chinese for an agent that speaks Chinese", async () => {
    const { results, model } = await onFiles({
      agent: { language: "zh" },
      turns: [[["ls"], ["read_file", { file_path: "/x" }], ["read_file", { file_path: "/../x" }]]],
    });
    expect(results[0]).toBe("/ 是空目录。");
    expect(results[1]).toBe("没有文件或目录 /x。");
    expect(String(results[2])).toMatch(/^路径 .*不可用/u);
    expect(model.requests[0]?.tools.every(({ description = "" }) => /[\u4e00-\u9fff]/u.test(description))).toBe(true);
    expect(model.requests[0]?.tools).toBe(model.requests[1]?.tools);
  });
});
