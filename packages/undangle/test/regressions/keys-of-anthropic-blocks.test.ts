import { assemble, check, repair } from "undangle";
import { describe, expect, test } from "vitest";

const user = { role: "user", content: "go" };
const call = { type: "tool_use", id: "toolu_1", name: "ls", input: {} };
const done = { type: "tool_result", tool_use_id: "toolu_1", content: "a" };
const signed = { type: "thinking", thinking: "hm", signature: "EqQBCkYIBRgC" };
const tools = [{ name: "ls", input_schema: { type: "object" } }];

const body = (said: readonly object[], given: readonly object[]) => ({
  model: "claude-sonnet-4-5",
  max_tokens: 9,
  tools,
  messages: [user, { role: "assistant", content: said }, { role: "user", content: given }],
});

const format = "anthropic";

describe("keys that a block does not have", () => {
  test.each<[name: string, removed: readonly [path: string, lossless: boolean], given: object, kept: object]>([
    [
      "text in a tool_use",
      ["messages[1].content[0].text", true],
      body([{ ...call, text: "" }], [done]),
      body([call], [done]),
    ],
    [
      "words in a tool_use",
      ["messages[1].content[0].text", false],
      body([{ ...call, text: "so" }], [done]),
      body([call], [done]),
    ],
    [
      "what a stream left behind",
      ["messages[1].content[0].index", true],
      body([{ ...call, index: 1 }], [done]),
      body([call], [done]),
    ],
    [
      "an id in a text",
      ["messages[1].content[0].id", true],
      body([{ type: "text", text: "a", id: "x" }, call], [done]),
      body([{ type: "text", text: "a" }, call], [done]),
    ],
    [
      "a cache marker on thinking",
      ["messages[1].content[0].cache_control", false],
      body([{ ...signed, cache_control: { type: "ephemeral" } }, call], [done]),
      body([signed, call], [done]),
    ],
    [
      "the name of a tool in its result",
      ["messages[2].content[0].name", false],
      body([call], [{ ...done, name: "ls" }]),
      body([call], [done]),
    ],
    [
      "an unknown key without a value",
      ["messages[2].content[0].meta", true],
      body([call], [{ ...done, meta: null }]),
      body([call], [done]),
    ],
    [
      "a key inside of a result",
      ["messages[2].content[0].content[0].annotations", true],
      body([call], [{ ...done, content: [{ type: "text", text: "a", annotations: [] }] }]),
      body([call], [{ ...done, content: [{ type: "text", text: "a" }] }]),
    ],
  ])("%s: reported and removed", (_, [path, lossless], given, kept) => {
    expect(check(given, { format })).toMatchObject([{ rule: "unknown-property", path, repairable: true }]);
    const { output, edits, problems } = repair(given, { format });
    expect(output).toEqual(kept);
    expect(edits).toMatchObject([{ rule: "unknown-property", type: "remove", from: path, lossless }]);
    expect(problems).toEqual([]);
    expect(repair(output, { format }).output).toBe(output);
  });

  test("keys of a newer API stay, and so do all that the SDK has", () => {
    const marker = { cache_control: { type: "ephemeral" } };
    const healthy = body(
      [
        { type: "text", text: "a", citations: null, ...marker },
        { ...call, caller: { type: "direct" }, toolset_name: "t", ...marker },
      ],
      [{ ...done, is_error: false, toolset_name: "t", brand_new: { a: 1 }, ...marker }],
    );
    expect(check(healthy, { format })).toEqual([]);
    expect(repair(healthy, { format }).output).toBe(healthy);
  });

  test("what a browser shows may stand in a result", () => {
    const state = { type: "browser_state", tabs: [{ id: 1, url: "https://example.org", title: "t" }] };
    const healthy = body([call], [{ ...done, content: [{ type: "text", text: "a" }, state] }]);
    expect(check(healthy, { format })).toEqual([]);
    expect(repair(healthy, { format }).output).toBe(healthy);
  });
});

describe("the words of a block of an unknown type", () => {
  const events = (...blocks: readonly object[]): readonly object[] => [
    { type: "message_start", message: { id: "m", type: "message", role: "assistant", content: [], usage: {} } },
    ...blocks,
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 1 } },
    { type: "message_stop" },
  ];

  test("are not those of the turn, in a stream and in a whole message", async () => {
    const hello = [
      { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "Hello." } },
      { type: "content_block_stop", index: 1 },
    ];
    const mystery = [
      { type: "content_block_start", index: 0, content_block: { type: "mystery", text: "Secret" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: " words." } },
      { type: "content_block_stop", index: 0 },
    ];
    const streamed = await assemble(events(...mystery, ...hello), { format }).turn();
    expect(streamed).toMatchObject({ text: "Hello.", complete: true });
    const whole = {
      id: "m",
      type: "message",
      role: "assistant",
      content: [
        { type: "mystery", text: "Secret words." },
        { type: "text", text: "Hello." },
      ],
      stop_reason: "end_turn",
      usage: { output_tokens: 1 },
    };
    expect(await assemble([whole], { format }).turn()).toMatchObject({ text: "Hello." });
  });

  test("stay in a history, and are reported", () => {
    const given = body(
      [
        { type: "mystery", text: "Secret words." },
        { type: "text", text: "Hello." },
      ],
      [user],
    );
    const list = { ...given, messages: [...given.messages.slice(0, 2), user] };
    expect(check(list, { format })).toMatchObject([{ rule: "unknown-block", repairable: false }]);
    expect(repair(list, { format }).output).toBe(list);
  });
});
