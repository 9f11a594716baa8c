import { describe, expect, test } from "vitest";

import { detect } from "../../detect.ts";
import { check, repair } from "../../repair.ts";

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

  test("system text of a bare array has no field to go to: it stays as it came, and no edit says otherwise", () => {
    const messages = [{ role: "system", content: "s" }, user(text("a"))];
    const { output, edits, problems } = repair(messages, { format: "bedrock" });
    expect(output).toBe(messages);
    expect(edits).toEqual([]);
    expect(problems).toMatchObject([
      { rule: "content-type", repairable: false },
      { rule: "unknown-role", repairable: false },
    ]);
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

describe("a turn of words and calls, for a model that takes one or the other,", () => {
  const llama = { modelId: "us.meta.llama3-3-70b-instruct-v1:0" };
  const continued = user(text("(continued)"));
  const answered = user(result("t1", "b"));

  test("keeps its words in front, and makes its calls behind a word of the user", () => {
    const messages = [user(text("a")), said(text("thinking"), use("t1"), cachePoint), answered];
    const { output, edits } = mend(messages, llama);
    expect(output["messages"]).toEqual([
      user(text("a")),
      said(text("thinking")),
      continued,
      said(use("t1"), cachePoint),
      answered,
    ]);
    expect(edits).toMatchObject([
      { rule: "text-with-call", type: "insert", from: "messages[1].content[0]", to: "messages[2]", lossless: true },
    ]);
    expect(mend(messages).edits).toEqual([]);
  });

  test("says of words behind a call that they moved", () => {
    const { output, edits } = mend([user(text("a")), said(use("t1"), text("late")), answered], llama);
    expect(output["messages"]).toEqual([user(text("a")), said(text("late")), continued, said(use("t1")), answered]);
    expect(edits).toMatchObject([
      { type: "move", from: "messages[1].content[1]", to: "messages[1].content[0]", after: text("late") },
      { type: "insert", to: "messages[2]" },
    ]);
  });

  test("is not made of two messages, nor of a call that was restored behind words", () => {
    const parted = [user(text("a")), said(text("b")), continued, said(use("t1")), answered];
    const neighbours = mend([user(text("a")), said(text("b")), said(use("t1")), answered], llama);
    expect(neighbours.output["messages"]).toEqual(parted);
    expect(neighbours.edits).toMatchObject([{ rule: "role-order", type: "insert", from: "messages[2]" }]);
    const restored = mend([user(text("a")), said(text("b")), answered], llama);
    expect(restored.output["messages"]).toMatchObject([
      user(text("a")),
      said(text("b")),
      continued,
      { role: "assistant", content: [{ toolUse: { toolUseId: "t1" } }] },
      answered,
    ]);
  });
});

describe("blocks that say by a type what they are", () => {
  const png = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } };
  const image = { image: { format: "png", source: { bytes: "AAAA" } } };
  const nova = { modelId: "us.amazon.nova-pro-v1:0" };

  test.each<[what: string, given: object, block: object]>([
    ["text", { type: "text", text: "b" }, text("b")],
    ["an image", png, image],
    ["an image by a data URL", { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }, image],
    [
      "an image of the Responses API",
      { type: "input_image", image_url: "data:image/jpg;base64,AAAA" },
      { image: { format: "jpeg", source: { bytes: "AAAA" } } },
    ],
    [
      "thinking",
      { type: "thinking", thinking: "hm", signature: "c2lnbmVk" },
      { reasoningContent: { reasoningText: { text: "hm", signature: "c2lnbmVk" } } },
    ],
    [
      "redacted thinking",
      { type: "redacted_thinking", data: "AAE=" },
      { reasoningContent: { redactedContent: "AAE=" } },
    ],
    ["a block of Converse with a type", { type: "image", ...image }, image],
  ])("become blocks of one key: %s", (_, given, block) => {
    const { output, edits, problems } = mend([user(text("a")), said(text("b"), given), user(text("c"))], nova);
    expect(output["messages"]).toEqual([user(text("a")), said(text("b"), block), user(text("c"))]);
    expect(edits).toMatchObject([
      { rule: "unknown-block", type: "rewrite", from: "messages[1].content[1]", before: given, after: block },
    ]);
    expect(problems).toEqual([]);
  });

  test("become blocks of one key inside results", () => {
    const content = [{ type: "text", text: "b" }, png, { type: "report", rows: 2 }];
    const mended = [text("b"), image, { json: { type: "report", rows: 2 } }];
    const ours = mend([user(text("a")), said(use("t1")), user({ toolResult: { toolUseId: "t1", content } })]);
    const theirs = mend([user(text("a")), said(use("t1")), user({ type: "tool_result", tool_use_id: "t1", content })]);
    const after = [user(text("a")), said(use("t1")), user({ toolResult: { toolUseId: "t1", content: mended } })];
    expect(ours.output["messages"]).toEqual(after);
    expect(theirs.output["messages"]).toEqual(after);
  });

  test.each<[what: string, given: object]>([
    ["an address", { type: "image_url", image_url: { url: "https://example.com/a.png" } }],
    ["a kind of image that it does not take", { type: "image", source: { ...png.source, media_type: "image/tiff" } }],
    ["a word that nobody knows", { type: "hologram", data: "AAAA" }],
  ])("are reported where Converse has no such block: %s", (_, given) => {
    const { output, problems } = mend([user(text("a"), given)]);
    expect(output["messages"]).toEqual([user(text("a"), given)]);
    expect(problems).toMatchObject([{ rule: "unknown-block", path: "messages[0].content[1]", repairable: false }]);
  });

  test("become blocks of one key in system text, where it stays and where it goes", () => {
    const system = { role: "system", content: [{ type: "text", text: "s" }] };
    expect(mend([system, user(text("a"))]).output).toMatchObject({ system: [text("s")], messages: [user(text("a"))] });
    const opus = { modelId: "global.anthropic.claude-opus-4-8" };
    const { output, edits } = mend([user(text("a")), system, said(text("b")), user(text("c"))], opus);
    expect(output["messages"]).toMatchObject({ 1: { role: "system", content: [text("s")] } });
    expect(edits).toMatchObject([{ rule: "unknown-block", from: "messages[1].content[0]" }]);
  });

  test("are not said to be rewritten when they go: Claude takes back only what it has signed", () => {
    const { edits } = mend([user(text("a")), said({ type: "thinking", thinking: "hm" }, text("b")), user(text("c"))]);
    expect(edits).toMatchObject([{ rule: "thinking-signature", type: "remove", from: "messages[1].content[0]" }]);
  });

  test("lose what Converse says elsewhere, and the edit says so", () => {
    const { edits } = mend([user({ type: "text", text: "a", cache_control: { type: "ephemeral" } })]);
    expect(edits).toMatchObject([{ rule: "unknown-block", lossless: false }]);
  });
});

