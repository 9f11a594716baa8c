import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";

import { createAgent, tool } from "#engine";
import type { ThreadFiles } from "#engine";
import { compositeFiles, diskFiles, memoryFiles, stateFiles, storeFiles } from "#files";
import type { FileBackend, FileBackendSource } from "#files";
import { memoryStore } from "#store";
import type { Store } from "#store";
import { scriptedModel, testFiles } from "#testing";

import { postgresStore } from "../../src/store/postgres.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import { filesContext } from "../../src/files/files-context.fixture.ts";
import { freshDatabase, noPostgres } from "../postgres/fresh-database.ts";

const roots: string[] = [];
async function newRoot(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), "undangle-files-"));
  roots.push(root);
  return root;
}
const closing: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closing.toReversed()) await close();
  for (const root of roots) await rm(root, { recursive: true, force: true });
});

const opened = async (source: FileBackendSource): Promise<FileBackend> =>
  typeof source === "function" ? source(filesContext()) : source;

/** The files of a thread as a call sees them that never ends. */
async function filesOfRunningCall(): Promise<ThreadFiles> {
  const { promise, resolve } = Promise.withResolvers<ThreadFiles>();
  const hold = tool({
    name: "hold",
    description: "Runs for ever.",
    execute: (_, { files }) =>
      new Promise(() => {
        resolve(files);
      }),
  });
  createAgent({ model: scriptedModel([{ calls: [{ name: "hold" }] }]), tools: [hold] })
    .thread("t")
    .send("Go.");
  return promise;
}

const backends: Readonly<Record<string, () => FileBackend | Promise<FileBackend>>> = {
  memoryFiles: () => memoryFiles(),
  "stateFiles, in a running call": async () => stateFiles()(filesContext("t", await filesOfRunningCall())),
  diskFiles: async () => diskFiles(await newRoot()),
  "compositeFiles, in its default backend": () => opened(compositeFiles(memoryFiles(), {})),
  "compositeFiles, with a factory on a disk": async () => {
    const root = await newRoot();
    return opened(compositeFiles(() => diskFiles(root), {}));
  },
  "storeFiles on memoryStore": () => opened(storeFiles({ store: memoryStore(), namespace: ["a"] })),
  "storeFiles on SQLite": async () => {
    const store = sqliteStore(join(await newRoot(), "files.db"));
    closing.push(() => store.close());
    return opened(storeFiles({ store, namespace: ["a"] }));
  },
  ...(noPostgres === undefined && { "storeFiles on Postgres": openOnPostgres }),
};

let namespaces = 0;
let postgres: Promise<Store> | undefined;

/** All cases share a database: each has its own namespace. */
async function openOnPostgres(): Promise<FileBackend> {
  postgres ??= (async () => {
    const database = await freshDatabase();
    const store = postgresStore(database.pool());
    closing.push(
      () => database.drop(),
      () => store.close(),
    );
    return store;
  })();
  return opened(storeFiles({ store: await postgres, namespace: [`n${++namespaces}`] }));
}

describe.each(Object.entries(backends))("%s", (_name, open) => {
  test.each(testFiles(open).map(({ name, run }) => [name, run] as const))("%s", async (_case, run) => {
    await expect(run()).resolves.toBeUndefined();
  });
});
