import { describe, expect, test } from "vitest";
import { runIn } from "../memory-io.fixture.ts";
import { textWidth } from "../terminal/text-width.ts";
import { dangling, empty, healthy } from "./histories.fixture.ts";

const files = {
  "bad.json": JSON.stringify(dangling, undefined, 2),
  "good.json": JSON.stringify(healthy),
  "empty.json": JSON.stringify(empty),
  "log.jsonl": Array.from({ length: 7 }, () => JSON.stringify(dangling)).join("\n"),
};

test("what is wrong, where, why, and what changes, for a person", async () => {
  const { stdout, exitCode } = await runIn({ files }, "doctor", "bad.json");
  expect(exitCode).toBe(1);
  expect(stdout).toMatchInlineSnapshot(`
    "
      bad.json
      openai-chat · gpt-4o · 3 messages

      ✗ 1 problem: a provider would refuse this history. It can be repaired.

      1  A tool call has no result                                 unanswered-call
         messages[1].tool_calls[0]  line 12
           The call gettime (call_1) has no result.
         Why  The run was interrupted before the tool finished: the user sent
              another message, the process died, an approval never came, or only
              some of several parallel calls were saved. Every later request with
              the stored history then fails.
         Fix  A result is added where the provider expects it. It truthfully
              states that the call was cancelled, interrupted or never executed.

      What a repair changes: 1 edit · nothing is lost

         messages
         ⋮      1 unchanged
         [1]    {role: "assistant", content: null, tool_calls: [{id: "call_1", type…
       + [2]    role: "tool"
       +        tool_call_id: "call_1"
       +        name: "gettime"
       +        content: "Tool call gettime with id call_1 was cancelled - another
       +                 message came in before it could be completed."
         [2→3]  {role: "user", content: "never mind"}

      Next
        undangle repair bad.json --in-place        repairs it, keeps a backup
        undangle repair bad.json -o repaired.json  writes a repaired copy

    "
  `);
});

describe("verdicts", () => {
  test("healthy", async () => {
    const { stdout, exitCode } = await runIn({ files }, "doctor", "good.json");
    expect(exitCode).toBe(0);
    expect(stdout).toContain("✓ Valid");
    expect(stdout).toContain("undangle explain");
  });

  test("nothing that a program could mend", async () => {
    const { stdout, exitCode } = await runIn({ files }, "doctor", "empty.json");
    expect(exitCode).toBe(1);
    expect(stdout).toContain("It cannot be repaired.");
    expect(stdout).not.toContain("undangle repair");
  });

  test("JSON lines: the first broken ones in full, all of them counted", async () => {
    const { stdout, exitCode } = await runIn({ files }, "doctor", "log.jsonl");
    expect(exitCode).toBe(1);
    expect(stdout.match(/^ {2}log\.jsonl:\d$/gm)).toEqual(["  log.jsonl:1", "  log.jsonl:2", "  log.jsonl:3"]);
    expect(stdout).toContain("7 problems in 7 of 7 lines");
    expect(stdout).toContain("-o repaired.jsonl");
  });

  test("what cannot be read", async () => {
    const { stdout, stderr, exitCode } = await runIn({ stdin: "{" }, "doctor");
    expect(exitCode).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toContain("stdin:1:2: not JSON");
  });
});

test("the commands that it names have the options that it was called with", async () => {
  const { stdout } = await runIn(
    { files: { "my file.json": files["bad.json"] } },
    "doctor",
    "--provider=groq",
    "my file.json",
  );
  expect(stdout).toContain("undangle repair --provider groq 'my file.json' --in-place");
});

test.each([40, 80, 120])("no line is wider than %i columns, in either language", async (columns) => {
  for (const language of ["en", "zh"]) {
    const { stdout } = await runIn({ files, columns }, "doctor", "bad.json", "--language", language);
    const lines = stdout.split("\n").filter((line) => !line.includes("undangle repair"));
    expect(lines.filter((line) => textWidth(line) > Math.max(columns, 60))).toEqual([]);
  }
});

test("Chinese for a Chinese reader; ids, paths and rules as they are", async () => {
  const { stdout } = await runIn({ files, env: { LANG: "zh_CN.UTF-8" } }, "doctor", "bad.json");
  expect(stdout).toContain("✗ 1 个问题：提供商会拒绝这段历史。可以修复。");
  expect(stdout).toContain("unanswered-call");
  expect(stdout).toContain("messages[1].tool_calls[0]");
  expect(stdout).toContain("was cancelled"); // what the model is told follows --language only
});

test("red, green and dim on a terminal", async () => {
  const { stdout } = await runIn({ files, isTTY: true }, "doctor", "bad.json");
  expect(stdout).toContain('\u001B[32m + [2]    role: "tool"\u001B[39m');
  expect(stdout).toContain("\u001B[31m  ✗ 1 problem");
});

test("--json has it all for a machine", async () => {
  const { stdout, exitCode } = await runIn({ files }, "doctor", "--json", "bad.json");
  expect(exitCode).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    file: "bad.json",
    format: "openai-chat",
    messages: 3,
    problems: [{ rule: "unanswered-call" }],
    edits: [{ type: "insert" }],
    left: [],
  });
});
