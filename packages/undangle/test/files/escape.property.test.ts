import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { canonicalPath, diskFiles } from "#files";
import type { FileBackend } from "#files";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const secret = "do-not-read";

/** A root with links that lead outside, in the last and in middle segments. */
function makeWorld(): { readonly world: string; readonly root: string } {
  const world = mkdtempSync(join(tmpdir(), "undangle-world-"));
  const root = join(world, "root");
  mkdirSync(join(root, "a/b"), { recursive: true });
  mkdirSync(join(world, "outside/b"), { recursive: true });
  writeFileSync(join(world, "outside/b/f"), secret);
  writeFileSync(join(world, "outside/f"), secret);
  writeFileSync(join(root, "a/b/f"), "inside");
  symlinkSync("../outside", join(root, "l"));
  symlinkSync("../../outside/f", join(root, "a/l"));
  symlinkSync(join(world, "outside"), join(root, "a/b/l"));
  symlinkSync("..", join(root, "up"));
  symlinkSync("a", join(root, "in"));
  symlinkSync("/", join(root, "top"));
  return { world, root };
}

/** Everything outside the root, with contents. */
function outsideOf(world: string): readonly string[] {
  const names = readdirSync(world).filter((name) => name !== "root");
  const below = readdirSync(join(world, "outside"), { recursive: true, withFileTypes: true }).map((entry) => {
    const path = join(entry.parentPath, entry.name);
    return entry.isFile() ? `${path} ${readFileSync(path, "utf8")}` : path;
  });
  return [...names, ...below].sort();
}

/** Does everything that a backend can do with a path. Returns all that it says. */
async function useAll(files: FileBackend, path: string): Promise<string> {
  const said: string[] = [];
  const attempts: (() => Promise<unknown>)[] = [
    () => files.stat(path),
    () => files.list(path),
    async () => new TextDecoder().decode(await files.read(path)),
    () => files.update(path, () => bytes("changed")),
    () => files.write(path, bytes("changed")),
    () => files.glob({ pattern: "*", path }),
    async () => files.delete?.(path),
  ];
  for (const attempt of attempts)
    try {
      said.push(JSON.stringify(await attempt()) ?? "");
    } catch (error) {
      said.push(String(error), JSON.stringify(error), String(error instanceof Error ? error.cause : ""));
    }
  return said.join("\n");
}

const segments = fc.constantFrom(
  "a",
  "b",
  "l",
  "up",
  "in",
  "top",
  "f",
  "tmp",
  "outside",
  "root",
  "..",
  ".",
  "~",
  "．．",
  "",
);
const separators = fc.constantFrom("/", "//", "\\", "/./", "／");
const spellings = fc
  .tuple(fc.constantFrom("", "/", "//", "\\"), fc.array(fc.tuple(segments, separators), { minLength: 1, maxLength: 6 }))
  .map(([start, parts]) => start + parts.map((part) => part.join("")).join(""));

describe("diskFiles", () => {
  test("no spelling of a path reaches, changes or names anything outside the root", { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(spellings, { minLength: 1, maxLength: 4 }), async (texts) => {
        const { world, root } = makeWorld();
        try {
          const before = outsideOf(world);
          const files = diskFiles(root);
          for (const text of texts) {
            const { path, error } = canonicalPath(text);
            const said = path === undefined ? error.message : await useAll(files, path);
            // A path that was given may contain the words of a host path; a host path as a whole it cannot.
            expect(said).not.toContain(world);
            expect(said).not.toContain(secret);
          }
          expect(outsideOf(world)).toEqual(before);
        } finally {
          rmSync(world, { recursive: true, force: true });
        }
      }),
      { numRuns: 100 },
    );
  });

  test.runIf(process.platform === "linux")(
    "a directory that another process swaps for a link all the time never leads outside",
    { timeout: 60_000 },
    async () => {
      const { world, root } = makeWorld();
      const before = outsideOf(world);
      const swapper = swap(root);
      try {
        await once(swapper, "spawn");
        const files = diskFiles(root);
        const query = { pattern: secret, context: 0, maxCount: 10, path: "/" };
        const end = performance.now() + 3000;
        const outcomes = { inside: 0, refused: 0 };
        for (let round = 0; performance.now() < end; round++) {
          const results = await Promise.allSettled([
            files.read("/s/f"),
            files.write(`/s/new${round % 5}`, bytes("new")),
            files.update("/s/f", () => bytes("inside")),
            files.list("/s"),
            files.delete?.("/s/new1"),
            ...(round % 20 === 0 ? [files.grep({ ...query, isRegex: round % 40 === 0 })] : []),
          ]);
          for (const result of results) {
            const isInside = result.status === "fulfilled";
            outcomes[isInside ? "inside" : "refused"]++;
            const value: unknown = isInside ? result.value : result.reason;
            expect(
              value instanceof Uint8Array ? new TextDecoder().decode(value) : (JSON.stringify(value) ?? ""),
            ).not.toContain(secret);
            expect(String(value)).not.toContain(world);
          }
        }
        expect(swapper.exitCode).toBeNull();
        expect(outcomes.inside).toBeGreaterThan(0);
        expect(outcomes.refused).toBeGreaterThan(0);
        expect(outsideOf(world)).toEqual(before);
      } finally {
        if (swapper.exitCode === null && swapper.kill("SIGKILL")) await once(swapper, "exit");
        rmSync(world, { recursive: true, force: true });
      }
    },
  );
});

/** A process that makes `/s` a directory and a link to the outside in turn, as fast as it can. */
function swap(root: string): ChildProcess {
  mkdirSync(join(root, "s"));
  writeFileSync(join(root, "s/f"), "inside");
  const program = `
    const { renameSync, rmSync, symlinkSync } = require("node:fs");
    process.chdir(${JSON.stringify(root)});
    // A step fails when the backend has created the directory in the meantime. The next round removes it.
    const attempt = (work) => { try { work(); } catch (error) { if (error.code === undefined) throw error; } };
    for (;;) {
      attempt(() => renameSync("s", "kept"));
      attempt(() => symlinkSync("../outside", "s"));
      attempt(() => rmSync("s", { recursive: true }));
      attempt(() => renameSync("kept", "s"));
    }`;
  return spawn(process.execPath, ["-e", program], { stdio: "ignore" });
}
