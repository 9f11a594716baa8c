import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { UndangleError } from "#core";
import { diskFiles } from "#files";
import type { FileBackend, GrepQuery } from "#files";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const query = (pattern: string, rest: Partial<GrepQuery> = {}): GrepQuery => ({
  pattern,
  isRegex: false,
  path: "/",
  context: 0,
  maxCount: 1000,
  ...rest,
});
const errorOf = async (promise: Promise<unknown> | undefined): Promise<UndangleError> => {
  const error: unknown = await promise?.then(
    () => new Error("it succeeded"),
    (caught: unknown) => caught,
  );
  if (!(error instanceof UndangleError)) throw new Error(`not an UndangleError: ${String(error)}`, { cause: error });
  return error;
};

let world: string;
let root: string;
let files: FileBackend;

beforeEach(() => {
  world = mkdtempSync(join(tmpdir(), "undangle-disk-"));
  root = join(world, "root");
  mkdirSync(join(root, "d/e"), { recursive: true });
  mkdirSync(join(world, "outside"));
  writeFileSync(join(world, "outside/secret"), "needle");
  writeFileSync(join(root, "d/e/a.txt"), "needle");
  symlinkSync("../outside", join(root, "out"));
  symlinkSync(join(world, "outside/secret"), join(root, "secret"));
  symlinkSync("d/e", join(root, "in"));
  symlinkSync("e/a.txt", join(root, "d/link.txt"));
  symlinkSync(join(root, "d"), join(root, "absolute"));
  symlinkSync("nowhere", join(root, "dangling"));
  symlinkSync("loop", join(root, "loop"));
  symlinkSync(".", join(root, "self"));
  files = diskFiles(root);
});
afterEach(() => {
  rmSync(world, { recursive: true, force: true });
});

const outside = (): string =>
  readdirSync(join(world, "outside")).join() + readFileSync(join(world, "outside/secret"), "utf8");

describe("links", () => {
  test.each(["/out/secret", "/secret", "/self/out/secret"])(
    "nothing outside is read, written or deleted through %s",
    async (path) => {
      const codes = ["file/outside", "file/missing"];
      for (const attempt of [
        () => files.read(path),
        () => files.write(path, bytes("changed")),
        () => files.update(path, () => bytes("changed")),
        () => files.list(path),
        () => files.grep(query("needle", { path })),
        () => files.glob({ pattern: "*", path }),
      ]) {
        const error = await errorOf(attempt());
        expect(codes).toContain(error.code);
        expect(error.message + JSON.stringify(error)).not.toContain(world);
      }
      expect(outside()).toBe("secretneedle");
    },
  );

  test("a link in a middle segment that leaves the root is refused", async () => {
    expect((await errorOf(files.write("/out/new", bytes("")))).code).toBe("file/outside");
    expect((await errorOf(files.write("/out/new/deep", bytes("")))).code).toBe("file/outside");
    expect((await errorOf(files.delete?.("/out/secret"))).code).toBe("file/outside");
    expect((await errorOf(files.stat("/out/secret"))).code).toBe("file/outside");
    expect(outside()).toBe("secretneedle");
  });

  test("a link that stays inside is followed", async () => {
    const text = async (path: string): Promise<string> => new TextDecoder().decode(await files.read(path));
    for (const path of ["/in/a.txt", "/d/link.txt", "/absolute/e/a.txt", "/self/self/in/a.txt"])
      expect(await text(path)).toBe("needle");
    await files.write("/in/b.txt", bytes("b"));
    expect(readFileSync(join(root, "d/e/b.txt"), "utf8")).toBe("b");
    await files.update("/d/link.txt", () => bytes("changed"));
    expect(readFileSync(join(root, "d/e/a.txt"), "utf8")).toBe("changed");
    expect(lstatSync(join(root, "d/link.txt")).isSymbolicLink()).toBe(true);
    expect((await files.list("/in")).map(({ path }) => path)).toEqual(["/in/a.txt", "/in/b.txt"]);
  });

  test("links are listed as links, and searches do not follow them", async () => {
    const types = (await files.list("/")).map(({ path, type }) => `${path} ${type}`);
    expect(types).toContain("/out link");
    expect(types).toContain("/in link");
    expect((await files.stat("/in"))?.type).toBe("link");
    const globbed = await files.glob({ pattern: "*.txt", path: "/" });
    expect(globbed.files).toEqual([
      { path: "/d/e/a.txt", type: "file" },
      { path: "/d/link.txt", type: "link" },
    ]);
    for (const isRegex of [false, true])
      expect((await files.grep(query("needle", { isRegex }))).files.map(({ path }) => path)).toEqual(["/d/e/a.txt"]);
    expect((await files.grep(query("needle", { path: "/in" }))).files.map(({ path }) => path)).toEqual(["/in/a.txt"]);
  });

  test("a broken link is missing, and a loop ends", async () => {
    expect((await errorOf(files.read("/dangling"))).code).toBe("file/missing");
    expect((await errorOf(files.read("/loop"))).code).toBe("file/failed");
    expect((await errorOf(files.read("/loop/x"))).message).toContain("too many symbolic links");
  });

  test("delete removes a link, not its target", async () => {
    for (const path of ["/in", "/out", "/dangling", "/d/link.txt"])
      expect(await files.delete?.(path)).toEqual({ files: 1 });
    expect(existsSync(join(root, "d/e/a.txt"))).toBe(true);
    expect(outside()).toBe("secretneedle");
    symlinkSync("../../outside", join(root, "d/out"));
    expect(await files.delete?.("/d")).toEqual({ files: 2 });
    expect(outside()).toBe("secretneedle");
  });
});

