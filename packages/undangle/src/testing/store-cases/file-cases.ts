import { deepEqual, equal, ok } from "node:assert/strict";

import type { FileChange, Store } from "#store";

import { isRefused, makeCommit, saying } from "./store-case.ts";
import type { StoreCases } from "./store-case.ts";
import { strange } from "./text-cases.ts";

/** Bytes that a store may corrupt. */
export const strangeBytes: Readonly<Record<string, Uint8Array>> = {
  empty: new Uint8Array(),
  text: bytesOf("Grüße, 日本, 👩‍👩‍👧\r\n"),
  zero: Uint8Array.of(0),
  "zero in text": Uint8Array.of(97, 0, 98, 0),
  "invalid UTF-8": Uint8Array.of(0xff, 0xfe, 0xc0, 0x80, 0xed, 0xa0, 0x80, 0xf8),
  "byte order mark": Uint8Array.of(0xef, 0xbb, 0xbf, 97),
  "looks like hexadecimal": bytesOf("\\x6162"),
  "looks like base64": bytesOf("YWI="),
  "every byte": Uint8Array.from({ length: 256 }, (_, byte) => byte),
  "one megabyte": Uint8Array.from({ length: 1_048_576 }, (_, at) => (at * 31 + (at >> 8)) % 256),
};

/** Paths in their order. Neither a language nor UTF-16 sorts them like this. */
const sorted: readonly string[] = [
  "",
  "/",
  "/%",
  "/%/a",
  "/A",
  "/B",
  "/Z",
  "/\\",
  "/_",
  "/_/a",
  "/a",
  "/a b",
  "/a/",
  "/a/b",
  "/a/b/c",
  "/aa",
  "/b",
  "/z",
  "/ä",
  "/日本",
  "/\uff01",
  "/\u{1f600}",
  "/\u{10ffff}",
  "/\u{10ffff}/a",
];

