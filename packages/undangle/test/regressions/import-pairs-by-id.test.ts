import { formats } from "#codecs";
import { createAgent } from "#engine";
import type { Thread } from "#engine";
import { scriptedModel } from "#testing";
import { convert } from "undangle";
import { describe, expect, test } from "vitest";

import { shown, triplesIn } from "../pairs/triples-in.ts";

const threadOf = (): Thread => createAgent({ model: scriptedModel([{ text: "Yes." }]) }).thread("t");

const use = (id: string, n: number) => ({ type: "tool_use", id, name: "look", input: { n } });
const back = (id: string, n: number) => ({ type: "tool_result", tool_use_id: id, content: `result ${n}` });
const question = { role: "user", content: "Go." };

describe("an import pairs calls and results by id", () => {
  test.each(formats)("in %s, when parallel tools ended in another order", async (format) => {
    const history = [
      question,
      { role: "assistant", content: [use("a", 1), use("b", 2), use("c", 3)] },
      { role: "user", content: [back("c", 3), back("a", 1), back("b", 2)] },
    ];
    const thread = threadOf();
    const { edits } = await thread.import(convert(history, { from: "anthropic", to: format }).output, { format });
    expect(edits).toEqual([]);
    const expected = ["look(1) = 1", "look(2) = 2", "look(3) = 3"];
    expect(shown(triplesIn(await thread.export("openai-chat"), "openai-chat"))).toEqual(expected);
    expect((await thread.calls()).map(({ arguments: args, result }) => [args, result])).toEqual([
      [{ n: 1 }, "result 1"],
      [{ n: 2 }, "result 2"],
      [{ n: 3 }, "result 3"],
    ]);
  });

  test("over neighbouring messages, which stay one turn", async () => {
    const thread = threadOf();
    await thread.import([
      question,
      { role: "assistant", content: [{ type: "text", text: "First." }, use("a", 1)] },
      { role: "assistant", content: [use("b", 2)] },
      { role: "user", content: [back("b", 2)] },
      { role: "user", content: [back("a", 1)] },
    ]);
    expect(await thread.export("openai-chat")).toMatchObject([
      { role: "user" },
      { role: "assistant", content: "First.", tool_calls: [{ id: "a" }, { id: "b" }] },
      { role: "tool", tool_call_id: "a", content: "result 1" },
      { role: "tool", tool_call_id: "b", content: "result 2" },
    ]);
  });

  test("where only results have ids, and these restart in every turn", async () => {
    const model = (args: object) => ({ role: "model", parts: [{ functionCall: { name: "look", args } }] });
    const response = (n: number) => ({
      role: "user",
      parts: [{ functionResponse: { id: "look:0", name: "look", response: { result: `result ${n}` } } }],
    });
    const first = { role: "model", parts: [{ functionCall: { id: "look:0", name: "look", args: { n: 1 } } }] };
    const history = [{ role: "user", parts: [{ text: "Go." }] }, first, response(1), model({ n: 2 }), response(2)];
    const { output } = convert(history, { from: "gemini", to: "openai-chat" });
    expect(shown(triplesIn(output, "openai-chat"))).toEqual(["look(1) = 1", "look(2) = 2"]);
  });
});

describe("an import loses nothing", () => {
  test("of an output whose call the server has stored", async () => {
    const thread = threadOf();
    const { edits } = await thread.import(
      {
        previous_response_id: "resp_1",
        input: [
          { type: "function_call_output", call_id: "stored", output: "result 1" },
          { role: "user", content: "And?" },
        ],
      },
      { format: "openai-responses" },
    );
    expect(edits).toMatchObject([{ rule: "orphan-result", type: "restore", reconstructed: true }]);
    expect(await thread.calls()).toMatchObject([{ arguments: {}, status: "succeeded", result: "result 1" }]);
  });

  test("of the border between two texts", async () => {
    const thread = threadOf();
    const content = [
      { type: "text", text: "One." },
      { type: "text", text: "Two." },
    ];
    await thread.import([question, { role: "assistant", content }], { format: "anthropic" });
    expect(await thread.export("openai-chat")).toMatchObject([{}, { content: "One.\n\nTwo." }]);
  });

  test("of the name of a tool that a chat would refuse", async () => {
    const thread = threadOf();
    const functionCall = { name: "mcp.files:read", args: {} };
    const functionResponse = { name: "mcp.files:read", response: { result: "result 1" } };
    await thread.import(
      [
        { role: "user", parts: [{ text: "Go." }] },
        { role: "model", parts: [{ functionCall }, { functionCall }] },
        { role: "user", parts: [{ functionResponse }] },
      ],
      { format: "gemini" },
    );
    expect((await thread.calls()).map(({ name, result }) => [name, result])).toEqual([
      ["mcp.files:read", "result 1"],
      ["mcp.files:read", undefined],
    ]);
  });
});

describe("an import reports and keeps real text for a call without a result", () => {
  const notice = "Tool call look with id a was cancelled - another message came in before it could be completed.";

  test("in its edits", async () => {
    const { edits } = await threadOf().import([
      question,
      { role: "assistant", content: [use("a", 1)] },
      { role: "user", content: "And?" },
    ]);
    expect(edits).toMatchObject([{ rule: "unanswered-call", after: { content: notice } }]);
  });

  test("where the notice is quoted", async () => {
    const thread = threadOf();
    await thread.import(
      [
        { role: "user", content: "Go." },
        { type: "computer_call", id: "cu_1", call_id: "a", action: { type: "screenshot" }, pending_safety_checks: [] },
        { role: "user", content: "And?" },
      ],
      { format: "openai-responses" },
    );
    const text = JSON.stringify(await thread.export("openai-chat"));
    expect(text).toContain("Tool call computer");
    expect(text).not.toMatch(/[\u27e6\u27e7]/u);
  });
});