describe("what is not a file", () => {
  test("a pipe is refused, and never blocks", async () => {
    execFileSync("mkfifo", [join(root, "pipe")]);
    for (const attempt of [
      () => files.read("/pipe"),
      () => files.write("/pipe", bytes("")),
      () => files.update("/pipe", (data) => data),
    ])
      expect((await errorOf(attempt())).message).toContain("a device, a pipe or a socket");
    expect((await files.grep(query("needle", { isRegex: true }))).files).toHaveLength(1);
    expect((await files.grep(query("needle"))).files).toHaveLength(1);
    expect(await files.delete?.("/pipe")).toEqual({ files: 1 });
  });

  test("a socket is refused", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => void server.listen(join(root, "socket"), resolve));
    try {
      expect((await errorOf(files.read("/socket"))).code).toBe("file/failed");
    } finally {
      server.close();
    }
  });

  test.runIf(process.getuid?.() === 0)("a device is refused", async () => {
    execFileSync("mknod", [join(root, "device"), "c", "1", "5"]);
    expect((await errorOf(files.read("/device"))).code).toBe("file/failed");
    expect((await errorOf(files.write("/device", bytes("")))).code).toBe("file/failed");
  });
});

describe("writes", () => {
  test("they keep the mode, and leave no other file", async () => {
    const path = join(root, "d/e/a.txt");
    chmodSync(path, 0o750);
    await files.write("/d/e/a.txt", bytes("new"));
    await files.update("/d/e/a.txt", () => bytes("newer"));
    expect(statSync(path).mode & 0o7777).toBe(0o750);
    expect(readdirSync(join(root, "d/e"))).toEqual(["a.txt"]);
  });

  test("a write that fails leaves the old file and no other", async () => {
    mkdirSync(join(root, "full"));
    await errorOf(files.write("/d/e", bytes("")));
    await errorOf(files.write(`/full/${"a".repeat(256)}`, bytes("")));
    expect(readdirSync(join(root, "full"))).toEqual([]);
    expect(readFileSync(join(root, "d/e/a.txt"), "utf8")).toBe("needle");
  });

  test("a reader sees the old or the new content, never a part", async () => {
    const texts = ["a".repeat(300_000), "b".repeat(300_000)];
    await files.write("/big", bytes(texts[0] ?? ""));
    const progress = { isDone: false };
    const seen = new Set<string>();
    const reader = (async () => {
      while (!progress.isDone) seen.add(new TextDecoder().decode(await files.read("/big")));
    })();
    for (let index = 1; index < 40; index++) await files.write("/big", bytes(texts[index % 2] ?? ""));
    progress.isDone = true;
    await reader;
    expect([...seen].filter((text) => !texts.includes(text))).toEqual([]);
  });

  test("files that are being written are in no listing and no search", async () => {
    writeFileSync(join(root, "d/.undangle-0123456789abcdef01234567.tmp"), "needle");
    expect((await files.list("/d")).map(({ path }) => path)).toEqual(["/d/e", "/d/link.txt"]);
    expect((await files.glob({ pattern: ".*", path: "/" })).files).toEqual([]);
    expect((await files.grep(query("needle"))).files.map(({ path }) => path)).toEqual(["/d/e/a.txt"]);
  });

  test("readOnly refuses to write and has no delete", async () => {
    const frozen = diskFiles(root, { readOnly: true });
    expect((await errorOf(frozen.write("/x", bytes("")))).code).toBe("file/read-only");
    expect((await errorOf(frozen.update("/d/e/a.txt", (data) => data))).code).toBe("file/read-only");
    expect(frozen).not.toHaveProperty("delete");
    expect(new TextDecoder().decode(await frozen.read("/d/e/a.txt"))).toBe("needle");
  });
});