/** Files of threads. */
export const fileCases: StoreCases = {
  "a file can be read when the promise of its commit resolves": async (store) => {
    await store.commit(makeCommit({ entries: saying("hello"), files: [textFile("/notes.md", "Rain.")] }));
    const info = { path: "/notes.md", size: 5, createdAt: 1000, modifiedAt: 1000 };
    deepEqual(await store.files("t1"), [info]);
    deepEqual(await store.file("t1", "/notes.md"), { ...info, data: bytesOf("Rain.") });
    equal((await store.entries("t1")).length, 1);
  },

  "a missing file is undefined, and a missing thread has no files": async (store) => {
    await store.commit(makeCommit({ files: [textFile("/a", "1")] }));
    deepEqual([await store.file("t1", "/b"), await store.file("none", "/a")], [undefined, undefined]);
    deepEqual(await store.files("none"), []);
    await store.commit(makeCommit({ thread: "t2" }));
    deepEqual([await store.files("t2"), await store.file("t2", "/a")], [[], undefined]);
  },

  "any bytes can be the contents of a file": async (store) => {
    const files = Object.entries(strangeBytes).map(([path, data]) => ({ path, data }));
    await store.commit(makeCommit({ files }));
    for (const { path, data } of files) {
      const file = await store.file("t1", path);
      equal(file?.size, data.byteLength);
      deepEqual(file.data, data, path);
    }
  },

  "any text can be a path, and no two are the same": async (store) => {
    await store.commit(makeCommit({ files: strange.map((path, index) => textFile(path, String(index))) }));
    for (const [index, path] of strange.entries()) {
      deepEqual((await store.file("t1", path))?.data, bytesOf(String(index)));
    }
    const paths = await pathsOf(store);
    deepEqual(new Set(paths), new Set(strange));
    for (const [index, path] of paths.entries()) {
      deepEqual(await pathsOf(store, { after: path }), paths.slice(index + 1));
      ok((await pathsOf(store, { prefix: path })).includes(path));
    }
  },

  "files are sorted by the code points of their paths": async (store) => {
    await store.commit(makeCommit({ files: sorted.toReversed().map((path) => textFile(path, path)) }));
    deepEqual(await pathsOf(store), sorted);
    for (const [index, path] of sorted.entries()) {
      deepEqual(await pathsOf(store, { after: path }), sorted.slice(index + 1));
      deepEqual(await pathsOf(store, { after: `${path}\u0001`, limit: 2 }), sorted.slice(index + 1, index + 3));
    }
  },

  "a prefix is plain text: its case counts, and it has no wildcards": async (store) => {
    await store.commit(makeCommit({ files: sorted.map((path) => textFile(path, path)) }));
    for (const prefix of ["", ...sorted, "/a/b/", "/\ud83d", "\u{10ffff}", "/d\ud7ff", "x"]) {
      const expected = sorted.filter((path) => path.startsWith(prefix) && !(prefix === "/\ud83d"));
      deepEqual(await pathsOf(store, { prefix }), expected, prefix);
      deepEqual(await pathsOf(store, { prefix, limit: 1 }), expected.slice(0, 1), prefix);
      deepEqual(await pathsOf(store, { prefix, after: expected[0] ?? "" }), expected.slice(1), prefix);
    }
    deepEqual(await pathsOf(store, { prefix: "/a/", after: "/A" }), ["/a/", "/a/b", "/a/b/c"]);
    deepEqual(await pathsOf(store, { prefix: "/a/", after: "/b" }), []);
    deepEqual(await pathsOf(store, { limit: 0 }), []);
  },

  "a replaced file keeps the time of its creation": async (store) => {
    await store.commit(makeCommit({ files: [textFile("/a", "one"), textFile("/b", "two")] }));
    await store.commit(makeCommit({ version: 1, at: 2000, files: [textFile("/a", "three")] }));
    deepEqual(await store.files("t1"), [
      { path: "/a", size: 5, createdAt: 1000, modifiedAt: 2000 },
      { path: "/b", size: 3, createdAt: 1000, modifiedAt: 1000 },
    ]);
    deepEqual((await store.file("t1", "/a"))?.data, bytesOf("three"));
  },

  "a deleted file is gone, and is new when it is created again": async (store) => {
    await store.commit(makeCommit({ files: [textFile("/a", "one"), textFile("/a/b", "two")] }));
    const drops = [
      { path: "/a", data: null },
      { path: "/missing", data: null },
    ];
    await store.commit(makeCommit({ version: 1, at: 2000, files: drops }));
    deepEqual([await pathsOf(store), await store.file("t1", "/a")], [["/a/b"], undefined]);
    await store.commit(makeCommit({ version: 2, at: 3000, files: [textFile("/a", "three")] }));
    equal((await store.file("t1", "/a"))?.createdAt, 3000);
  },

  "of several changes to one path, the last counts": async (store) => {
    const drop = (path: string): FileChange => ({ path, data: null });
    await store.commit(makeCommit({ files: [textFile("/old", "old"), textFile("/older", "older")] }));
    const files = [
      textFile("/new", "1"),
      drop("/new"),
      drop("/old"),
      textFile("/old", "2"),
      textFile("/older", "3"),
      drop("/older"),
      textFile("/twice", "4"),
      textFile("/twice", "55"),
    ];
    await store.commit(makeCommit({ version: 1, at: 2000, files }));
    deepEqual(await store.files("t1"), [
      { path: "/old", size: 1, createdAt: 1000, modifiedAt: 2000 },
      { path: "/twice", size: 2, createdAt: 2000, modifiedAt: 2000 },
    ]);
  },

  "a refused commit changes no file": async (store) => {
    await store.commit(makeCommit({ files: [textFile("/a", "one"), textFile("/b", "two")] }));
    const files = [textFile("/a", "late"), { path: "/b", data: null }, textFile("/c", "late")];
    await isRefused(store.commit(makeCommit({ files })), "store/conflict", { expected: 0, actual: 1 });
    await isRefused(store.commit(makeCommit({ version: 2, files })), "store/conflict", { expected: 2, actual: 1 });
    await isRefused(store.commit(makeCommit({ thread: "t2", version: 1, files })), "store/conflict");
    deepEqual([await pathsOf(store), await store.files("t2")], [["/a", "/b"], []]);
    deepEqual((await store.file("t1", "/a"))?.data, bytesOf("one"));
  },

  "of many writers of a thread, only the files of the winner are saved": async (store) => {
    await store.commit(makeCommit());
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, writer) =>
        store.commit(
          makeCommit({
            version: 1,
            entries: saying(`by ${writer}`),
            files: [textFile("/shared", `by ${writer}`), textFile(`/${writer}`, "own")],
          }),
        ),
      ),
    );
    const winners = outcomes.flatMap(({ status }, writer) => (status === "fulfilled" ? [writer] : []));
    equal(winners.length, 1);
    deepEqual(await pathsOf(store), [`/${winners[0]}`, "/shared"]);
    deepEqual((await store.file("t1", "/shared"))?.data, bytesOf(`by ${winners[0]}`));
  },

  "successive commits with and without files can be queued at once": async (store) => {
    const commits = Array.from({ length: 30 }, (_, version) =>
      makeCommit({ version, at: version, ...(version % 3 > 0 && { files: [textFile("/a", `number ${version}`)] }) }),
    );
    const others = Array.from({ length: 20 }, (_, index) =>
      makeCommit({ thread: `other ${index}`, ...(index % 2 > 0 && { files: [textFile("/a", `of ${index}`)] }) }),
    );
    await Promise.all([...commits, ...others].map((commit) => store.commit(commit)));
    const { data, createdAt, modifiedAt } = (await store.file("t1", "/a")) ?? {};
    deepEqual([data, createdAt, modifiedAt], [bytesOf("number 29"), 1, 29]);
    for (const index of others.keys()) {
      const file = await store.file(`other ${index}`, "/a");
      deepEqual(file?.data, index % 2 > 0 ? bytesOf(`of ${index}`) : undefined);
    }
  },

  "files belong to their thread": async (store) => {
    for (const thread of ["t1", "t2"]) await store.commit(makeCommit({ thread, files: [textFile("/a", thread)] }));
    await store.commit(makeCommit({ version: 1, files: [{ path: "/a", data: null }] }));
    deepEqual([await store.file("t1", "/a"), (await store.file("t2", "/a"))?.data], [undefined, bytesOf("t2")]);
  },

  "a deleted thread keeps its files, and a removed thread does not": async (store) => {
    for (const thread of ["a", "b", "c"]) await store.commit(makeCommit({ thread, files: [textFile("/f", thread)] }));
    await store.delete("a", 10);
    equal((await store.files("a")).length, 1);
    await store.restore("a");
    deepEqual((await store.file("a", "/f"))?.data, bytesOf("a"));
    await store.delete("a", 10);
    equal(await store.purge(11), 1);
    equal(await store.remove("b"), true);
    for (const thread of ["a", "b"]) {
      deepEqual([await store.files(thread), await store.file(thread, "/f")], [[], undefined]);
      await store.commit(makeCommit({ thread }));
      deepEqual([await store.files(thread), await store.file(thread, "/f")], [[], undefined]);
    }
    deepEqual((await store.file("c", "/f"))?.data, bytesOf("c"));
  },

  "a commit may have 2,000 files": async (store) => {
    const paths = Array.from({ length: 2000 }, (_, index) => `/folder ${index % 7}/file ${index}.txt`).toSorted();
    await store.commit(makeCommit({ files: paths.map((path) => textFile(path, `This is ${path}.`)) }));
    deepEqual(await pathsOf(store), paths);
    deepEqual(
      await pathsOf(store, { prefix: "/folder 3/" }),
      paths.filter((path) => path.startsWith("/folder 3/")),
    );
    for (const path of [paths[0], paths[999], paths[1999]]) {
      deepEqual((await store.file("t1", path ?? ""))?.data, bytesOf(`This is ${path}.`));
    }
    const files = paths.map((path, index) => (index % 2 === 0 ? { path, data: null } : textFile(path, "new")));
    await store.commit(makeCommit({ version: 1, at: 2000, files }));
    const left = await store.files("t1");
    equal(left.length, 1000);
    ok(left.every(({ size, createdAt, modifiedAt }) => size === 3 && createdAt === 1000 && modifiedAt === 2000));
  },

  "a change to bytes that were written or read does not change a file": async (store) => {
    const data = bytesOf("one");
    const buffer = Buffer.from("xtwox").subarray(1, 4); // a part of a larger memory
    const saved = store.commit(
      makeCommit({
        files: [
          { path: "/a", data },
          { path: "/b", data: buffer },
        ],
      }),
    );
    data.fill(0);
    buffer.fill(0);
    await saved;
    for (const [path, text] of [
      ["/a", "one"],
      ["/b", "two"],
    ] as const) {
      const read = await store.file("t1", path);
      deepEqual(read?.data, bytesOf(text));
      read.data.fill(1);
      deepEqual((await store.file("t1", path))?.data, bytesOf(text));
    }
  },
};

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export const textFile = (path: string, text: string): FileChange => ({ path, data: bytesOf(text) });

async function pathsOf(store: Store, range?: Parameters<Store["files"]>[1]): Promise<readonly string[]> {
  return (await store.files("t1", range)).map(({ path }) => path);
}
