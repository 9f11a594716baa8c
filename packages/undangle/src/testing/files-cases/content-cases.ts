import { deepEqual, equal, ok } from "node:assert/strict";

import { isRefused } from "../store-cases/store-case.ts";
import { type FilesCases, bytes, fill, names, remove, textAt } from "./files-case.ts";

/** Reading, writing, updating and deleting. */
export const contentCases: FilesCases = {
  "a written file can be read, and its directories exist": async (files) => {
    deepEqual(await files.write("/a/b/c.txt", bytes("one")), { isCreated: true });
    equal(await textAt(files, "/a/b/c.txt"), "one");
    equal((await files.stat("/a/b"))?.type, "directory");
    const info = await files.stat("/a/b/c.txt");
    deepEqual([info?.path, info?.type, info?.size], ["/a/b/c.txt", "file", 3]);
  },

  "a write replaces the whole file": async (files) => {
    await fill(files, { "/a": "a long text" });
    deepEqual(await files.write("/a", bytes("b")), { isCreated: false });
    equal(await textAt(files, "/a"), "b");
    deepEqual(await files.write("/a", bytes("")), { isCreated: false });
    equal((await files.stat("/a"))?.size, 0);
  },

  "bytes come back as they were": async (files) => {
    const data = Uint8Array.from({ length: 512 }, (_, index) => index % 256);
    await files.write("/bytes", data);
    deepEqual([...(await files.read("/bytes"))], [...data]);
  },

  "what a caller does with its bytes later has no effect": async (files) => {
    const data = bytes("abc");
    await files.write("/a", data);
    data.fill(0);
    (await files.read("/a")).fill(0);
    equal(await textAt(files, "/a"), "abc");
  },

  "names of all kinds are possible": async (files) => {
    const strange = [
      "/a b",
      "/é😀",
      "/...",
      "/..a",
      "/~",
      "/-rf",
      "/a*b",
      "/[x]",
      "/{y}",
      "/$&",
      "/%2e%2e",
      "/'\"`",
      "/．．",
    ];
    for (const path of strange) await files.write(path, bytes(path));
    for (const path of strange) equal(await textAt(files, path), path);
    deepEqual(new Set(await names(files, "/")), new Set(strange));
  },

  "a file that does not exist is missing": async (files) => {
    equal(await files.stat("/a"), undefined);
    await isRefused(files.read("/a"), "file/missing", { path: "/a" });
    await isRefused(files.list("/a"), "file/missing", { path: "/a" });
    await isRefused(
      files.update("/a", (data) => data),
      "file/missing",
      { path: "/a" },
    );
    await isRefused(remove(files, "/a"), "file/missing", { path: "/a" });
    equal(await files.stat("/a"), undefined);
  },

  "below a file there is nothing": async (files) => {
    await fill(files, { "/a": "x" });
    equal(await files.stat("/a/b"), undefined);
    await isRefused(files.read("/a/b"), "file/missing", { path: "/a/b" });
    await isRefused(files.write("/a/b/c", bytes("")), "file/not-directory", { path: "/a" });
    await isRefused(files.list("/a"), "file/not-directory", { path: "/a" });
    equal(await textAt(files, "/a"), "x");
  },

  "a directory is not a file": async (files) => {
    await fill(files, { "/d/a": "x" });
    await isRefused(files.read("/d"), "file/is-directory", { path: "/d" });
    await isRefused(files.write("/d", bytes("")), "file/is-directory", { path: "/d" });
    await isRefused(
      files.update("/d", (data) => data),
      "file/is-directory",
      { path: "/d" },
    );
    await isRefused(files.read("/"), "file/is-directory", { path: "/" });
    await isRefused(files.write("/", bytes("")), "file/is-directory", { path: "/" });
  },

  "a file that is too large is refused with its size": async (files) => {
    const limit = 10 * 1024 * 1024;
    await files.write("/full", new Uint8Array(limit));
    equal((await files.read("/full")).length, limit);
    await isRefused(files.write("/a", new Uint8Array(limit + 1)), "file/too-large", { size: limit + 1, limit });
    equal(await files.stat("/a"), undefined);
  },

  "a name that exists in another Unicode spelling is refused": async (files) => {
    await fill(files, { "/caf\u00e9/a": "x" });
    await isRefused(files.write("/cafe\u0301", bytes("")), "file/path", { reason: "other-spelling" });
    await isRefused(files.write("/cafe\u0301/b", bytes("")), "file/path", { reason: "other-spelling" });
    equal(await files.stat("/cafe\u0301"), undefined);
    deepEqual(await names(files, "/"), ["/caf\u00e9/"]);
  },

  "the root is an empty directory at first": async (files) => {
    deepEqual(await files.list("/"), []);
    deepEqual(((info) => [info?.path, info?.type])(await files.stat("/")), ["/", "directory"]);
  },

  "a listing has the direct children, sorted by code point": async (files) => {
    await fill(files, { "/b/x/y": "", "/B": "", "/b-c": "", "/ﬁ": "", "/😀": "", "/a": "12" });
    deepEqual(await names(files, "/"), ["/B", "/a", "/b/", "/b-c", "/ﬁ", "/😀"]);
    deepEqual(await names(files, "/b"), ["/b/x/"]);
    equal((await files.list("/")).find(({ path }) => path === "/a")?.size, 2);
  },

  "an update changes the current content": async (files) => {
    await fill(files, { "/a": "one" });
    await files.update("/a", (data) => bytes(`${new TextDecoder().decode(data)} two`));
    equal(await textAt(files, "/a"), "one two");
  },

  "updates of one file run one after the other": async (files) => {
    await fill(files, { "/a": "" });
    const letters = Array.from("abcdefghijklmnopqrst");
    await Promise.all(
      letters.map((letter) => files.update("/a", (data) => bytes(new TextDecoder().decode(data) + letter))),
    );
    deepEqual(Array.from(await textAt(files, "/a")).sort(), letters);
  },

  "a change that throws leaves the file as it is": async (files) => {
    await fill(files, { "/a": "one" });
    let error: unknown;
    const change = (): never => {
      throw new RangeError("no");
    };
    await files.update("/a", change).catch((caught: unknown) => {
      error = caught;
    });
    ok(error instanceof RangeError);
    equal(await textAt(files, "/a"), "one");
    deepEqual(await names(files, "/"), ["/a"]);
  },

  "writes of many files at the same time are all kept": async (files) => {
    const paths = Array.from({ length: 20 }, (_, index) => `/d${index % 3}/f${index}`);
    await Promise.all(paths.map((path) => files.write(path, bytes(path))));
    for (const path of paths) equal(await textAt(files, path), path);
  },

  "a file and a directory of one name are never both created": async (files) => {
    const outcomes = await Promise.allSettled([files.write("/a", bytes("")), files.write("/a/b", bytes(""))]);
    deepEqual(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
  },

  "a file is deleted": async (files) => {
    await fill(files, { "/d/a": "x", "/d/b": "x" });
    equal(await remove(files, "/d/a"), 1);
    equal(await files.stat("/d/a"), undefined);
    deepEqual(await names(files, "/d"), ["/d/b"]);
  },

  "a directory is deleted with everything in it, and nothing else": async (files) => {
    await fill(files, { "/d/a": "x", "/d/e/b": "x", "/d/e/c": "x", "/d-2": "x", "/dd/a": "x" });
    equal(await remove(files, "/d"), 3);
    equal(await files.stat("/d"), undefined);
    deepEqual(await names(files, "/"), ["/d-2", "/dd/"]);
  },

  "the root cannot be deleted": async (files) => {
    await fill(files, { "/a": "x" });
    await isRefused(remove(files, "/"), "file/path", { reason: "root" });
    equal(await textAt(files, "/a"), "x");
  },
};
