import { describe, expect, test } from "vitest";

import { UndangleError } from "#core";

import { compositeFiles } from "./composite-files.ts";
import type { FileBackend, FileBackendSource, FilesContext, GrepQuery } from "./file-backend.ts";
import { memoryFiles } from "./memory-files.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const context: FilesContext = {
  threadId: "t",
  agent: { name: undefined, model: "m" },
  signal: new AbortController().signal,
};
const opened = async (source: FileBackendSource): Promise<FileBackend> =>
  typeof source === "function" ? source(context) : source;
const paths = (infos: readonly { readonly path: string }[]): readonly string[] => infos.map(({ path }) => path);

const base = () => memoryFiles({ "/a.py": "x", "/sub/b.py": "x", "/memories/shadowed.py": "x" });
const memories = () => memoryFiles({ "/m.py": "x\nx", "/deep/n.py": "x", "/.hidden/o.py": "x" });
const tree = () =>
  opened(compositeFiles(base(), { "/memories/": memories(), "/sub/deep": memoryFiles({ "/p.py": "x" }) }));
const broken = (): FileBackend => {
  const fail = async (): Promise<never> => {
    throw new UndangleError("file/failed", { path: "/x", reason: "the network is down" });
  };
  return { stat: fail, list: fail, read: fail, write: fail, update: fail, delete: fail, glob: fail, grep: fail };
};
const grep = async (files: FileBackend, rest: Partial<GrepQuery> = {}) =>
  files.grep({ pattern: "x", isRegex: false, path: "/", context: 0, maxCount: 1000, ...rest });

describe("compositeFiles", () => {
  test("a path belongs to the longest route by whole segments", async () => {
    const inner = memoryFiles();
    const outer = memoryFiles();
    const rest = memoryFiles();
    const files = await opened(compositeFiles(rest, { "/m": outer, "/m/n/": inner }));
    for (const path of ["/m/a", "/m/n/a", "/mn/a", "/m2"]) await files.write(path, bytes(path));
    expect(paths((await inner.glob({ pattern: "*", path: "/" })).files)).toEqual(["/a"]);
    expect(paths((await outer.glob({ pattern: "*", path: "/" })).files)).toEqual(["/a"]);
    expect(paths((await rest.glob({ pattern: "*", path: "/" })).files)).toEqual(["/m2", "/mn/a"]);
  });

  test("a route is a directory, with and without a slash", async () => {
    const files = await tree();
    expect(await files.stat("/memories")).toEqual({ path: "/memories", type: "directory" });
    expect(paths(await files.list("/"))).toEqual(["/a.py", "/memories", "/sub"]);
    expect(paths(await files.list("/sub"))).toEqual(["/sub/b.py", "/sub/deep"]);
    expect(paths(await files.list("/memories"))).toEqual(["/memories/.hidden", "/memories/deep", "/memories/m.py"]);
    await expect(files.write("/memories", bytes(""))).rejects.toThrow("/memories is a directory");
    await expect(files.write("/sub", bytes(""))).rejects.toThrow("/sub is a directory");
  });

  test("a directory that only leads to a route exists", async () => {
    const files = await opened(compositeFiles(memoryFiles(), { "/x/y/z": memoryFiles() }));
    expect(paths(await files.list("/x"))).toEqual(["/x/y"]);
    expect(await files.stat("/x/y")).toEqual({ path: "/x/y", type: "directory" });
    expect(await files.glob({ pattern: "*", path: "/x" })).toEqual({ files: [], failures: [] });
  });

  test.each([
    [
      "*.py",
      "/",
      ["/a.py", "/memories/.hidden/o.py", "/memories/deep/n.py", "/memories/m.py", "/sub/b.py", "/sub/deep/p.py"],
    ],
    ["**/*.py", "/", ["/a.py", "/memories/deep/n.py", "/memories/m.py", "/sub/b.py", "/sub/deep/p.py"]],
    ["memories/*.py", "/", ["/memories/m.py"]],
    ["/memories/**", "/memories", ["/memories/deep/n.py", "/memories/m.py"]],
    ["deep/*", "/memories", ["/memories/deep/n.py"]],
    ["deep/*", "/sub", ["/sub/deep/p.py"]],
    ["*.md", "/", []],
  ])("the glob %j in %j finds %j", async (pattern, path, expected) => {
    const files = await tree();
    expect(paths((await files.glob({ pattern, path })).files)).toEqual(expected);
    expect(paths((await grep(files, { glob: pattern, path })).files)).toEqual(expected);
  });

  test("searches share one limit", async () => {
    const files = await tree();
    const counts = async (maxCount: number): Promise<unknown> => {
      const { files: found, isCut } = await grep(files, { maxCount });
      return [found.reduce((sum, { count }) => sum + count, 0), isCut];
    };
    expect(await counts(7)).toEqual([7, false]);
    expect(await counts(6)).toEqual([6, true]);
    expect(await counts(2)).toEqual([2, true]);
  });

  test("a route that fails gives partial results", async () => {
    const files = await opened(compositeFiles(base(), { "/broken": broken() }));
    const found = await grep(files);
    expect(paths(found.files)).toEqual(["/a.py", "/memories/shadowed.py", "/sub/b.py"]);
    expect(found.failures).toEqual(["The operation on /broken/x failed: the network is down."]);
    await expect(grep(files, { path: "/broken" })).rejects.toThrow("/broken/x failed");
  });

  test("errors name paths of the tree", async () => {
    const files = await tree();
    await expect(files.read("/memories/none")).rejects.toThrow("There is no file or directory /memories/none.");
  });

  test("a directory that is not visible hides the routes in it", async () => {
    const files = await tree();
    const found = await files.glob({ pattern: "*.py", path: "/", isVisible: (path) => path !== "/sub" });
    expect(paths(found.files).filter((path) => path.startsWith("/sub"))).toEqual([]);
  });

  test("delete works across routes, and says what is left", async () => {
    const files = await opened(
      compositeFiles(memoryFiles({ "/d/a": "", "/d/b/c": "" }), {
        "/d/m": memoryFiles({ "/x": "" }),
        "/d/n": broken(),
      }),
    );
    expect(await files.delete?.("/d")).toEqual({
      files: 3,
      failures: ["The operation on /d/n/x failed: the network is down."],
    });
    expect(paths(await files.list("/d/m"))).toEqual([]);
    await expect(files.delete?.("/")).rejects.toThrow("root directory");
    await expect(files.delete?.("/none")).rejects.toThrow("There is no file or directory /none.");
  });

  test("a factory gets the context, and only the default backend executes", async () => {
    const seen: FilesContext[] = [];
    const files = await opened(
      compositeFiles(
        (given) => {
          seen.push(given);
          return memoryFiles();
        },
        { "/sandbox": { ...memoryFiles(), execute: () => Promise.reject(new Error("not here")) } },
      ),
    );
    expect(seen).toEqual([context]);
    expect(files).not.toHaveProperty("execute");
  });

  test.each(["/", "a", "/a/../b", "~"])("the route %j is refused", (route) => {
    expect(() => compositeFiles(memoryFiles(), { [route]: memoryFiles() })).toThrow("routes");
  });

  test("a route is given once", () => {
    expect(() => compositeFiles(memoryFiles(), { "/a": memoryFiles(), "/a/": memoryFiles() })).toThrow(
      "each route once",
    );
  });
});
