import { describe, expect, test } from "vitest";

import { check, repair } from "../../repair.ts";

const user = (content: string) => ({ role: "user", content });
const call = (name: string, more: object = {}) => ({ function: { name, arguments: {} }, ...more });
const calling = (...tool_calls: object[]) => ({ role: "assistant", content: "", tool_calls });
const tool = (tool_name: string, content: string, more: object = {}) => ({ role: "tool", tool_name, content, ...more });
const untold = (content: string) => ({ role: "tool", content });

const mend = (messages: readonly unknown[], options: object = {}) =>
  repair({ model: "qwen3", messages }, { format: "ollama", ...options });

describe("calls and results of Ollama, which have no ids as a rule", () => {
  test("a call without a result is answered under its name, and its notice speaks of no id", () => {
    const { output, edits } = mend([user("a"), calling(call("read")), user("b")]);
    const content = "Tool call read was cancelled - another message came in before it could be completed.";
    expect(output.messages[2]).toEqual({ role: "tool", content, tool_name: "read" });
    expect(edits).toMatchObject([{ rule: "unanswered-call", type: "insert", to: "messages[2]" }]);
    expect(edits[0]).not.toHaveProperty("callId");
  });

  test("a call with an id is answered with that id too", () => {
    const { output } = mend([user("a"), calling(call("read", { id: "c1" }))]);
    expect(output.messages.at(-1)).toMatchObject({ role: "tool", tool_name: "read", tool_call_id: "c1" });
  });

  test("no server refuses such a history, so that it is likely that something is wrong, and not known", () => {
    const [problem] = check({ model: "qwen3", messages: [calling(call("read"))] }, { format: "ollama" });
    expect(problem).toMatchObject({ rule: "unanswered-call", confidence: "likely", path: "messages[0].tool_calls[0]" });
    const text = { function: { name: "read", arguments: "{}" } };
    const [refused] = check([calling(text), tool("read", "x")], { format: "ollama" });
    expect(refused).toMatchObject({ rule: "arguments-type", confidence: "known" });
  });

  test("a result that came late is moved up to the call of its name", () => {
    const late = tool("read", "x");
    const { output, edits } = mend([calling(call("read")), user("b"), { role: "assistant", content: "c" }, late]);
    expect(output.messages[1]).toBe(late);
    expect(edits).toMatchObject([{ rule: "displaced-result", type: "move", from: "messages[3]", to: "messages[1]" }]);
  });

  test("a result without a call gets one back, under its name and without an id", () => {
    const { output } = mend([user("a"), tool("read", "x", { images: ["AAAA"] })]);
    expect(output.messages).toEqual([user("a"), calling(call("read")), tool("read", "x", { images: ["AAAA"] })]);
  });

  test("quoted, it is words of the user, with its images", () => {
    const { output } = mend([user("a"), tool("read", "x", { images: ["AAAA"] })], { orphans: "quote" });
    const content = "[Output of an earlier tool call, quoted as data]\nx";
    expect(output.messages[1]).toEqual({ role: "user", content, images: ["AAAA"] });
  });

  test("a copy of a result goes, and a second one that differs is added to the first", () => {
    const { output } = mend([calling(call("read")), tool("read", "x"), tool("read", "x")]);
    expect(output.messages).toHaveLength(2);
    const merged = mend([calling(call("read")), tool("read", "x"), tool("read", "y")]).output.messages;
    expect(merged.slice(1)).toEqual([tool("read", "x\n\ny")]);
  });

  test("a result that says nothing of itself is named where its place no longer tells", () => {
    const { output } = mend([calling(call("read"), call("write")), untold("x"), user("b")]);
    expect(output.messages[1]).toEqual({ role: "tool", content: "x", tool_name: "read" });
    expect(output.messages[2]).toMatchObject({ role: "tool", tool_name: "write" });
  });

  test.each([
    [
      "a list of parts",
      {
        content: [
          { type: "text", text: "x" },
          { type: "text", text: "y" },
        ],
      },
      { content: "x\n\ny" },
    ],
    [
      "an image of the chat format",
      { content: [{ type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }] },
      { content: "", images: ["AAAA"] },
    ],
    ["an object", { content: { a: 1 } }, { content: '{"a":1}' }],
    ["one image", { content: "x", images: "AAAA" }, { content: "x", images: ["AAAA"] }],
    [
      "images with a header",
      { content: "x", images: ["data:image/png;base64,AAAA"] },
      { content: "x", images: ["AAAA"] },
    ],
  ])("what the server cannot decode is written so that it can: %s", (_, given, expected) => {
    const { output, problems } = mend([{ role: "user", ...given }]);
    expect(output.messages[0]).toEqual({ role: "user", ...expected });
    expect(problems).toEqual([]);
  });

  test.each([
    ["a call on its own", { role: "assistant", tool_calls: call("read") }],
    ["a call without function", { role: "assistant", tool_calls: [{ name: "read", arguments: {} }] }],
    ["a call with a number for an id", { role: "assistant", tool_calls: [call("read", { id: 7 })] }],
  ])("so are calls: %s", (_, given) => {
    const { output, edits, problems } = mend([given, tool("read", "x")]);
    expect(output.messages[0]).toMatchObject({ tool_calls: [{ function: { name: "read", arguments: {} } }] });
    expect(edits).toHaveLength(1);
    expect(problems).toEqual([]);
  });

  test("what changes other keys than the content is told of the whole message", () => {
    const picture = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
    const given = { role: "user", content: [{ type: "text", text: "hey" }, picture], images: "BBBB" };
    const { output, edits } = mend([given]);
    const expected = { role: "user", content: "hey", images: ["BBBB", "AAAA"] };
    expect(output.messages).toEqual([expected]);
    expect(edits).toMatchObject([
      { type: "rewrite", from: "messages[0]", to: "messages[0]", before: given, after: expected, lossless: true },
    ]);
  });

  test("a call of free text keeps its name and its text", () => {
    const custom = { id: "c1", type: "custom", custom: { name: "patch", input: "*** a" } };
    const { output } = mend([
      { role: "assistant", content: "", tool_calls: [custom] },
      { ...untold("x"), tool_call_id: "c1" },
    ]);
    expect(output.messages[0]).toMatchObject({
      tool_calls: [{ function: { name: "patch", arguments: { _raw: "*** a" } } }],
    });
  });
});

