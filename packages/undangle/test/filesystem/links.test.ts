import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { tool } from "#engine";
import { compositeFiles, diskFiles, memoryFiles } from "#files";
import type { FileBackendSource, PermissionRule } from "#files";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { onFiles, resultOf } from "./file-stage.ts";
import type { Called } from "./file-stage.ts";

/** Symbolic links inside the root give files further paths. Rules apply to all of them. */

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "undangle-links-"));
  for (const directory of ["secrets/deep", "public"]) mkdirSync(join(root, directory), { recursive: true });
  writeFileSync(join(root, "secrets/k.txt"), "needle");
  writeFileSync(join(root, "secrets/deep/d.txt"), "needle");
  writeFileSync(join(root, "public/p.txt"), "needle");
  symlinkSync("secrets", join(root, "dir"));
  symlinkSync("../secrets/k.txt", join(root, "public/file.txt"));
  symlinkSync("../secrets/new.txt", join(root, "public/dangling.txt"));
  symlinkSync("missing/../secrets", join(root, "detour"));
  symlinkSync("dir/deep", join(root, "chain"));
  symlinkSync(join(root, "secrets"), join(root, "absolute"));
  symlinkSync("/", join(root, "out"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const rule = (mode: "deny" | "ask", ...paths: readonly string[]): PermissionRule => ({
  operations: ["read", "write"],
  paths,
  mode,
});

const read = (file_path: string): Called => ["read_file", { file_path }];
const write = (file_path: string): Called => ["write_file", { file_path, content: "changed" }];
const edit = (file_path: string): Called => ["edit_file", { file_path, old_string: "needle", new_string: "x" }];
const remove = (file_path: string): Called => ["delete", { file_path }];

const uses: readonly Called[] = [
  ...["/dir/k.txt", "/public/file.txt", "/chain/d.txt", "/absolute/k.txt", "/absolute/deep/d.txt"].flatMap((path) => [
    read(path),
    write(path),
    edit(path),
  ]),
  ...["/public/dangling.txt", "/dir/new/file.txt", "/chain/new.txt", "/detour/new.txt"].map(write),
  ...["/dir/k.txt", "/dir/deep", "/chain/d.txt"].map(remove),
  ["ls", { path: "/chain" }],
  ["glob", { pattern: "*", path: "/chain" }],
  ["glob", { pattern: "/chain/*" }],
  ["grep", { pattern: "needle", path: "/chain" }],
  ["grep", { pattern: "needle", path: "/public/file.txt" }],
  ["grep", { pattern: "needle", path: "/public/file.txt", regex: true }],
];

const backends: Readonly<Record<string, () => FileBackendSource>> = {
  "a disk": () => diskFiles(root),
  "a factory": () => () => diskFiles(root),
  "a composite": () => compositeFiles(diskFiles(root), { "/memories": memoryFiles() }),
};

const unchanged = (): void => {
  expect(readFileSync(join(root, "secrets/k.txt"), "utf8")).toBe("needle");
  expect(readdirSync(join(root, "secrets"))).toEqual(["deep", "k.txt"]);
  expect(readdirSync(join(root, "secrets/deep"))).toEqual(["d.txt"]);
};

describe.each(Object.entries(backends))("links in %s", (kind, open) => {
  test.each(uses.map((call) => [call] as const))("a rule denies %j", async (call) => {
    const result = await resultOf(call, { backend: open(), permissions: [rule("deny", "/secrets/**")] });
    expect(result).toMatch(/^!A permission rule denies/u);
    unchanged();
  });

  test.each(uses.map((call) => [call] as const))("a rule that names only the directory denies %j", async (call) => {
    expect(await resultOf(call, { backend: open(), permissions: [rule("deny", "/secrets")] })).toMatch(/denies/u);
    unchanged();
  });

  test.each(uses.map((call) => [call] as const))("allowedPrefixes refuses %j", async (call) => {
    const allowedPrefixes = ["/public", "/chain", "/dir", "/detour", "/absolute"];
    expect(await resultOf(call, { backend: open(), allowedPrefixes })).toMatch(/^!.* is not accessible/u);
    unchanged();
  });

  test.each(uses.map((call) => [call] as const))("a rule that asks holds %j", async (call) => {
    const given = { backend: open(), permissions: [rule("ask", "/secrets/**")], turns: [[call]] };
    const { end, results } = await onFiles(given);
    const refused = String(results[0]).match(/leads through a link to \/secrets\/.* needs approval/u)?.length;
    expect([end.status, refused]).toEqual(kind === "a factory" ? ["done", 1] : ["waiting", undefined]);
    unchanged();
  });

  test.each<[Called, string]>([
    [["ls", { path: "/dir" }], "/dir is empty."],
    [["glob", { pattern: "*", path: "/dir" }], "Nothing in /dir matches *"],
    [["grep", { pattern: "needle", path: "/dir" }], "Nothing in /dir matches needle"],
    [["grep", { pattern: "needle" }], "/public/p.txt"],
    [["glob", { pattern: "**/*.txt" }], "/public/dangling.txt\n/public/file.txt\n/public/p.txt"],
  ])("lists and searches show nothing of what is denied: %j", async (call, expected) => {
    expect(await resultOf(call, { backend: open(), permissions: [rule("deny", "/secrets/**")] })).toBe(expected);
  });

  test("a rule about a link applies to its target", async () => {
    const given = { backend: open(), permissions: [rule("deny", "/dir/**", "/public/file.txt")] };
    expect(await resultOf(read("/secrets/deep/d.txt"), given)).toMatch(/^!A permission rule denies/u);
    expect(
      await resultOf(read("/secrets/k.txt"), { ...given, permissions: [rule("deny", "/public/file.txt")] }),
    ).toMatch(/^!A permission rule denies/u);
  });

  test("deleting a link leaves its target, whatever the rules say about that", async () => {
    expect(await resultOf(remove("/dir"), { backend: open(), permissions: [rule("deny", "/secrets/**")] })).toBe(
      "Deleted /dir.",
    );
    unchanged();
  });

  test("a link that leaves the root is refused with rules as well", async () => {
    for (const call of [read("/out/etc/passwd"), write("/out/tmp/x"), remove("/out/tmp/x"), read("/out")]) {
      const result = await resultOf(call, { backend: open(), permissions: [rule("ask", "/secrets/**")] });
      expect(result).toMatch(/^!.* leads out of the file system through a symbolic link\.$/u);
      expect(result).not.toContain(root);
    }
  });
});

test("a link in place of the directory of stored results is not used", async () => {
  symlinkSync("secrets", join(root, "large_tool_results"));
  const { events, results } = await onFiles({
    backend: diskFiles(root),
    permissions: [{ operations: ["write"], paths: ["/secrets/**"], mode: "deny" }],
    agent: { tools: [tool({ name: "long", description: "", execute: () => "x".repeat(90_000) })] },
    turns: [[["long"]]],
  });
  expect(String(results[0])).toHaveLength(90_000);
  expect(events.some(({ type }) => type === "warning")).toBe(true);
  unchanged();
});
