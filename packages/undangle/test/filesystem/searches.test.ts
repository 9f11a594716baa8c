import { memoryFiles } from "#files";
import type { FileBackend } from "#files";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { onFiles, resultOf } from "./file-stage.ts";
import type { Called } from "./file-stage.ts";

const never = async <Value>(): Promise<Value> => new Promise<Value>(() => undefined);

describe("searches that do not end", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  test.each<[string, Called, number]>([
    ["G1 glob", ["glob", { pattern: "*" }], 10],
    ["GR6 grep", ["grep", { pattern: "x" }], 15],
  ])("%s is ended", async (_, call, seconds) => {
    const backend: FileBackend = { ...memoryFiles(), glob: never, grep: never };
    const result = resultOf(call, { backend });
    await vi.advanceTimersByTimeAsync(seconds * 1000 + 100);
    expect(await result).toBe(
      `!${call[0]} took more than ${seconds} seconds and was ended. Use a narrower pattern or path.`,
    );
  });

  test("G2 at most four run at a time, and those that are ended hold up no other", async () => {
    let running = 0;
    let most = 0;
    const files = memoryFiles();
    const backend: FileBackend = {
      ...files,
      glob: async (query) => {
        most = Math.max(most, ++running);
        query.signal?.addEventListener("abort", () => void running--);
        return query.pattern === "fast" ? files.glob(query).finally(() => void running--) : never();
      },
    };
    const calls = [
      ...Array.from({ length: 5 }, (): Called => ["glob", { pattern: "slow" }]),
      ["glob", { pattern: "fast" }],
    ] as const;
    const made = onFiles({ backend, turns: [calls] });
    await vi.advanceTimersByTimeAsync(21_000);
    const { results } = await made;
    expect(most).toBe(4);
    expect(results.map((result) => String(result).slice(0, 14))).toEqual([
      ...Array.from({ length: 5 }, () => "glob took more"),
      "Nothing in / m",
    ]);
  });
});

test("GR5 what could not be searched is listed after the matches", async () => {
  const files = memoryFiles({ "/f": "x" });
  const backend: FileBackend = {
    ...files,
    grep: async (query) => ({ ...(await files.grep(query)), failures: ["/g: permission denied"] }),
  };
  expect(await resultOf(["grep", { pattern: "x" }], { backend })).toBe(
    "/f\n[Incomplete. Some of it could not be searched:\n/g: permission denied]",
  );
});

test("GR7 the number of files that are not text is shown", async () => {
  const backend: FileBackend = {
    ...memoryFiles(),
    grep: async () => ({ files: [], isCut: false, skipped: 2, failures: [] }),
  };
  expect(await resultOf(["grep", { pattern: "x" }], { backend })).toBe(
    "Nothing in / matches x\n[2 files are not text and were skipped.]",
  );
});

test("RF14 media over 10 MiB are refused with their size", async () => {
  const backend: FileBackend = {
    ...memoryFiles(),
    stat: async (path) => ({ path, type: "file", size: 11 * 1024 * 1024 }),
  };
  expect(await resultOf(["read_file", { file_path: "/a.png" }], { backend })).toBe(
    "!/a.png has 11534336 bytes; the limit is 10485760.",
  );
});

test("D6 what could not be deleted is an error that lists it", async () => {
  const backend: FileBackend = {
    ...memoryFiles({ "/d/a": "" }),
    delete: async () => ({ files: 1, failures: ["/d/b: read-only"] }),
  };
  expect(await resultOf(["delete", { file_path: "/d" }], { backend })).toBe(
    "!Some of it could not be deleted:\n/d/b: read-only",
  );
});
