import { UndangleError } from "#core";
import { memoryFiles } from "#files";
import type { Execution, FileBackend, FilesContext } from "#files";
import { filesystem } from "#middleware";
import type { FilesystemOptions } from "#middleware";
import { describe, expect, test } from "vitest";

import { onFiles, resultOf } from "./file-stage.ts";

const output = (text: string, more: Partial<Execution> = {}): Execution => ({
  output: new TextEncoder().encode(text),
  omitted: 0,
  exitCode: 0,
  ...more,
});

/** A backend with a shell that answers from a table. */
const sandbox = (run: NonNullable<FileBackend["execute"]>): FileBackend => ({ ...memoryFiles(), execute: run });
const offered = async (options: Partial<FilesystemOptions>): Promise<readonly string[]> =>
  (await onFiles({ ...options, turns: [] })).model.requests[0]?.tools.map(({ name }) => name) ?? [];

describe("which tools are offered", () => {
  test("execute, if the backend has a shell", async () => {
    expect(await offered({ backend: sandbox(async () => output("")) })).toContain("execute");
  });

  test("not execute, if the sandbox is not available", async () => {
    const backend = Object.assign(
      sandbox(async () => output("")),
      { canExecute: async () => false },
    );
    expect(await offered({ backend })).not.toContain("execute");
  });

  test("not delete, if the backend cannot", async () => {
    const backend = memoryFiles();
    Reflect.deleteProperty(backend, "delete");
    expect(await offered({ backend })).not.toContain("delete");
  });

  test("a call to a tool that was not offered fails without starting", async () => {
    expect(await resultOf(["execute", { command: "ls" }])).toMatch(/^!execute is not a valid tool, try one of \[ls,/u);
  });

  test("some, under other names and descriptions", async () => {
    const named = await onFiles({
      tools: ["grep", "read_file"],
      names: { read_file: "view" },
      descriptions: { read_file: "Views." },
      files: { "/f": "x" },
      turns: [[["view", { file_path: "/f" }]]],
    });
    expect(named.results).toEqual(["1  x"]);
    expect(named.model.requests[0]?.tools.map(({ name, description }) => [name, description === "Views."])).toEqual([
      ["view", true],
      ["grep", false],
    ]);
  });
});

describe("a factory", () => {
  test("B7 is called once for each call, and once for each request, with its context", async () => {
    const contexts: FilesContext[] = [];
    const files = memoryFiles({ "/f": "x" });
    const backend = async (context: FilesContext): Promise<FileBackend> => {
      contexts.push(context);
      return files;
    };
    await onFiles({ backend, agent: { name: "clerk" }, turns: [[["read_file", { file_path: "/f" }], ["ls"]]] });
    expect(contexts.map(({ threadId, callId, agent }) => [threadId, callId, agent])).toEqual([
      ["t", undefined, { name: "clerk", model: "scripted" }],
      ["t", "call_1", { name: "clerk", model: "scripted" }],
      ["t", "call_2", { name: "clerk", model: "scripted" }],
      ["t", undefined, { name: "clerk", model: "scripted" }],
    ]);
    expect(contexts.every(({ signal }) => signal instanceof AbortSignal)).toBe(true);
  });

  test("B7 that throws gives an error result, without a path of the host", async () => {
    let calls = 0;
    const backend = (): FileBackend => {
      if (calls++ > 0)
        throw Object.assign(new Error("ENOENT: no such file, open '/home/me/x'"), { code: "ENOENT", syscall: "open" });
      return memoryFiles();
    };
    const { end, results } = await onFiles({ backend, turns: [[["ls"]]] });
    expect([end.status, results]).toEqual(["done", ["The operation on / failed: ENOENT."]]);
  });

  test("that fails for a request hides delete and execute, with a warning", async () => {
    const backend = (): FileBackend => {
      throw new UndangleError("sandbox/unavailable", { reason: "there is no bwrap", install: "bubblewrap" });
    };
    const { events, model } = await onFiles({ backend, turns: [] });
    expect(events.some(({ type }) => type === "warning")).toBe(true);
    expect(model.requests[0]?.tools.map(({ name }) => name)).not.toContain("delete");
  });
});

describe("execute", () => {
  test.each<[string, Execution, string]>([
    ["X1 success", output("hi\n"), "hi\n[The command succeeded with exit code 0.]"],
    ["X2 failure", output("oh", { exitCode: 3 }), "oh\n[The command failed with exit code 3.]"],
    ["no output", output(""), "[The command succeeded with exit code 0.]"],
    [
      "X3 out of time",
      output("a", { exitCode: undefined, killed: "timeout" }),
      "a\n[The command was killed: its time is over.]",
    ],
    [
      "X4 too much output",
      output("ab", { omitted: 7 }),
      "ab\n[The output is not complete: 7 bytes in its middle are missing.]\n[The command succeeded with exit code 0.]",
    ],
    ["X8 colours and bells", output("\u001b[31mred\u001b[0m\u0007"), "red\n[The command succeeded with exit code 0.]"],
    [
      "X8 bytes that are not UTF-8",
      { ...output(""), output: new Uint8Array([0x61, 0xff]) },
      "a\ufffd\n[The command succeeded with exit code 0.]",
    ],
  ])("%s", async (_, execution, expected) => {
    expect(await resultOf(["execute", { command: "x" }], { backend: sandbox(async () => execution) })).toBe(expected);
  });

  test.each<[string, unknown, string | RegExp]>([
    ["X3 no timeout", undefined, "undefined"],
    ["X3 0 for the default", 0, "undefined"],
    ["X3 seconds", 1.5, "1500"],
    ["X3 the maximum", 3600, "3600000"],
    ["X3 over the maximum", 3601, "!The timeout of 3601 seconds is over the maximum of 3600."],
    ["X3 negative", -1, /^!execute was not executed/u],
  ])("%s", async (_, timeout, expected) => {
    const backend = sandbox(async (_command, options) => output(String(options.timeout)));
    const result = await resultOf(["execute", { command: "x", ...(timeout !== undefined && { timeout }) }], {
      backend,
    });
    expect(result.split("\n")[0]).toMatch(expected);
  });

  test("X6 a backend that has lost its shell since the request gives an error result", async () => {
    let isFirst = true;
    const backend = (): FileBackend => {
      const files = isFirst ? sandbox(async () => output("")) : memoryFiles();
      isFirst = false;
      return files;
    };
    expect(await resultOf(["execute", { command: "x" }], { backend })).toBe(
      "!execute is not available: these files do not support it.",
    );
  });
});

describe("options", () => {
  const backend = memoryFiles();
  test.each<[string, object, RegExp]>([
    ["an unknown one", { backend, tool: [] }, /`tool`|"tool"|tool/u],
    ["a backend that is none", { backend: {} }, /backend/u],
    ["an unknown tool", { backend, tools: ["cat"] }, /tools/u],
    ["tools without read_file while results are stored", { backend, tools: ["ls"] }, /read_file/u],
    ["a relative prefix", { backend, allowedPrefixes: ["data"] }, /allowedPrefixes/u],
    ["an unknown option of evict", { backend, evict: { token: 5 } }, /evict\.token/u],
    ["no tokens", { backend, evict: { tokens: 0 } }, /evict\.tokens/u],
    ["a directory with ..", { backend, evict: { directory: "/a/../b" } }, /evict\.directory/u],
    ["a description of an unknown tool", { backend, descriptions: { view: "x" } }, /descriptions\.view/u],
    ["a time that is no number", { backend, maxTimeout: "1h" }, /maxTimeout/u],
  ])("%s throws", (_, options, message) => {
    expect(() => filesystem(options as FilesystemOptions)).toThrow(message);
  });

  test("tools without read_file are fine if nothing is stored", () => {
    expect(() => filesystem({ backend, tools: ["ls"], evict: false, evictMessages: false })).not.toThrow();
  });
});