describe("calls and results in the content, as Anthropic's format has them", () => {
  const toolUse = { type: "tool_use", id: "t1", name: "read", input: { z: 1 } };
  const toolResult = { type: "tool_result", tool_use_id: "t1", content: "out" };
  const called = {
    role: "assistant",
    content: "hm",
    tool_calls: [{ id: "t1", function: { name: "read", arguments: { z: 1 } } }],
  };
  const answered = { role: "tool", content: "out", tool_call_id: "t1", tool_name: "read" };

  test("become tool_calls and messages of role tool, never words of the user", () => {
    const { output, edits, problems } = mend([
      user("a"),
      { role: "assistant", content: [{ type: "text", text: "hm" }, toolUse] },
      { role: "user", content: [toolResult, { type: "text", text: "so?" }] },
    ]);
    expect(output.messages).toEqual([user("a"), called, answered, user("so?")]);
    expect(problems).toEqual([]);
    expect(edits).toMatchObject([
      { type: "rewrite", from: "messages[1]", to: "messages[1]", after: called },
      { type: "move", from: "messages[2].content[0]", to: "messages[2]", before: toolResult, after: answered },
      { type: "rewrite", from: "messages[2]", to: "messages[3]", after: user("so?") },
    ]);
  });

  test("leave no message behind that says nothing", () => {
    const { output } = mend([
      user("a"),
      { ...called, content: [toolUse], tool_calls: undefined },
      { role: "user", content: [toolResult] },
    ]);
    expect(output.messages).toEqual([user("a"), { ...called, content: "" }, answered]);
  });

  test("keep the images of a result, and arguments that are text are edited where they stand", () => {
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } };
    const { output, edits } = mend([
      { role: "assistant", content: [{ ...toolUse, input: '{"z":1}' }] },
      { role: "user", content: [{ ...toolResult, content: [{ type: "text", text: "out" }, image] }] },
    ]);
    expect(output.messages[1]).toEqual({ ...answered, images: ["AAAA"] });
    expect(edits).toContainEqual(
      expect.objectContaining({
        rule: "arguments-type",
        from: "messages[0].content[0].input",
        to: "messages[0].tool_calls[0].function.arguments",
        before: '{"z":1}',
        after: { z: 1 },
      }),
    );
  });

  test("a call without a result is answered, and a result without a call gets one back", () => {
    const open = mend([user("a"), { role: "assistant", content: [toolUse] }]);
    expect(open.output.messages.at(-1)).toMatchObject({ role: "tool", tool_call_id: "t1", tool_name: "read" });
    const answer = { rule: "unanswered-call", from: "messages[1].content[0]" };
    expect(open.edits).toContainEqual(expect.objectContaining(answer));
    const orphan = mend([user("a"), { role: "user", content: [toolResult] }]);
    expect(orphan.output.messages).toMatchObject([{ role: "user" }, { role: "assistant" }, { role: "tool" }]);
  });

  test("a copy of a result is removed, and no edit says that it went elsewhere", () => {
    const { output, edits } = mend([user("a"), called, answered, { role: "user", content: [toolResult] }]);
    expect(output.messages).toEqual([user("a"), called, answered]);
    expect(edits).toMatchObject([{ rule: "duplicate-result", type: "remove", from: "messages[3].content[0]" }]);
  });
});
