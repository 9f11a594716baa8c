import { compositeFiles, memoryFiles } from "#files";
import type { FileBackend, PermissionRule } from "#files";
import { filesystem } from "#middleware";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { onFiles, resultOf } from "./file-stage.ts";
import type { Called } from "./file-stage.ts";

const files = { "/secrets/k.txt": "needle", "/docs/a.md": "needle", "/docs/b.md": "x" };
const deny = (operation: "read" | "write", ...paths: readonly string[]): PermissionRule => ({
  operations: [operation],
  paths,
  mode: "deny",
});
const ask = (operation: "read" | "write", ...paths: readonly string[]): PermissionRule => ({
  ...deny(operation, ...paths),
  mode: "ask",
});

describe("rules that deny", () => {
  test.each<[string, Called, string]>([
    [
      "R1 read_file",
      ["read_file", { file_path: "/secrets/k.txt" }],
      "!A permission rule denies to read /secrets/k.txt.",
    ],
    ["P3", ["read_file", { file_path: "//secrets/k.txt" }], "!A permission rule denies to read /secrets/k.txt."],
    ["P4", ["read_file", { file_path: "/./secrets/k.txt" }], "!A permission rule denies to read /secrets/k.txt."],
    [
      "P4 in the middle",
      ["read_file", { file_path: "/secrets/./k.txt" }],
      "!A permission rule denies to read /secrets/k.txt.",
    ],
    ["R1 ls", ["ls", { path: "/secrets" }], "/secrets is empty."],
    ["R1 glob", ["glob", { pattern: "**/*.{txt,md}" }], "/docs/a.md\n/docs/b.md"],
    ["R1 grep", ["grep", { pattern: "needle" }], "/docs/a.md"],
    [
      "R1 grep in the directory",
      ["grep", { pattern: "needle", path: "/secrets" }],
      "Nothing in /secrets matches needle",
    ],
    ["C33 write_file", ["write_file", { file_path: "/secrets/k.txt", content: "x" }], "Replaced /secrets/k.txt."],
    [
      "an edit, whose errors would show the content",
      ["edit_file", { file_path: "/secrets/k.txt", old_string: "needle", new_string: "x" }],
      "!A permission rule denies to read /secrets/k.txt.",
    ],
    ["R7 an absolute pattern", ["glob", { pattern: "/docs/*.md" }], "/docs/a.md\n/docs/b.md"],
  ])("%s", async (_, call, expected) => {
    expect(await resultOf(call, { files, permissions: [deny("read", "/secrets/**")] })).toBe(expected);
  });

  test.each<[string, string, readonly PermissionRule[], RegExp]>([
    [
      "R3 a directory above",
      "/docs",
      [deny("write", "/docs/a.md")],
      /^!A permission rule denies to delete something in/u,
    ],
    ["R3 a file of its own", "/docs/b.md", [deny("write", "/**/a.md")], /^Deleted/u],
    ["R3 another directory", "/docs", [deny("write", "/docsshop/**")], /^Deleted/u],
    ["R3 the file", "/docs/a.md", [deny("write", "/docs/a.md")], /^!A permission rule denies to write/u],
  ])("delete: %s", async (_, path, permissions, expected) => {
    expect(await resultOf(["delete", { file_path: path }], { files, permissions })).toMatch(expected);
  });
});

test("every spelling of a denied path is denied", async () => {
  const separator = fc.stringMatching(/^(?:[/\\](?:\.[/\\])*){1,3}$/u);
  const spelling = fc.tuple(fc.constantFrom("", "/", "//", "./"), separator, fc.constantFrom("", "/", "/."));
  const law = fc.asyncProperty(spelling, async ([before, between, after]) => {
    const given = `${before}secrets${between}k.txt${after}`;
    const result = await resultOf(["read_file", { file_path: given }], {
      files,
      permissions: [deny("read", "/secrets/**")],
    });
    expect(result).toBe("!A permission rule denies to read /secrets/k.txt.");
  });
  await expect(fc.assert(law, { numRuns: 50 })).resolves.toBeUndefined();
});

