import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { UndangleError } from "#core";
import { compositeFiles, diskFiles, memoryFiles, storeFiles } from "#files";
import type { FileBackend, FileBackendSource } from "#files";
import { memoryStore } from "#store";

const opened = (source: FileBackendSource): FileBackend => {
  if (typeof source === "function") throw new Error("a factory");
  return source;
};
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

type Operation =
  | { readonly type: "write"; readonly path: string; readonly text: string }
  | { readonly type: "append"; readonly path: string; readonly text: string }
  | { readonly type: "read" | "list" | "stat" | "delete" | "glob" | "grep"; readonly path: string };

/** A file system as a map, without rows, handles and routes. Empty directories exist if the backend keeps them. */
class Model {
  readonly files = new Map<string, string>();
  readonly directories = new Set(["/"]);
  readonly keepsDirectories: boolean;

  constructor(keepsDirectories: boolean) {
    this.keepsDirectories = keepsDirectories;
  }

  apply(operation: Operation): unknown {
    const { path } = operation;
    const text = this.files.get(path);
    const isDirectory = this.directories.has(path);
    switch (operation.type) {
      case "write": {
        if (isDirectory) return "file/is-directory";
        const above = this.#above(path);
        if (above.some((each) => this.files.has(each))) return "file/not-directory";
        for (const each of above) this.directories.add(each);
        this.files.set(path, operation.text);
        return { isCreated: text === undefined };
      }
      case "append":
        if (text === undefined) return isDirectory ? "file/is-directory" : "file/missing";
        this.files.set(path, text + operation.text);
        return undefined;
      case "read":
        return text ?? (isDirectory ? "file/is-directory" : "file/missing");
      case "stat":
        return text === undefined ? (isDirectory ? "directory" : undefined) : text.length;
      case "list":
        if (!isDirectory) return text === undefined ? "file/missing" : "file/not-directory";
        return [...this.files.keys(), ...this.directories].filter((each) => this.#parent(each) === path).sort();
      case "delete": {
        if (path === "/") return "file/path";
        if (text === undefined && !isDirectory) return "file/missing";
        const gone = [...this.files.keys()].filter((each) => each === path || each.startsWith(`${path}/`));
        for (const each of gone) this.files.delete(each);
        for (const each of this.directories)
          if (each === path || each.startsWith(`${path}/`)) this.directories.delete(each);
        this.#forgetEmpty();
        return gone.length;
      }
      case "glob":
        if (!isDirectory) return text === undefined ? "file/missing" : "file/not-directory";
        return this.#below(path);
      default:
        if (!isDirectory && text === undefined) return "file/missing";
        return (isDirectory ? this.#below(path) : [path]).filter((each) => this.files.get(each)?.includes("x"));
    }
  }

  #below(path: string): readonly string[] {
    return [...this.files.keys()].filter((each) => path === "/" || each.startsWith(`${path}/`)).sort();
  }
  #above(path: string): readonly string[] {
    const parts = path.split("/");
    return parts.slice(1, -1).map((_, index) => parts.slice(0, index + 2).join("/"));
  }
  #parent(path: string): string | undefined {
    return path === "/" ? undefined : path.slice(0, path.lastIndexOf("/")) || "/";
  }
  #forgetEmpty(): void {
    if (this.keepsDirectories) return;
    for (const each of this.directories)
      if (each !== "/" && this.#below(each).length === 0) this.directories.delete(each);
  }
}

async function perform(files: FileBackend, operation: Operation): Promise<unknown> {
  const { path } = operation;
  try {
    switch (operation.type) {
      case "write":
        return await files.write(path, bytes(operation.text));
      case "append":
        return await files.update(path, (data) => bytes(new TextDecoder().decode(data) + operation.text));
      case "read":
        return new TextDecoder().decode(await files.read(path));
      case "stat": {
        const info = await files.stat(path);
        return info?.type === "directory" ? "directory" : info?.size;
      }
      case "list":
        return (await files.list(path)).map((info) => info.path);
      case "delete":
        return (await files.delete?.(path))?.files;
      case "glob":
        return (await files.glob({ pattern: "*", path })).files.map((info) => info.path);
      default: {
        const query = { pattern: "x", isRegex: false, path, context: 0, maxCount: 1000 };
        return (await files.grep(query)).files.map((file) => file.path);
      }
    }
  } catch (error) {
    if (error instanceof UndangleError) return error.code;
    throw error;
  }
}

const paths = fc
  .array(fc.constantFrom("a", "b", "c", "d e", "é"), { minLength: 0, maxLength: 3 })
  .map((names) => `/${names.join("/")}`);
const texts = fc.constantFrom("", "x", "y\nx\n", "z");
const operations: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ type: fc.constant("write" as const), path: paths, text: texts }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("append" as const), path: paths, text: texts }) },
  { weight: 5, arbitrary: fc.record({ type: fc.constantFrom("read", "list", "stat", "delete", "glob"), path: paths }) },
);
const searches = fc.record({ type: fc.constant("grep" as const), path: paths });

const backends = {
  memoryFiles: { keepsDirectories: false, open: () => memoryFiles(), runs: 300 },
  storeFiles: {
    keepsDirectories: false,
    open: () => opened(storeFiles({ store: memoryStore(), namespace: ["a"] })),
    runs: 200,
  },
  diskFiles: { keepsDirectories: true, open: (root: string) => diskFiles(root), runs: 60 },
  compositeFiles: {
    keepsDirectories: true,
    open: (root: string) => opened(compositeFiles(diskFiles(root), { "/elsewhere/z": memoryFiles() })),
    runs: 60,
  },
};

describe.each(Object.entries(backends))("%s", (name, { keepsDirectories, open, runs }) => {
  test("it behaves like a map of paths", { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operations, { minLength: 1, maxLength: 25 }), searches, async (steps, search) => {
        const root = mkdtempSync(join(tmpdir(), "undangle-model-"));
        try {
          const files = open(root);
          const model = new Model(keepsDirectories);
          for (const step of [...steps, search]) {
            const expected = model.apply(step);
            const actual = await perform(files, step);
            const isRoot = name === "compositeFiles" && step.type === "list" && step.path === "/";
            const shown = isRoot && Array.isArray(actual) ? actual.filter((path) => path !== "/elsewhere") : actual;
            expect([step, shown]).toEqual([step, expected]);
          }
        } finally {
          rmSync(root, { recursive: true, force: true });
        }
      }),
      { numRuns: runs },
    );
  });
});