describe("an edit points to where the value stood", () => {
  test("in a message of the chat format", () => {
    const { edits } = mend([
      user(text("a")),
      { role: "assistant", content: "", tool_calls: [{ id: "t1", function: { name: "read", arguments: '{"x":1}' } }] },
      { role: "tool", tool_call_id: "t1", content: "c" },
    ]);
    expect(edits.find(({ rule }) => rule === "arguments-type")).toMatchObject({
      from: "messages[1].tool_calls[0].function.arguments",
      to: "messages[1].content[0].toolUse.input",
      before: '{"x":1}',
      after: { x: 1 },
    });
  });

  test("in a block of Anthropic's", () => {
    const { edits } = mend([
      user(text("a")),
      said({ type: "tool_use", id: "t1", name: "read", input: '{"x":1}' }),
      user({ type: "tool_result", tool_use_id: "t1", content: { rows: 2 } }),
    ]);
    expect(edits).toMatchObject([
      { rule: "unknown-block", from: "messages[1].content[0]" },
      { rule: "arguments-type", from: "messages[1].content[0].input", before: '{"x":1}' },
      { rule: "result-content", from: "messages[2].content[0].content", before: { rows: 2 } },
      { rule: "unknown-block", from: "messages[2].content[0]" },
    ]);
  });

  test("and does not say of a misplaced result that it moved when it is dropped", () => {
    const { output, edits } = mend([
      user(text("a")),
      said(use("t1")),
      user(result("t1", "b")),
      said(text("c"), result("t1", "b")),
      user(text("d")),
    ]);
    expect(output["messages"]).toEqual([
      user(text("a")),
      said(use("t1")),
      user(result("t1", "b")),
      said(text("c")),
      user(text("d")),
    ]);
    expect(edits).toMatchObject([{ rule: "duplicate-result", type: "remove", from: "messages[3].content[1]" }]);
  });
});

test("a marker beside blank text stays behind the words that take its place", () => {
  const asked = [user(text("a")), said(text("b"))];
  const { output } = mend([...asked, user(text(""), cachePoint)]);
  expect(output["messages"]).toEqual([...asked, user(text("(continued)"), cachePoint)]);
  const { edits } = mend([...asked, user(text(""), cachePoint), said(text("c")), user(text("d"))]);
  expect(edits.find(({ rule }) => rule === "empty-message")).toMatchObject({ type: "remove", lossless: false });
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
