import { describe, expect, test } from "vitest";

import { runIn } from "./memory-io.fixture.ts";

const chinese = { env: { LANG: "zh_CN.UTF-8" } };

describe("a wrong command line is told in the language of the person", () => {
  test.each([
    [["chat", "--threads"], `没有选项 "--threads"。是否想写 --thread？\nchat 的可用选项：--model, --agent`],
    [["chekc"], `没有命令 "chekc"。是否想写 check？\n可用命令：check, repair`],
    [["check", "--orphans", "drop"], "--orphans 不是 check 的选项。"],
    [["check", "--format", "antropic"], `--format 没有值 "antropic"。是否想写 anthropic？\n可用的值：`],
    [["check", "--json=yes"], "--json 是开关，不带值。"],
    [["repair", "a", "-o"], "-o 需要一个值：-o OUT"],
    [["--json"], "--json 需要与命令一起使用。"],
  ])("%j", async (argv, told) => {
    const { exitCode, stderr } = await runIn(chinese, ...argv);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(told);
    expect(stderr).toMatch(/\n更多：undangle .*--help\n$/u);
  });

  test.each([[["--language", "zh"]], [["--language=zh"]]])("also where they ask for one: %j", async (asked) => {
    expect((await runIn({}, "check", "--fromat", "x", ...asked)).stderr).toContain("是否想写 --format？");
    expect((await runIn(chinese, "check", "--fromat", "x", "--language", "en")).stderr).toContain("Did you mean");
  });
});

test("what another error says is told in the same language", async () => {
  const { stderr } = await runIn({ ...chinese, stdin: "" }, "chat", "--store", "memory", "--model", "gpt");
  expect(stderr).toContain("--model：没有模型");
});

describe("an error that no part of the program expects", () => {
  const run = (env: Readonly<Record<string, string>>) =>
    runIn(
      { env, stdin: "hello", stopped: Promise.reject(new TypeError("x is not a function")) },
      "chat",
      "--store=memory",
    );

  test("is told in a sentence, without a stack trace", async () => {
    const { exitCode, stderr } = await run({});
    expect(exitCode).toBe(2);
    expect(stderr).toContain("undangle: unexpected error: TypeError: x is not a function\nThis is a bug in undangle.");
    expect(stderr).not.toContain("    at ");
    expect((await run(chinese.env)).stderr).toContain("意外错误：TypeError: x is not a function");
  });

  test("has its stack trace on request", async () => {
    expect((await run({ NODE_DEBUG: "net,undangle" })).stderr).toMatch(/TypeError: x is not a function\n\s+at /u);
  });
});
