import { describe, expect, test } from "vitest";
import { runIn } from "../memory-io.fixture.ts";
import { dangling, healthy } from "./histories.fixture.ts";

const files = {
  "bad.json": JSON.stringify(dangling, undefined, 2),
  "good.json": JSON.stringify(healthy),
  "log.jsonl": [healthy, dangling, dangling].map((body) => JSON.stringify(body)).join("\n"),
};
const complaint = "messages[1].tool_calls[0]: unanswered-call: The call gettime (call_1) has no result.";

describe("exit codes and greppable lines", () => {
  test.each([
    ["a healthy file", ["good.json"], { exitCode: 0, stdout: "", remark: "good.json: healthy\n" }],
    [
      "a broken file, with the line in it",
      ["bad.json"],
      { exitCode: 1, stdout: `bad.json:12: ${complaint}\n`, remark: "bad.json: 1 problem; " },
    ],
    [
      "several files",
      ["good.json", "bad.json"],
      { exitCode: 1, stdout: `bad.json:12: ${complaint}\n`, remark: "good.json: healthy\nbad.json: 1 problem" },
    ],
    [
      "JSON lines, with the number of the line",
      ["log.jsonl"],
      {
        exitCode: 1,
        stdout: `log.jsonl:2: ${complaint}\nlog.jsonl:3: ${complaint}\n`,
        remark: "2 problems in 2 of 3 lines",
      },
    ],
    ["--quiet", ["bad.json", "--quiet"], { exitCode: 1, stdout: "", remark: "" }],
  ])("%s", async (_, args, { exitCode, stdout, remark }) => {
    const outcome = await runIn({ files }, "check", ...args);
    expect(outcome).toMatchObject({ exitCode, stdout });
    expect(outcome.stderr).toContain(remark);
  });

  test("stdin, by - or by leaving out the file", async () => {
    for (const args of [[], ["-"]]) {
      const { stdout, exitCode } = await runIn({ stdin: files["bad.json"] }, "check", ...args);
      expect(stdout).toBe(`stdin:12: ${complaint}\n`);
      expect(exitCode).toBe(1);
    }
  });

  test("a bare list of messages", async () => {
    const { stdout } = await runIn({ stdin: JSON.stringify(dangling.messages) }, "check");
    expect(stdout).toMatch(/^stdin:1: .*\[1\]\.tool_calls\[0\]: unanswered-call: /);
  });

  test("nothing to read is a mistake, not a wait", async () => {
    const { exitCode, stderr } = await runIn({}, "check");
    expect(exitCode).toBe(2);
    expect(stderr).toContain("give a FILE");
  });

  test("Chinese by option and by locale, with the same rule ids", async () => {
    const asked = await runIn({ files }, "check", "bad.json", "--language=zh");
    const local = await runIn({ files, env: { LANG: "zh_CN.UTF-8" } }, "check", "bad.json");
    expect(asked.stdout).toBe("bad.json:12: messages[1].tool_calls[0]: unanswered-call: 工具调用没有结果（call_1）\n");
    expect(local.stdout).toBe(asked.stdout);
  });

  test("an id cannot break the line or steer the terminal", async () => {
    const evil = JSON.stringify(dangling).replaceAll("call_1", String.raw`a\nb\u001b[31m`);
    const { stdout } = await runIn({ stdin: evil }, "check");
    expect(stdout.trimEnd()).not.toContain("\n");
    expect(stdout).not.toContain("\u001B");
  });

  test("colours only where a person looks", async () => {
    expect((await runIn({ files, isTTY: true }, "check", "bad.json")).stdout).toContain(
      "\u001B[33munanswered-call\u001B[39m",
    );
    expect((await runIn({ files, isTTY: true }, "check", "bad.json", "--no-color")).stdout).not.toContain("\u001B[3");
  });
});