test("a spelling of a path is allowed if and only if the canonical path is", async () => {
  const names = ["/secrets/k.txt", "/secrets/deep/K.txt", "/caf\u00e9/x", "/docs/a.md", "/.env", "/a{b,c}/[d]"];
  const patterns = [
    "/secrets/**",
    "/secrets",
    "/**/k.txt",
    "/{docs,caf\u00e9}/**",
    "/*/x",
    "/.*",
    "/cafe\u0301/",
    "/a*/**",
  ];
  const pieces = fc.record({
    path: fc.constantFrom(...names),
    before: fc.constantFrom("", "/", "//", "./", "\\", "/./"),
    between: fc.constantFrom("/", "//", "/./", "\\", "/.//"),
    after: fc.constantFrom("", "/", "/.", "//"),
    form: fc.constantFrom("NFC" as const, "NFD" as const),
    pattern: fc.constantFrom(...patterns),
    operation: fc.constantFrom("read" as const, "write" as const),
  });
  const law = fc.asyncProperty(pieces, async ({ path, before, between, after, form, pattern, operation }) => {
    const spelled = `${before}${path.slice(1).split("/").join(between)}${after}`.normalize(form);
    const permissions = [deny(operation, pattern)];
    const isDenied = async (file_path: string): Promise<boolean> => {
      const call: Called =
        operation === "read" ? ["read_file", { file_path }] : ["write_file", { file_path, content: "" }];
      return (await resultOf(call, { permissions, evict: false, evictMessages: false })).includes("denies");
    };
    expect(await isDenied(spelled)).toBe(await isDenied(path));
  });
  await expect(fc.assert(law, { numRuns: 150 })).resolves.toBeUndefined();
});

describe("rules that ask", () => {
  test.each<[string, Called, readonly PermissionRule[], "waiting" | "done"]>([
    ["R2 a write", ["write_file", { file_path: "/etc/x", content: "" }], [ask("write", "/etc/**")], "waiting"],
    ["R2 the alias path", ["write_file", { path: "/./etc/x", content: "" }], [ask("write", "/etc/**")], "waiting"],
    ["R2 elsewhere", ["write_file", { file_path: "/x", content: "" }], [ask("write", "/etc/**")], "done"],
    [
      "C35 an earlier deny",
      ["write_file", { file_path: "/etc/x", content: "" }],
      [deny("write", "/etc/**"), ask("write", "/**")],
      "done",
    ],
    ["R2 a read", ["read_file", { file_path: "/docs/a.md" }], [ask("read", "/docs/**")], "waiting"],
    ["R2 a search above", ["grep", { pattern: "x" }], [ask("read", "/docs/**")], "waiting"],
    ["R2 a search elsewhere", ["grep", { pattern: "x", path: "/secrets" }], [ask("read", "/docs/**")], "done"],
    ["R2 a delete above", ["delete", { file_path: "/docs" }], [ask("write", "/docs/a.md")], "waiting"],
    [
      "R2 a delete that is denied",
      ["delete", { file_path: "/docs" }],
      [ask("write", "/docs/a.md"), deny("write", "/docs/b.md")],
      "done",
    ],
    [
      "a delete of a file, with a rule that may deny something in a directory",
      ["delete", { file_path: "/docs/b.md" }],
      [deny("write", "/**/never.txt"), ask("write", "/docs/**")],
      "waiting",
    ],
    ["a rule that names a directory", ["read_file", { file_path: "/docs/a.md" }], [ask("read", "/docs")], "waiting"],
  ])("%s", async (_, call, permissions, status) => {
    const { end } = await onFiles({ files, permissions, turns: [[call]] });
    expect(end.status).toBe(status);
  });

  test("an approved call runs, a rejected one does not", async () => {
    const call = (path: string): Called => ["write_file", { file_path: path, content: "x" }];
    const backend = memoryFiles();
    const { agent } = await onFiles({ backend, permissions: [ask("write", "/**")], turns: [[call("/a"), call("/b")]] });
    await agent.thread("t").decide({ call_1: { type: "approve" }, call_2: { type: "reject" } }).result;
    expect([await backend.stat("/a"), await backend.stat("/b")]).toEqual([expect.anything(), undefined]);
  });

  test("an allowance for a tool does not cover what a rule asks for", async () => {
    const call = (path: string): Called => ["write_file", { file_path: path, content: "x" }];
    const { agent } = await onFiles({
      permissions: [ask("write", "/etc/**")],
      agent: { approvals: [{ tools: "write_file" }] },
      turns: [[call("/a")], [call("/etc/x")]],
    });
    const run = agent.thread("t").decide({ call_1: { type: "approve", always: true } });
    expect((await run.result).status).toBe("waiting");
    const always = agent.thread("t").decide({ call_2: { type: "approve", always: true } });
    expect((await always.result).status).toBe("failed");
  });

  test("a renamed tool waits as well", async () => {
    const { end } = await onFiles({
      permissions: [ask("write", "/etc/**")],
      names: { write_file: "save" },
      turns: [[["save", { file_path: "etc//x", content: "" }]]],
    });
    expect(end.status).toBe("waiting");
  });

  test("the agent's own rules still apply", async () => {
    const { end } = await onFiles({
      permissions: [ask("write", "/etc/**")],
      agent: { approvals: [{ tools: "ls" }] },
      turns: [[["ls"]]],
    });
    expect(end.status).toBe("waiting");
  });
});

