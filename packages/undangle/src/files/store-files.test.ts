import { describe, expect, test } from "vitest";

import { memoryStore } from "#store";

import type { FileBackend, FilesContext } from "./file-backend.ts";
import { storeFiles } from "./store-files.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const contextOf = (threadId: string): FilesContext => ({
  threadId,
  agent: { name: undefined, model: "m" },
  signal: new AbortController().signal,
});
const open = async (options: Parameters<typeof storeFiles>[0], threadId = "t"): Promise<FileBackend> => {
  const source = storeFiles(options);
  return typeof source === "function" ? source(contextOf(threadId)) : source;
};

describe("storeFiles", () => {
  test("backends with the same namespace see the same files, others do not", async () => {
    const store = memoryStore();
    await (await open({ store, namespace: ["team", "a"] })).write("/x", bytes("1"));
    expect(await (await open({ store, namespace: ["team", "a"] })).list("/")).toHaveLength(1);
    for (const namespace of [["team"], ["team", "b"], ["team:a"], ["a", "team"]])
      expect(await (await open({ store, namespace })).list("/")).toEqual([]);
  });

  test("a function gives each thread its own files", async () => {
    const store = memoryStore();
    const options = { store, namespace: ({ threadId }: FilesContext) => ["thread", threadId] };
    await (await open(options, "one")).write("/x", bytes("1"));
    expect(await (await open(options, "two")).list("/")).toEqual([]);
    expect(await (await open(options, "one")).list("/")).toHaveLength(1);
  });

  test.each([[[]], [[""]], [["a/b"]], [["a b"]], [["é"]], [["a\n"]]])("the namespace %j is refused", (namespace) => {
    expect(() => storeFiles({ store: memoryStore(), namespace })).toThrow("namespace");
  });

  test("a writer that was slower than another process tries again", async () => {
    const store = memoryStore();
    const files = await open({ store, namespace: ["a"] });
    await files.write("/n", bytes("0"));
    let isFirst = true;
    await files.update("/n", (data) => {
      if (isFirst) void store.writeSharedFiles("a", [{ path: "/n", data: bytes("10") }], { at: 1 });
      isFirst = false;
      return bytes(String(Number(new TextDecoder().decode(data)) + 1));
    });
    expect(new TextDecoder().decode(await files.read("/n"))).toBe("11");
  });

  test("two processes never create a file and a directory with the same name", async () => {
    const store = memoryStore();
    const files = await open({ store, namespace: ["a"] });
    let isFirst = true;
    const slower: FileBackend = await open({
      store: {
        ...store,
        writeSharedFiles: async (namespace, changes, options) => {
          if (isFirst) {
            isFirst = false;
            const other = { path: "tree", data: bytes("") };
            await store.writeSharedFiles(namespace, [{ path: "/a/b", data: bytes("") }, other], options);
          }
          return store.writeSharedFiles(namespace, changes, options);
        },
      },
      namespace: ["a"],
    });
    await expect(slower.write("/a", bytes(""))).rejects.toThrow("/a is a directory, not a file.");
    expect((await files.list("/")).map(({ path, type }) => [path, type])).toEqual([["/a", "directory"]]);
  });
});
