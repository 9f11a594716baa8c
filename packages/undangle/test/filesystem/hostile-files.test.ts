import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { diskFiles, memoryFiles, stateFiles } from "#files";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { onFiles, resultOf } from "./file-stage.ts";
import type { Called } from "./file-stage.ts";

let root: string;
beforeEach(() => void (root = mkdtempSync(join(tmpdir(), "undangle-hostile-"))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

const timeout = 60_000;

describe("files that a program made to cause harm", () => {
  test("a huge sparse file, a pipe with the name of a text, and odd names", { timeout }, async () => {
    writeFileSync(join(root, "huge.txt"), "");
    truncateSync(join(root, "huge.txt"), 2 ** 40);
    execFileSync("mkfifo", [join(root, "a.txt"), join(root, "a.png")]);
    writeFileSync(join(root, "new\nline"), "needle");
    writeFileSync(join(root, "b.txt"), "needle");
    const backend = diskFiles(root);
    const each = (call: Called): Promise<string> => resultOf(call, { backend });
    expect(await each(["read_file", { file_path: "/huge.txt" }])).toMatch(/^!\/huge\.txt has 1099511627776 bytes/u);
    for (const file_path of ["/a.txt", "/a.png"]) {
      expect(await each(["read_file", { file_path }])).toMatch(/a device, a pipe or a socket/u);
      expect(await each(["edit_file", { file_path, old_string: "a", new_string: "b" }])).toMatch(/^!/u);
      expect(await each(["write_file", { file_path, content: "" }])).toMatch(/^!/u);
    }
    expect(await each(["ls"])).toBe(
      "a.png (0 bytes)\na.txt (0 bytes)\nb.txt (6 bytes)\nhuge.txt (1099511627776 bytes)",
    );
    expect(await each(["grep", { pattern: "needle" }])).toMatch(/^\/b\.txt\n/u);
  });

  test.runIf(process.platform === "linux")(
    "a path of a thousand directories opens one at a time",
    { timeout },
    async () => {
      const path = "/d".repeat(1_000);
      const backend = diskFiles(root);
      let most = 0;
      const timer = setInterval(() => {
        most = Math.max(most, readdirSync("/proc/self/fd").length);
      }, 1);
      const before = readdirSync("/proc/self/fd").length;
      await Promise.all(Array.from({ length: 5 }, (_, i) => backend.write(`${path}/${i}`, new Uint8Array([120]))));
      clearInterval(timer);
      expect(most - before).toBeLessThan(60);
      expect(await resultOf(["read_file", { file_path: `${path}/3` }], { backend })).toBe("1  x");
    },
  );

  test("a directory with 20,000 entries is cut", { timeout }, async () => {
    mkdirSync(join(root, "d"));
    for (let i = 0; i < 20_000; i++) writeFileSync(join(root, `d/${i}`), "");
    const backend = diskFiles(root);
    for (const call of [
      ["ls", { path: "/d" }],
      ["glob", { pattern: "*" }],
    ] as const) {
      const result = await resultOf(call, { backend });
      expect(result.length).toBeLessThanOrEqual(80_000);
      expect(result).toMatch(/more (?:entries|files) are not shown/u);
    }
  });

  test.each(["\n", "\r\n", "x\n", "x"])(
    "a file of 10 MB of %j is read, searched and edited in bounds",
    { timeout },
    async (part) => {
      const text = part.repeat(Math.floor((10 * 1024 * 1024 - 10) / part.length));
      const backend = memoryFiles({ "/f": text });
      const started = performance.now();
      const { results } = await onFiles({
        backend,
        turns: [
          [["read_file", { file_path: "/f", limit: 1e9 }]],
          [["grep", { pattern: "x", output_mode: "content", max_count: 1e9, context: 50 }]],
          [["edit_file", { file_path: "/f", old_string: "x", new_string: "y" }]],
        ],
      });
      for (const result of results) expect(String(result).length).toBeLessThanOrEqual(80_000);
      expect(performance.now() - started).toBeLessThan(30_000);
    },
  );
});

test("what a thread stores in its own files, another thread does not see", async () => {
  const { agent } = await onFiles({
    backend: stateFiles(),
    turns: [[["write_file", { file_path: "/own", content: "x" }]]],
  });
  expect(await agent.thread("other").files()).toEqual([]);
});
