import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { fallback, modelNamed, openai } from "../../src/model/index.ts";
import { runIn } from "../../src/cli/memory-io.fixture.ts";
import { createTerminal } from "../../src/cli/chat/terminal.fixture.ts";
import type { World } from "../../src/cli/memory-io.fixture.ts";

const missing = "There is no key for the model openai/gpt-5.1: set OPENAI_API_KEY, or give the option apiKey.";

describe("checkKey", () => {
  test.each([
    ["openai/gpt-5.1", ["OPENAI_API_KEY"]],
    ["anthropic/claude-sonnet-5-5", ["ANTHROPIC_API_KEY"]],
    ["mistral/mistral-large", ["MISTRAL_API_KEY"]],
    ["deepseek/deepseek-chat", ["DEEPSEEK_API_KEY"]],
  ])("%s without a key names its variables", (name, variables) => {
    const fault = modelNamed(name, { env: { [variables[0] ?? ""]: " " } }).checkKey?.();
    expect(fault).toMatchObject({ code: "model/auth", data: { model: name, variables } });
    expect(modelNamed(name, { env: { [variables[0] ?? ""]: "sk-1" } }).checkKey?.()).toBeUndefined();
  });

  test.each([
    ["a key that is given", { apiKey: "sk-1" }],
    ["a function that returns a key", { apiKey: () => Promise.resolve("sk-1") }],
    ["a header of one's own", { headers: { Authorization: "Bearer x" } }],
  ])("%s is one", (_, options) => {
    expect(openai("gpt-5.1", { env: {}, ...options }).checkKey?.()).toBeUndefined();
  });

  test("a model that needs no key, and the demo model, lack nothing", () => {
    expect(modelNamed("ollama/qwen3:8b", { env: {} }).checkKey?.()).toBeUndefined();
    expect(modelNamed("demo").checkKey?.()).toBeUndefined();
  });

  test("a fallback lacks a key when none of its models has one", () => {
    const without = openai("gpt-5.1", { env: {} });
    const withKey = openai("gpt-5.1-mini", { env: {}, apiKey: "sk-1" });
    expect(fallback(without, withKey).checkKey?.()).toBeUndefined();
    expect(fallback(without, without).checkKey?.()?.message).toBe(missing);
  });
});

describe("the command line", () => {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "undangle-key-"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const run = (world: World, ...argv: readonly string[]) => runIn({ folder, ...world }, ...argv);
  const threads = async (): Promise<unknown> =>
    JSON.parse((await run({}, "threads", "list", "--json", "--store", "threads.db")).stdout || "[]");

  test.each([
    ["in words", ["hi"], {}],
    ["in lines", [], { stdin: "hi\n" }],
    ["in JSON", ["--json"], { stdin: '{"message":"hi"}\n' }],
    ["in an existing thread", ["--thread", "t1", "hi"], {}],
  ])("chat %s refuses a model without a key, and leaves no thread behind", async (_, argv, world) => {
    const command = ["chat", "--model", "openai/gpt-5.1", "--store", "threads.db", ...argv];
    const { exitCode, stdout, stderr } = await run(world, ...command);
    expect([exitCode, stdout, stderr]).toEqual([2, "", `undangle: ${missing}\n`]);
    expect(await threads()).toEqual([]);
  });

  test("chat says it in Chinese too", async () => {
    const { stderr } = await run({}, "chat", "--model", "openai/gpt-5.1", "--language", "zh", "hi");
    expect(stderr).toBe("undangle: 缺少模型 openai/gpt-5.1 的密钥：请设置 OPENAI_API_KEY，或给出选项 apiKey。\n");
  });

  test("/model refuses it, and the model of before goes on", async () => {
    const terminal = createTerminal({ columns: 140 });
    const outcome = run({ terminal, isTTY: true }, "chat", "--store", "memory");
    await terminal.until("›");
    terminal.type("/model openai/gpt-5.1\r");
    await terminal.until("There is no key for the model openai/gpt-5.1: set OPENAI_API_KEY");
    terminal.type("hello\r");
    await terminal.until("Undangle's demo model");
    terminal.type("\u0004");
    expect((await outcome).exitCode).toBe(0);
    expect(terminal.all()).not.toContain("from now on");
  });

  test("threads decide refuses before anything is decided", async () => {
    const store = ["--store", "waiting.db"];
    await run({}, "chat", "--thread", "t1", ...store, "Pay invoice 12 (300 euros).");
    const refused = await run({}, "threads", "decide", "t1", "--approve", "all", "--model", "openai/gpt-5.1", ...store);
    expect([refused.exitCode, refused.stderr]).toEqual([2, `undangle: ${missing}\n`]);
    const { stdout } = await run({}, "threads", "list", "--status", "waiting", "--json", ...store);
    expect(JSON.parse(stdout)).toMatchObject([{ id: "t1", pending: 1 }]);
  });

  test("commands that ask no model need no key", async () => {
    writeFileSync(
      join(folder, "undangle.config.mjs"),
      `export default { agents: { a: { model: "openai/gpt-5.1" } } };`,
    );
    const { exitCode } = await run({}, "threads", "list", "--store", "waiting.db");
    rmSync(join(folder, "undangle.config.mjs"));
    expect(exitCode).toBe(0);
  });
});
