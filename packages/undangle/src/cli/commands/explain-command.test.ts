import { expect, test } from "vitest";
import { runIn } from "../memory-io.fixture.ts";

const text =
  "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: call_9";

test("a known text, as an argument, in several words or from stdin", async () => {
  const outcomes = [
    await runIn({}, "explain", text),
    await runIn({}, "explain", ...text.split(" ")),
    await runIn({ stdin: text }, "explain"),
  ];
  for (const { exitCode, stdout } of outcomes) {
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^unanswered-call {2}A tool call has no result/);
    expect(stdout).toContain("docs/reference/rules.md#unanswered-call");
  }
});

test("Chinese", async () => {
  expect((await runIn({}, "explain", text, "--language", "zh")).stdout).toMatch(/^unanswered-call {2}工具调用没有结果/);
});

test("--json", async () => {
  const { stdout } = await runIn({}, "explain", text, "--json");
  expect(JSON.parse(stdout)).toMatchObject({ 0: { rule: "unanswered-call", confidence: "known" } });
});

test("an unknown text is said to be unknown", async () => {
  const { stdout, exitCode } = await runIn({}, "explain", "the moon is made of cheese");
  expect(exitCode).toBe(1);
  expect(stdout).toContain("This text is unknown.");
  expect((await runIn({}, "explain", "--json", "the moon is made of cheese")).exitCode).toBe(1);
});

test.each([
  ["no text", {}, []],
  ["blank text", {}, ["  "]],
  ["a wrong format", {}, [text, "--format", "opneai-chat"]],
])("%s is a mistake", async (_, world, args) => {
  expect((await runIn(world, "explain", ...args)).exitCode).toBe(2);
});
