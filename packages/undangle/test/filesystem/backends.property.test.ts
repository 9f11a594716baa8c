import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { compositeFiles, diskFiles, memoryFiles, stateFiles, storeFiles } from "#files";
import type { FileBackendSource } from "#files";
import { memoryStore } from "#store";
import fc from "fast-check";
import { expect, test } from "vitest";

import { onFiles } from "./file-stage.ts";
import type { Called } from "./file-stage.ts";

const path = fc.constantFrom(
  "/a",
  "/a/b",
  "/a/b/c.txt",
  "/m/x.txt",
  "m/./y",
  "//d.txt",
  "\\e",
  "/é",
  "/",
  "/../x",
  "~",
);
const content = fc.constantFrom(
  "",
  "x",
  "x\ny\n",
  "x\r\ny\r\n",
  "x\ny\r\n",
  "a\n".repeat(120),
  "$& x",
  "z".repeat(6_000),
);
const call: fc.Arbitrary<Called> = fc.oneof(
  path.map((each): Called => ["ls", { path: each }]),
  fc
    .record({ file_path: path, offset: fc.integer({ min: -2, max: 3 }), limit: fc.integer({ min: 0, max: 200 }) })
    .map((args): Called => ["read_file", args]),
  fc.record({ file_path: path, content }).map((args): Called => ["write_file", args]),
  fc
    .record({
      file_path: path,
      old_string: fc.constantFrom("x", "x\ny", "", "1  x", "nothing", "a"),
      new_string: fc.constantFrom("y", "$&\n$1", ""),
      replace_all: fc.boolean(),
    })
    .map((args): Called => ["edit_file", args]),
  // A disk keeps the directory of the last file that is deleted.
  fc.constantFrom("/a", "/d.txt", "/e", "/é", "/none", "/").map((each): Called => ["delete", { file_path: each }]),
  fc
    .record({ pattern: fc.constantFrom("*", "**", "*.txt", "/a/**", "{*,b/*}", "[", "?"), path })
    .map((args): Called => ["glob", args]),
  fc
    .record({
      pattern: fc.constantFrom("x", "y", "f.o"),
      path,
      output_mode: fc.constantFrom("content", "count", "files_with_matches"),
      context: fc.constantFrom(0, 1),
    })
    .map((args): Called => ["grep", args]),
);

/** Spec 15.2: the same calls have the same outcome and the same text in every backend. */
test("every backend gives the same results", { timeout: 240_000 }, async () => {
  const law = fc.asyncProperty(fc.array(call, { minLength: 4, maxLength: 14 }), async (calls) => {
    const root = mkdtempSync(join(tmpdir(), "undangle-same-"));
    try {
      const backends: Readonly<Record<string, FileBackendSource>> = {
        memory: memoryFiles(),
        disk: diskFiles(root),
        thread: stateFiles(),
        store: storeFiles({ store: memoryStore(), namespace: ["n"] }),
        composite: compositeFiles(memoryFiles(), { "/zzz": memoryFiles() }),
      };
      const turns = calls.map((each) => [each]);
      const texts: Record<string, readonly string[]> = {};
      for (const [name, backend] of Object.entries(backends)) {
        const { calls: made } = await onFiles({ backend, turns });
        texts[name] = made.map(({ name: tool, status, result, error }) =>
          withoutRoute(`${tool} ${status} ${typeof result === "string" ? result : String(error)}`),
        );
      }
      const { memory, ...others } = texts;
      for (const [name, own] of Object.entries(others)) expect({ [name]: own }).toEqual({ [name]: memory });
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });
  await expect(fc.assert(law, { numRuns: 30 })).resolves.toBeUndefined();
});

/** The list of the root without the route of the composite. A root with nothing else is empty. */
const withoutRoute = (text: string): string =>
  text
    .replace(/^(ls succeeded )zzz\/$/u, "$1/ is empty.")
    .replace(/^(ls succeeded .*?)\nzzz\//su, "$1")
    .replace(/^(ls succeeded )zzz\/\n/u, "$1");
