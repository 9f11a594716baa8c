import { describe, expect, test } from "vitest";

import { check, repair } from "../repair.ts";

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
});
