import { describe, expect, test } from "vitest";

import { detect } from "../detect.ts";
import { check, repair } from "../repair.ts";

const claude = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";
const tools = [{ toolSpec: { name: "read", inputSchema: { json: { type: "object" } } } }];
const user = (...content: object[]) => ({ role: "user", content });
const said = (...content: object[]) => ({ role: "assistant", content });
const text = (words: string) => ({ text: words });
const use = (toolUseId: string, name = "read") => ({ toolUse: { toolUseId, name, input: {} } });
const result = (toolUseId: string, words: string) => ({ toolResult: { toolUseId, content: [text(words)] } });
const cachePoint = { cachePoint: { type: "default" } };

const mend = (messages: readonly unknown[], more: object = {}, options: object = {}) =>
  repair<Record<string, unknown>>(
    { modelId: claude, messages, toolConfig: { tools }, ...more },
    { format: "bedrock", ...options },
  );

describe("what a repair makes of a Converse request", () => {
  test("a notice is marked as an error, and joins the words that came instead of the result", () => {
    const { output } = mend([user(text("a")), said(use("t1")), user(text("b"))]);
    const words = "Tool call read with id t1 was cancelled - another message came in before it could be completed.";
    const notice = { toolResult: { toolUseId: "t1", content: [text(words)], status: "error" } };
    expect(output["messages"]).toEqual([user(text("a")), said(use("t1")), user(notice, text("b"))]);
  });

  test("neighbours of one role become one message, each said where it went", () => {
    const { output, edits } = mend([
      user(text("a")),
      user(text("b")),
      said(text("c")),
      said(use("t1")),
      user(result("t1", "d")),
    ]);
    expect(output["messages"]).toEqual([
      user(text("a"), text("b")),
      said(text("c"), use("t1")),
      user(result("t1", "d")),
    ]);
    expect(edits).toMatchObject([
      { rule: "role-order", type: "merge", from: "messages[1]", to: "messages[0]" },
      { rule: "role-order", type: "merge", from: "messages[3]", to: "messages[1]" },
    ]);
  });

  test("a model that takes results or words gets a word of the assistant between them", () => {
    const messages = [user(text("a")), said(use("t1")), user(result("t1", "b"), cachePoint, text("c"))];
    const { output } = mend(messages, { modelId: "mistral.mistral-large-2407-v1:0" });
    expect(output["messages"]).toEqual([
      ...messages.slice(0, 2),
      user(result("t1", "b"), cachePoint),
      said(text("(continued)")),
      user(text("c")),
    ]);
    expect(mend(messages).edits).toEqual([]);
  });

  test("tools that are missing are made of the calls, and say that they are not to be used", () => {
    const { output, edits } = mend([user(text("a")), said(use("t1")), user(result("t1", "b"))], {
      toolConfig: undefined,
    });
    const toolSpec = {
      name: "read",
      description: "Not available any more.",
      inputSchema: { json: { type: "object" } },
    };
    expect(output["toolConfig"]).toEqual({ tools: [{ toolSpec }] });
    expect(edits).toMatchObject([{ rule: "missing-tools", type: "insert", to: "toolConfig" }]);
  });

  test("thinking that the running loop cannot carry is turned off, and other fields stay", () => {
    const fields = { thinking: { type: "enabled", budget_tokens: 1024 }, top_k: 5 };
    const messages = [user(text("a")), said(use("t1")), user(result("t1", "b"))];
    const { output, edits } = mend(messages, { additionalModelRequestFields: fields });
    expect(output["additionalModelRequestFields"]).toEqual({ thinking: { type: "disabled" }, top_k: 5 });
    expect(output["messages"]).toEqual(messages);
    expect(edits).toMatchObject([
      { rule: "thinking-first", from: "additionalModelRequestFields.thinking", lossless: false },
    ]);
  });

  test("inside such a loop a result without a call is quoted: its call would need thinking that nobody can forge", () => {
    const body = { additionalModelRequestFields: { thinking: { type: "enabled", budget_tokens: 1024 } } };
    const { edits } = mend(
      [user(text("a")), said(text("b")), user(text("c")), said(text("d")), user(result("t9", "e"))],
      body,
    );
    expect(edits).toMatchObject([{ rule: "orphan-result", type: "quote" }]);
    const first = mend([user(result("t9", "e"))], body);
    expect(first.edits).toMatchObject([{ rule: "orphan-result", type: "quote" }]);
  });

  test("system text goes to the field that Converse has for it", () => {
    const { output, edits } = mend([{ role: "system", content: [text("s2")] }, user(text("a"))], {
      system: [text("s1")],
    });
    expect(output["system"]).toEqual([text("s1"), text("s2")]);
    expect(output["messages"]).toEqual([user(text("a"))]);
    expect(edits).toMatchObject([{ rule: "unknown-role", type: "move", from: "messages[0]", to: "system" }]);
  });

  test("bytes are the same bytes, and a marker stays behind the result that it followed", () => {
    const bytes = new Uint8Array([1, 2, 3]);
    const image = { image: { format: "png", source: { bytes } } };
    const { output } = mend([
      user(image, text("a")),
      said(use("t1"), use("t2")),
      user(result("t2", "b"), cachePoint, image),
    ]);
    const [first, , last] = output["messages"] as [{ content: unknown[] }, unknown, { content: unknown[] }];
    expect(first.content[0]).toBe(image);
    expect(last.content.slice(1)).toEqual([result("t2", "b"), cachePoint, image]);
    expect(last.content[3]).toBe(image);
  });

  test("json that cannot be json is text, and a failure without a word is given one", () => {
    const odd = { toolResult: { toolUseId: "t1", content: [{ json: [1] }, { total: 2 }, "x"] } };
    const silent = { toolResult: { toolUseId: "t2", content: [], status: "error" } };
    const { output } = mend([user(text("a")), said(use("t1"), use("t2")), user(odd, silent)], {}, { language: "zh" });
    expect(output["messages"]).toMatchObject({
      2: {
        content: [
          { toolResult: { content: [text("[1]"), { json: { total: 2 } }, text("x")] } },
          { toolResult: { content: [text("工具没有给出错误信息。")], status: "error" } },
        ],
      },
    });
  });

  test("calls and results of other formats are read for what they are", () => {
    const { output, problems } = mend([
      { role: "user", content: "a" },
      { role: "assistant", content: "b", tool_calls: [{ id: "t1", function: { name: "read", arguments: '{"x":1}' } }] },
      { role: "tool", tool_call_id: "t1", content: "c" },
      { role: "assistant", content: [{ type: "tool_use", id: "t2", name: "read", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t2", content: "d", is_error: true }] },
    ]);
    expect(problems).toEqual([]);
    expect(output["messages"]).toEqual([
      user(text("a")),
      said(text("b"), { toolUse: { toolUseId: "t1", name: "read", input: { x: 1 } } }),
      user(result("t1", "c")),
      said(use("t2")),
      user({ toolResult: { toolUseId: "t2", content: [text("d")], status: "error" } }),
    ]);
  });
});

describe("a Converse request is told", () => {
  test.each<[what: string, input: unknown]>([
    ["by its parameters", { inferenceConfig: { maxTokens: 1 }, messages: [user(text("a"))] }],
    ["by its system blocks", { system: [text("s")], messages: [user(text("a"))] }],
    ["by its tool blocks", [user(text("a")), said(use("t1"))]],
    ["by blocks without a type", [user(text("a"))]],
  ])("%s", (_, input) => {
    expect(detect(input)).toEqual({ format: "bedrock", confidence: "known" });
  });
});

test("the name of the model decides which rules hold, also as an option", () => {
  const messages = [user(text("a")), said(use("t1")), user(text("b"), result("t1", "c"))];
  const rulesFor = (model: string) => check(messages, { format: "bedrock", model }).map(({ rule }) => rule);
  expect(rulesFor("anthropic.claude-3-5-sonnet-20241022-v2:0")).toEqual(["result-not-first"]);
  expect(rulesFor("amazon.nova-lite-v1:0")).toEqual([]);
  expect(rulesFor("meta.llama3-1-70b-instruct-v1:0")).toEqual(["text-with-call"]);
});
