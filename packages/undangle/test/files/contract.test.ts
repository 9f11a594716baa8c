import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";

import { diskFiles, memoryFiles } from "#files";
import type { FileBackend } from "#files";
import { testFiles } from "#testing";

const roots: string[] = [];
async function newRoot(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), "undangle-files-"));
  roots.push(root);
  return root;
}
afterAll(async () => {
  for (const root of roots) await rm(root, { recursive: true, force: true });
});

const backends: Readonly<Record<string, () => FileBackend | Promise<FileBackend>>> = {
  memoryFiles: () => memoryFiles(),
  diskFiles: async () => diskFiles(await newRoot()),
};

describe.each(Object.entries(backends))("%s", (_name, open) => {
  test.each(testFiles(open).map(({ name, run }) => [name, run] as const))("%s", async (_case, run) => {
    await expect(run()).resolves.toBeUndefined();
  });
});
