import { describe, expect, test } from "vitest";

import { memoryFiles } from "#files";
import type { FileBackend } from "#files";

import { testFiles } from "./test-files.ts";

/** Faulty backends, each based on a correct one. */
const faulty: Readonly<Record<string, (files: FileBackend) => Partial<FileBackend>>> = {
  "appends instead of replacing": (files) => ({
    write: async (path, data) => {
      const old = await files.read(path).catch(() => new Uint8Array());
      return files.write(path, Buffer.concat([old, data]));
    },
  }),
  "updates what it read before": (files) => ({
    update: async (path, change) => {
      const data = await files.read(path);
      await Promise.resolve();
      await files.write(path, change(data));
    },
  }),
  "deletes whatever starts with the path": (files) => ({
    delete: async (path) => {
      const { files: found } = await files.glob({ pattern: "*", path: "/" });
      const gone = found.filter((file) => file.path.startsWith(path));
      for (const file of gone) await files.delete?.(file.path);
      return { files: gone.length };
    },
  }),
  "throws errors without a code": (files) => ({
    read: (path) => files.read(path).catch(() => Promise.reject(new Error("ENOENT"))),
  }),
  "takes every pattern for an expression": (files) => ({ grep: (query) => files.grep({ ...query, isRegex: true }) }),
  "shows what is not visible": (files) => ({ grep: (query) => files.grep({ ...query, isVisible: undefined }) }),
  "says that results are cut at exactly the limit": (files) => ({
    grep: async (query) => {
      const result = await files.grep(query);
      return { ...result, isCut: result.files.reduce((sum, { count }) => sum + count, 0) === query.maxCount };
    },
  }),
  "ignores where a search starts": (files) => ({ glob: (query) => files.glob({ ...query, path: "/" }) }),
};

describe("testFiles", () => {
  test.each(Object.entries(faulty))("it finds a backend that %s", async (_name, fault) => {
    const cases = testFiles(() => {
      const files = memoryFiles();
      return { ...files, ...fault(files) };
    });
    const outcomes = await Promise.allSettled(cases.map(({ run }) => run()));
    expect(outcomes.filter(({ status }) => status === "rejected").length).toBeGreaterThan(0);
  });

  test("it closes each backend", async () => {
    let open = 0;
    const cases = testFiles(
      () => {
        open++;
        return memoryFiles();
      },
      { close: () => void open-- },
    );
    await cases[0]?.run();
    expect(open).toBe(0);
  });
});