describe("errors", () => {
  test.each(["a", "/a/../d", "/a/./b", "/a//b", "/a/", "/a\u0000"])(
    "the path %j is refused: it is not canonical",
    async (path) => {
      expect((await errorOf(files.write(path, bytes("")))).code).toBe("file/path");
      expect((await errorOf(files.glob({ pattern: "*", path }))).code).toBe("file/path");
    },
  );

  test("a missing root is reported without its path", async () => {
    const error = await errorOf(diskFiles(join(world, "none")).list("/"));
    expect(error.message).toBe("The operation on / failed: the root directory does not exist.");
  });

  test("a large file is refused with its size", async () => {
    writeFileSync(join(root, "large"), new Uint8Array(11 * 1024 * 1024).fill(120));
    expect((await errorOf(files.read("/large"))).code).toBe("file/too-large");
    expect((await files.grep(query("xxx"))).failures).toEqual(["/large has 11534336 bytes; the limit is 10485760."]);
  });

  test("a search does not read files that are too large, and reports them", async () => {
    writeFileSync(join(root, "sparse"), "");
    truncateSync(join(root, "sparse"), 2 ** 40);
    for (const isRegex of [false, true]) {
      const found = await files.grep(query("needle", { isRegex }));
      expect(found.files.map(({ path }) => path)).toEqual(["/d/e/a.txt"]);
      expect(found.failures).toEqual(["/sparse has 1099511627776 bytes; the limit is 10485760."]);
    }
    expect((await files.grep(query("needle", { isVisible: (path) => path !== "/sparse" }))).failures).toEqual([]);
  });

  test.each(["x".repeat(300_000), "needle\0", "\uD800", "--files", "-e", ""])(
    "a literal text that a command line cannot contain is no error",
    async (pattern) => {
      expect((await files.grep(query(pattern))).files.map(({ path }) => path)).toEqual(
        pattern === "" ? ["/d/e/a.txt"] : [],
      );
    },
  );

  test("names that no path can spell are left out", async () => {
    writeFileSync(join(root, "d/e/new\nline"), "needle");
    writeFileSync(join(root, "d/e/back\\slash"), "needle");
    writeFileSync(Buffer.concat([Buffer.from(join(root, "d/e/")), Buffer.of(0xff)]), "needle");
    expect((await files.list("/d/e")).map(({ path }) => path)).toEqual(["/d/e/a.txt"]);
    for (const isRegex of [false, true])
      expect((await files.grep(query("needle", { isRegex }))).files.map(({ path }) => path)).toEqual(["/d/e/a.txt"]);
    expect(await files.delete?.("/d")).toEqual({ files: 5 });
  });
});