describe("--json", () => {
  test("one array of problems, with file and line", async () => {
    const { stdout, exitCode } = await runIn({ files }, "check", "--json", "good.json", "log.jsonl");
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject([
      {
        file: "log.jsonl",
        line: 2,
        rule: "unanswered-call",
        path: "messages[1].tool_calls[0]",
        callId: "call_1",
        repairable: true,
      },
      { file: "log.jsonl", line: 3, rule: "unanswered-call" },
    ]);
  });

  test("an empty array for a healthy file", async () => {
    expect((await runIn({ files }, "check", "--json", "good.json")).stdout).toBe("[]\n");
  });

  test("what could not be read stands in it too", async () => {
    const { stdout, exitCode } = await runIn(
      { files: { "x.jsonl": "{}\n{\n" } },
      "check",
      "--json",
      "x.jsonl",
      "none.json",
    );
    expect(exitCode).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject([
      { file: "x.jsonl", line: 1, error: { code: "input/no-messages" } },
      { file: "x.jsonl", line: 2, error: { code: "input/not-json" } },
      { file: "none.json", error: { code: "file/ENOENT" } },
    ]);
  });
});

describe("input that cannot be judged says where and why", () => {
  test.each([
    ["no file", ["none.json"], "undangle: none.json: no such file or directory; check the path\n"],
    [
      "not JSON",
      ["cut.json"],
      'undangle: cut.json:2:10: not JSON: the text ends in the middle of a value; was the file cut off?\n  2 |  {"role":\n    |          ^\n',
    ],
    ["Python", ["python.json"], "undangle: python.json:1:2: not JSON: a string has single quotes"],
    [
      "nothing",
      ["empty.json"],
      "undangle: empty.json:1:1: not JSON: the input is empty; it must be a request body or an array of messages\n",
    ],
    ["not text", ["binary.json"], "undangle: binary.json:1: not UTF-8"],
    ["a number", ["number.json"], "undangle: number.json: "],
    ["no messages", ["other.json"], "found the keys a, b"],
    ["a body inside, which is found", ["wrapped.json"], "use --at log[0].request\n"],
    ["one message", ["message.json"], "jq -s ."],
    [
      "a path that leads nowhere",
      ["wrapped.json", "--at", "log[0].body"],
      "there is no log[0].body in it; log[0] has the keys request",
    ],
    ["JSON lines with a broken first line", ["lines.txt"], "use --lines"],
  ])("%s", async (_, args, stderr) => {
    const outcome = await runIn(
      {
        files: {
          "cut.json": '{"messages": [\n {"role":\n',
          "python.json": "{'messages': []}",
          "empty.json": "",
          "binary.json": Uint8Array.of(0x7b, 0xff, 0x7d),
          "number.json": "7",
          "other.json": '{"a":1,"b":2}',
          "wrapped.json": JSON.stringify({ log: [{ request: dangling }] }),
          "message.json": '{"role":"user","content":"hello"}',
          "lines.txt": '{"a":\n{"messages":[]}\n',
        },
      },
      "check",
      ...args,
    );
    expect(outcome.exitCode).toBe(2);
    expect(outcome.stdout).toBe("");
    expect(outcome.stderr).toContain(stderr);
  });

  test("--at selects the body, and paths are those of the file", async () => {
    const { stdout, exitCode } = await runIn(
      { stdin: JSON.stringify({ log: [{ request: dangling }] }) },
      "check",
      "--at",
      "log[0].request",
    );
    expect(stdout).toBe(`stdin:1: log[0].request.${complaint}\n`);
    expect(exitCode).toBe(1);
  });

  test("a bad line is reported with its number, the others are judged, blank ones are passed over", async () => {
    const log = `${JSON.stringify(healthy)}\n{bad\n\n${JSON.stringify(dangling)}\n`;
    const { stdout, stderr, exitCode } = await runIn({ files: { "log.jsonl": log } }, "check", "log.jsonl");
    expect(exitCode).toBe(2);
    expect(stdout).toBe(`log.jsonl:4: ${complaint}\n`);
    expect(stderr).toContain("undangle: log.jsonl:2:2: not JSON: a key in double quotes is missing here\n");
  });

  test("a provider that the format has not got ends the program once", async () => {
    const { stderr, exitCode } = await runIn(
      { files },
      "check",
      "log.jsonl",
      "--format",
      "anthropic",
      "--provider",
      "mistral",
    );
    expect(exitCode).toBe(2);
    expect(stderr.match(/mistral/g)).toHaveLength(1);
  });
});

test("a reader that goes away ends it quietly", async () => {
  const log = `${JSON.stringify(dangling)}\n`.repeat(2000);
  const outcome = await runIn({ files: { "log.jsonl": log }, stdoutBreaksAfter: 1 }, "check", "log.jsonl");
  expect(outcome).toMatchObject({ exitCode: 0, stderr: "" });
});
