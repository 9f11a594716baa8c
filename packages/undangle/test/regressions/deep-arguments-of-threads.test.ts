import { convert, repair } from "#codecs";
import type { Format } from "#codecs";
import { createAgent, tool } from "#engine";
import type { Middleware } from "#engine";
import { scriptedModel } from "#testing";
import { describe, expect, test } from "vitest";

/** Such arguments of a call overflowed the stack where a thread copied or wrote them: `thread.calls()`, events, exports. */
const deepText = `{"a":${"[".repeat(600)}${"]".repeat(600)}}`;
const deep = JSON.parse(deepText) as Readonly<Record<string, unknown>>;

/** An agent whose model calls `pay`, and the arguments with which it ran. */
function stage(approval: boolean, middleware: readonly Middleware[] = []) {
  const ran: unknown[] = [];
  const pay = tool({
    name: "pay",
    description: "Pays.",
    input: { type: "object", additionalProperties: true },
    approval,
    execute: (args) => {
      ran.push(args);
      return "paid";
    },
  });
  const model = scriptedModel([{ calls: [{ name: "pay", arguments: { n: 1 } }] }, { text: "Done." }]);
  return { thread: createAgent({ model, tools: [pay], middleware }).thread("t"), ran };
}

test("an edit with arguments that are nested too deeply is refused", async () => {
  const { thread, ran } = stage(true);
  await thread.send("Pay.").result;
  const edit = { type: "edit", arguments: deep } as const;
  const { error } = await thread.decide({ call_1: edit }).result;
  expect(error?.message).toContain("nested too deeply");
  expect(await thread.pending()).toHaveLength(1);
  expect(ran).toEqual([]);
});

test("a hook cannot give a tool arguments that are nested too deeply", async () => {
  const nest: Middleware = { name: "nest", wrapToolCall: (next) => (call) => next({ ...call, arguments: deep }) };
  const { thread, ran } = stage(false, [nest]);
  const { error } = await thread.send("Pay.").result;
  expect(error?.message).toContain("nested too deeply");
  expect(ran).toEqual([]);
});

test("a text that is nested too deeply is no final answer", async () => {
  const model = scriptedModel([{ text: deepText }, { text: deepText }], { loop: true });
  const output = { type: "object", additionalProperties: true } as const;
  const { status, output: answer } = await createAgent({ model, output }).thread("t").send("Answer.").result;
  expect([status, answer]).toEqual(["failed", undefined]);
});

describe("in formats whose arguments are objects", () => {
  const history = [
    { role: "user", content: "Pay." },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "a", type: "function", function: { name: "pay", arguments: deepText } }],
    },
    { role: "tool", tool_call_id: "a", content: "paid" },
  ];

  test.each<Format>(["anthropic", "gemini", "bedrock", "ollama", "ai-sdk", "langchain"])(
    "%s gets their text in the wrapper, which leads back to it",
    (to) => {
      const { output } = convert(history, { from: "openai-chat", to });
      expect(JSON.stringify(output)).toContain(`"_raw":${JSON.stringify(deepText)}`);
      const { output: back } = convert(output, { from: to, to: "openai-chat" });
      expect(JSON.stringify(back)).toContain(`"arguments":${JSON.stringify(deepText)}`);
    },
  );

  test("an input as text is wrapped, and stays text for a provider that takes text", () => {
    const call = { type: "tool_use", id: "a", name: "pay", input: deepText };
    const result = { type: "tool_result", tool_use_id: "a", content: "paid" };
    const messages = [history[0], { role: "assistant", content: [call] }, { role: "user", content: [result] }];
    const repaired = repair(messages, { format: "anthropic" });
    expect(JSON.stringify(repaired.output)).toContain(`"input":{"_raw":${JSON.stringify(deepText)}}`);
    expect(repair(history, { format: "openai-chat" }).output).toBe(history);
  });
});
