import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";

import { compositeFiles, diskFiles, memoryFiles, storeFiles } from "#files";
import type { FileBackend, FileBackendSource, FilesContext } from "#files";
import { memoryStore } from "#store";
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

const context: FilesContext = {
  threadId: "t",
  agent: { name: undefined, model: "m" },
  signal: new AbortController().signal,
};
const opened = async (source: FileBackendSource): Promise<FileBackend> =>
  typeof source === "function" ? source(context) : source;

const backends: Readonly<Record<string, () => FileBackend | Promise<FileBackend>>> = {
  memoryFiles: () => memoryFiles(),
  diskFiles: async () => diskFiles(await newRoot()),
  "compositeFiles, in its default backend": () => opened(compositeFiles(memoryFiles(), {})),
  "compositeFiles, with a factory on a disk": async () => {
    const root = await newRoot();
    return opened(compositeFiles(() => diskFiles(root), {}));
  },
  "storeFiles on memoryStore": () => opened(storeFiles({ store: memoryStore(), namespace: ["a"] })),
};

describe.each(Object.entries(backends))("%s", (_name, open) => {
  test.each(testFiles(open).map(({ name, run }) => [name, run] as const))("%s", async (_case, run) => {
    await expect(run()).resolves.toBeUndefined();
  });
});