describe("allowedPrefixes", () => {
  const inside = { "/data/a": "x", "/data/sub/b": "x", "/database/x": "x", "/other": "x" };
  test.each<[string, Called, string | RegExp]>([
    ["P13 inside", ["read_file", { file_path: "/data/a" }], "1  x"],
    [
      "P13 another name with the same beginning",
      ["read_file", { file_path: "/database/x" }],
      /^!\/database\/x is not accessible/u,
    ],
    ["a write outside", ["write_file", { file_path: "/other", content: "" }], /^!\/other is not accessible/u],
    ["the directories above show only the way", ["ls"], "data/"],
    ["a search above finds what is inside", ["grep", { pattern: "x" }], "/data/a\n/data/sub/b"],
    ["a search outside", ["glob", { pattern: "*", path: "/database" }], /^!\/database is not accessible/u],
  ])("%s", async (_, call, expected) => {
    const result = await resultOf(call, { files: inside, allowedPrefixes: ["/data"] });
    const shown = typeof expected === "string" || !expected.test(result) ? result : expected;
    expect(shown).toEqual(expected);
  });
});

describe("a backend with a shell", () => {
  const shell = (shellSees?: (directory: string) => boolean): FileBackend =>
    Object.assign(memoryFiles(files), {
      execute: async () => ({ output: new Uint8Array(), omitted: 0, exitCode: 0 }),
      ...(shellSees !== undefined && { shellSees }),
    });
  const permissions = [deny("read", "/secrets/**")];

  test("R4 refuses rules at construction", () => {
    expect(() => filesystem({ backend: shell(), permissions })).toThrow(/permissions/u);
  });

  test("R4 accepts rules for what its shell does not see", () => {
    expect(() => filesystem({ backend: shell((path) => path !== "/secrets"), permissions })).not.toThrow();
  });

  test("R4 accepts rules for the routes of a composite, and for nothing else", () => {
    const backend = compositeFiles(shell(), { "/secrets": memoryFiles() });
    expect(() => filesystem({ backend, permissions })).not.toThrow();
    expect(() => filesystem({ backend, permissions: [deny("read", "/docs/**")] })).toThrow(/permissions/u);
  });

  test("R4 from a factory makes every tool fail", async () => {
    expect(await resultOf(["ls"], { backend: () => shell(), permissions })).toMatch(/^!Permission rules do not apply/u);
  });
});

test("R6 a rule that hides stored results throws", () => {
  const backend = memoryFiles();
  expect(() => filesystem({ backend, permissions: [deny("read", "/large_tool_results/**")] })).toThrow(
    /evict\.directory/u,
  );
  expect(() => filesystem({ backend, permissions: [deny("read", "/**")] })).toThrow(/evict\.directory/u);
  expect(() =>
    filesystem({ backend, permissions: [deny("read", "/**")], evict: false, evictMessages: false }),
  ).not.toThrow();
});
