import { deepEqual, equal } from "node:assert/strict";

import type { SharedFileChange, Store } from "#store";

import { bytesOf, strangeBytes, textFile } from "./file-cases.ts";
import { isRefused, makeCommit } from "./store-case.ts";
import type { StoreCases } from "./store-case.ts";
import { strange } from "./text-cases.ts";

const at = 1000;

/** Files of namespaces, separate from threads. */
export const sharedFileCases: StoreCases = {
  "a shared file can be read when its promise resolves, and its version increases": async (store) => {
    deepEqual([await store.sharedFiles("n"), await store.sharedFile("n", "/a")], [[], undefined]);
    await store.writeSharedFiles("n", [textFile("/a", "one")], { at });
    const info = { path: "/a", version: 1, size: 3, createdAt: 1000, modifiedAt: 1000 };
    deepEqual(await store.sharedFiles("n"), [info]);
    deepEqual(await store.sharedFile("n", "/a"), { ...info, data: bytesOf("one") });
    await store.writeSharedFiles("n", [{ ...textFile("/a", "three"), version: 1 }], { at: 2000 });
    const next = { path: "/a", version: 2, size: 5, createdAt: 1000, modifiedAt: 2000 };
    deepEqual(await store.sharedFile("n", "/a"), { ...next, data: bytesOf("three") });
    await store.writeSharedFiles("n", [{ path: "/a", data: null, version: 2 }], { at: 3000 });
    deepEqual([await store.sharedFiles("n"), await store.sharedFile("n", "/a")], [[], undefined]);
  },

  "any bytes and any text can be contents, path and namespace of a shared file": async (store) => {
    const files = Object.entries(strangeBytes).map(([path, data]) => ({ path, data }));
    await store.writeSharedFiles("n", files, { at });
    for (const { path, data } of files) deepEqual((await store.sharedFile("n", path))?.data, data, path);
    for (const [index, text] of strange.entries()) {
      await store.writeSharedFiles(text, [textFile(text, String(index))], { at });
    }
    for (const [index, text] of strange.entries()) {
      deepEqual((await store.sharedFile(text, text))?.data, bytesOf(String(index)));
      deepEqual(
        (await store.sharedFiles(text)).map(({ path }) => path),
        [text],
      );
    }
  },

  "shared files are listed by prefix and in pages": async (store) => {
    const paths = ["/A", "/a", "/a%", "/a/1", "/a/2", "/a_", "/b"];
    await store.writeSharedFiles(
      "n",
      paths.toReversed().map((path) => textFile(path, path)),
      { at },
    );
    const read = async (range?: Parameters<Store["sharedFiles"]>[1]): Promise<string> =>
      (await store.sharedFiles("n", range)).map(({ path }) => path).join(" ");
    equal(await read(), paths.join(" "));
    equal(await read({ prefix: "/a/" }), "/a/1 /a/2");
    equal(await read({ prefix: "/a_" }), "/a_");
    equal(await read({ after: "/a", limit: 2 }), "/a% /a/1");
    equal(await read({ prefix: "/a/", after: "/a/1" }), "/a/2");
  },

  "namespaces and threads do not see each other's files": async (store) => {
    await store.commit(makeCommit({ thread: "n", files: [textFile("/a", "of the thread")] }));
    await store.writeSharedFiles("n", [textFile("/a", "of n")], { at });
    await store.writeSharedFiles("N", [textFile("/a", "of N")], { at });
    await store.writeSharedFiles("other", [{ path: "/a", data: null }], { at });
    deepEqual((await store.file("n", "/a"))?.data, bytesOf("of the thread"));
    deepEqual((await store.sharedFile("n", "/a"))?.data, bytesOf("of n"));
    deepEqual((await store.sharedFile("N", "/a"))?.data, bytesOf("of N"));
    await store.remove("n");
    deepEqual([await store.files("n"), (await store.sharedFiles("n")).length], [[], 1]);
  },

  "a writer that has not read the last version of a shared file is refused, and changes nothing": async (store) => {
    const write = (...changes: readonly SharedFileChange[]) => store.writeSharedFiles("n", changes, { at });
    await isRefused(write({ ...textFile("/a", "early"), version: 1 }), "store/stale", {
      key: "/a",
      expected: 1,
      actual: 0,
    });
    deepEqual(await store.sharedFiles("n"), []);
    await write({ ...textFile("/a", "one"), version: 0 }, textFile("/b", "two"));
    const before = await everyFile(store);
    const stale = [
      { ...textFile("/a", "again"), version: 0 },
      { path: "/a", data: null, version: 99 },
    ];
    for (const change of stale) {
      await isRefused(write(textFile("/b", "new"), { path: "/c", data: bytesOf("new") }, change), "store/stale", {
        key: "/a",
        expected: change.version,
      });
      deepEqual(await everyFile(store), before);
    }
    await write(textFile("/a", "any version"));
    equal((await store.sharedFiles("n", { prefix: "/a" })).length, 1);
  },

  "a version of a shared file does not return with a file that is created again": async (store) => {
    await store.writeSharedFiles("n", [textFile("/a", "one")], { at });
    const first = await store.sharedFile("n", "/a");
    await store.writeSharedFiles("n", [{ path: "/a", data: null }], { at });
    await store.writeSharedFiles("n", [{ ...textFile("/a", "two"), version: 0 }], { at: 2000 });
    equal((await store.sharedFile("n", "/a"))?.createdAt, 2000);
    const late = { ...textFile("/a", "late"), version: first?.version };
    await isRefused(store.writeSharedFiles("n", [late], { at }), "store/stale", { expected: first?.version });
    deepEqual((await store.sharedFile("n", "/a"))?.data, bytesOf("two"));
  },

  "of many writers of a shared file at the same version, one wins": async (store) => {
    for (const version of [0, undefined]) {
      const read = version ?? (await store.sharedFile("n", "/a"))?.version;
      const outcomes = await Promise.allSettled(
        Array.from({ length: 20 }, (_, writer) =>
          store.writeSharedFiles(
            "n",
            [
              { ...textFile("/a", `by ${writer}`), version: read },
              { path: `/${writer}`, data: bytesOf("own") },
            ],
            { at },
          ),
        ),
      );
      const winners = outcomes.flatMap(({ status }, writer) => (status === "fulfilled" ? [writer] : []));
      equal(winners.length, 1);
      deepEqual((await store.sharedFile("n", "/a"))?.data, bytesOf(`by ${winners[0]}`));
    }
  },

  "writes of shared files without a version are applied in order": async (store) => {
    const writes = Array.from({ length: 20 }, (_, index) =>
      store.writeSharedFiles("n", [textFile("/a", `number ${index}`)], { at: index }),
    );
    await Promise.all(writes);
    const { data, createdAt, modifiedAt } = (await store.sharedFile("n", "/a")) ?? {};
    deepEqual([data, createdAt, modifiedAt], [bytesOf("number 19"), 0, 19]);
  },

  "a write may have no change, or 2,000": async (store) => {
    await store.writeSharedFiles("n", [], { at });
    const paths = Array.from({ length: 2000 }, (_, index) => `/${index}`).toSorted();
    const write = (make: (path: string) => SharedFileChange) => store.writeSharedFiles("n", paths.map(make), { at });
    await write((path) => textFile(path, path));
    deepEqual(
      (await store.sharedFiles("n")).map(({ path }) => path),
      paths,
    );
    await isRefused(
      write((path) => ({ ...textFile(path, "new"), version: path === "/1234" ? 7 : 1 })),
      "store/stale",
      { key: "/1234", expected: 7, actual: 1 },
    );
    await write((path) => ({ path, data: null, version: 1 }));
    deepEqual(await store.sharedFiles("n"), []);
  },
};

async function everyFile(store: Store): Promise<unknown> {
  const files = await store.sharedFiles("n");
  return Promise.all(files.map(({ path }) => store.sharedFile("n", path)));
}
