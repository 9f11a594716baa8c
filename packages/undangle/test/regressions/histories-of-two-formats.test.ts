import { check, convert, repair } from "undangle";
import type { Format } from "undangle";
import { describe, expect, test } from "vitest";

/** Messages of one format in the list of another were emptied or removed, and that was called lossless. */
type Message = Readonly<Record<string, unknown>>;

const gemini: readonly Message[] = [
  { role: "user", parts: [{ text: "ASKED" }] },
  { role: "model", parts: [{ text: "NOTED" }, { functionCall: { name: "look", args: { q: "ARGUMENT" } } }] },
  { role: "user", parts: [{ functionResponse: { name: "look", response: { result: "RESULT" } } }] },
  { role: "model", parts: [{ text: "FOUND" }] },
];

const chat: readonly Message[] = [
  { role: "user", content: "ASKED" },
  {
    role: "assistant",
    content: "NOTED",
    tool_calls: [{ id: "call_1", type: "function", function: { name: "look", arguments: '{"q":"ARGUMENT"}' } }],
  },
  { role: "tool", tool_call_id: "call_1", content: "RESULT" },
  { role: "assistant", content: "FOUND" },
];

const legacyChat: readonly Message[] = [
  { role: "user", content: "ASKED" },
  { role: "assistant", content: "NOTED", function_call: { name: "look", arguments: '{"q":"ARGUMENT"}' } },
  { role: "function", name: "look", content: "RESULT" },
  { role: "assistant", content: null, refusal: "FOUND" },
];

const anthropic: readonly Message[] = [
  { role: "user", content: [{ type: "text", text: "ASKED" }] },
  {
    role: "assistant",
    content: [
      { type: "text", text: "NOTED" },
      { type: "tool_use", id: "toolu_1", name: "look", input: { q: "ARGUMENT" } },
    ],
  },
  { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "RESULT" }] },
  { role: "assistant", content: [{ type: "text", text: "FOUND" }] },
];

const responses: readonly Message[] = [
  { role: "user", content: [{ type: "input_text", text: "ASKED" }] },
  { type: "message", id: "msg_1", role: "assistant", content: [{ type: "output_text", text: "NOTED" }] },
  { type: "function_call", id: "fc_1", call_id: "call_1", name: "look", arguments: '{"q":"ARGUMENT"}' },
  { type: "function_call_output", call_id: "call_1", output: "RESULT" },
  { type: "message", id: "msg_2", role: "assistant", content: [{ type: "output_text", text: "FOUND" }] },
];

const ollama: readonly Message[] = [
  { role: "user", content: "ASKED" },
  {
    role: "assistant",
    content: "NOTED",
    tool_calls: [{ function: { name: "look", arguments: { q: "ARGUMENT" } } }],
  },
  { role: "tool", tool_name: "look", content: "RESULT" },
  { role: "assistant", content: "FOUND" },
];

const others = { gemini, chat, legacyChat, anthropic, responses, ollama };

const own = (text: string): Message => ({ role: "user", content: text });

/** What a list of each format has around the messages of another. */
const lists: Readonly<Partial<Record<Format, readonly [Message, Message]>>> = {
  "openai-chat": [own("first"), own("go on")],
  "openai-responses": [own("first"), own("go on")],
  anthropic: [own("first"), own("go on")],
  gemini: [
    { role: "user", parts: [{ text: "first" }] },
    { role: "user", parts: [{ text: "go on" }] },
  ],
  bedrock: [
    { role: "user", content: [{ text: "first" }] },
    { role: "user", content: [{ text: "go on" }] },
  ],
};

describe.each(Object.entries(lists))("a list of %s", (to, [first, last]) => {
  const format = to as Format; // it is a key of the table

  test.each(Object.entries(others))("keeps what messages of %s say, or tells of them", (_, messages) => {
    const list = [first, ...messages, last];
    const { output, edits, problems } = repair(list, { format });
    for (const word of ["ASKED", "NOTED", "look", "ARGUMENT", "RESULT", "FOUND"]) {
      expect(JSON.stringify(output)).toContain(word);
    }
    expect(problems.every(({ repairable }) => !repairable)).toBe(true);
    const again = repair(output, { format });
    expect(again.output).toBe(output);
    expect(check(output, { format })).toEqual(problems);
    expect(check(list, { format }).length > 0).toBe(edits.length + problems.length > 0);
    if (problems.length > 0) return; // Responses' items are left as they are in some lists
    expect(edits.filter(({ reconstructed, rule }) => reconstructed || rule === "unanswered-call")).toEqual([]);
    expect(edits.filter(({ lossless }) => !lossless)).toEqual([]);
    expect(JSON.stringify(output).includes('"parts":')).toBe(format === "gemini");
  });
});

describe("Gemini's messages in other lists", () => {
  const two: readonly Message[] = [
    { role: "user", parts: [{ text: "go" }] },
    { role: "model", parts: [{ functionCall: { name: "a", args: {} } }, { functionCall: { name: "b" } }] },
    {
      role: "function",
      parts: [
        { functionResponse: { name: "b", response: { output: "of b" } } },
        { functionResponse: { name: "a", response: { error: "of a" } } },
      ],
    },
  ];

  test("have results that are told by their names, where no id tells", () => {
    const { output } = repair([own("first"), ...two], { format: "anthropic" });
    const [calls, results] = output.slice(2) as unknown as { content: Message[] }[];
    expect(results?.content).toEqual([
      { type: "tool_result", tool_use_id: calls?.content[1]?.["id"], content: "of b" },
      { type: "tool_result", tool_use_id: calls?.content[0]?.["id"], content: "of a", is_error: true },
    ]);
    const inChat = repair([own("first"), ...two], { format: "openai-chat" }).output.slice(2) as readonly Message[];
    const [asked, , answer] = inChat;
    expect(answer).toMatchObject({ role: "tool", content: "of a" });
    expect(asked).toMatchObject({ tool_calls: [{ id: answer?.["tool_call_id"] }, { function: { name: "b" } }] });
    const items = repair([own("first"), ...two], { format: "openai-responses" }).output.slice(2) as readonly Message[];
    expect(items[3]).toMatchObject({ call_id: items[0]?.["call_id"], output: "of a" });
  });

  test.each(["anthropic", "openai-chat", "openai-responses"] as const)(
    "stay as they are in a list of %s, and are named, where nobody can tell what a part is",
    (format) => {
      const odd = { role: "model", parts: [{ text: "look" }, { executableCode: { language: "PYTHON", code: "1" } }] };
      const list = [own("first"), odd, own("go on")];
      const { output, problems } = repair(list, { format });
      expect(output).toBe(list);
      expect(problems.map(({ rule, path }) => [rule, path.replace(/^\w+/u, "")])).toEqual([
        ["unknown-block", "[1].parts[1]"],
      ]);
    },
  );

  test("say in parts what their empty content does not", () => {
    const said = { role: "assistant", content: "", parts: [{ type: "text", text: "SAID" }] };
    for (const format of ["anthropic", "bedrock"] as const) {
      const { output, problems } = repair([own("first"), said, own("go on")], { format });
      expect(problems).toEqual([]);
      expect(JSON.stringify(output)).toContain('"text":"SAID"');
      expect(repair(output, { format }).output).toBe(output);
    }
  });

  test.each(["anthropic", "bedrock", "openai-chat", "openai-responses"] as const)(
    "say in a list of %s what they say beside an empty list of calls",
    (format) => {
      const said = { role: "model", parts: [{ text: "SAID" }], tool_calls: [] };
      const { output, edits, problems } = repair([own("first"), said, own("go on")], { format });
      expect(problems).toEqual([]);
      expect(edits.filter(({ lossless }) => !lossless)).toEqual([]);
      expect(JSON.stringify(output)).toContain('"text":"SAID"');
      expect(JSON.stringify(output)).not.toContain('"parts"');
    },
  );

  test.each(["ipython", "observation", "tool_result", "tool_response"])("have results under the role %s", (role) => {
    const answered = [...two.slice(0, 2), { ...two[2], role }];
    const { output } = repair([own("first"), ...answered], { format: "openai-chat" });
    expect(output).toEqual(repair([own("first"), ...two], { format: "openai-chat" }).output);
  });

  test.each([
    [{ output: "done", error: null }, undefined],
    [{ output: "done", error: "" }, undefined],
    [{ error: "no" }, true],
    [{ error: "" }, true],
    [{ output: "half", error: "no" }, true],
  ])("have results that are an error where they say so: %j", (response, isError) => {
    const answer = { role: "user", parts: [{ functionResponse: { name: "a", response } }] };
    const call = { role: "model", parts: [{ functionCall: { name: "a", args: {} } }] };
    const contents = [{ role: "user", parts: [{ text: "go" }] }, call, answer];
    const inList = repair([own("first"), call, answer], { format: "anthropic" }).output[2] as Message;
    expect(inList["content"]).toMatchObject([{ type: "tool_result" }]);
    const [result] = inList["content"] as readonly Message[];
    expect(result?.["is_error"]).toBe(isError);
    const converted = convert({ contents }, { from: "gemini", to: "anthropic" }).output as {
      readonly messages: readonly { readonly content: readonly Message[] }[];
    };
    expect(converted.messages[2]?.content[0]?.["is_error"]).toBe(isError);
  });

  test("show images", () => {
    const png = { mimeType: "image/png", data: "iVBORw0KGgo=" };
    const shown = { role: "user", parts: [{ text: "this" }, { inlineData: png }] };
    const { output } = repair([shown], { format: "anthropic" });
    const source = { type: "base64", media_type: "image/png", data: png.data };
    expect(output).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "this" },
          { type: "image", source },
        ],
      },
    ]);
    const url = `data:image/png;base64,${png.data}`;
    expect(repair([shown], { format: "openai-chat" }).output).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "this" },
          { type: "image_url", image_url: { url } },
        ],
      },
    ]);
  });
});

describe("a refusal of the chat format", () => {
  const list = [own("first"), { role: "assistant", content: null, refusal: "I may not" }, own("go on")];

  test("is what the model said at Anthropic's endpoint", () => {
    const { output, problems } = repair(list, { format: "anthropic" });
    expect(output[1]).toEqual({ role: "assistant", content: [{ type: "text", text: "I may not" }] });
    expect(problems).toEqual([]);
  });

  test.each([null, ""])("is a part of the content in Responses, where that is %o", (content) => {
    const refused = { role: "assistant", content, refusal: "I may not" };
    const { output } = repair([own("first"), refused, own("go on")], { format: "openai-responses" });
    expect(output[1]).toEqual({ role: "assistant", content: [{ type: "refusal", refusal: "I may not" }] });
  });
});

test("items of Responses that Gemini has nothing like stay and are named, and reasoning goes as a loss", () => {
  const [first, last] = [gemini[0], { role: "user", parts: [{ text: "go on" }] }];
  const search = { type: "web_search_call", id: "ws_1", status: "completed" };
  const left = repair([first, search, last], { format: "gemini" });
  expect(left.output).toContain(search);
  expect(left.problems).toMatchObject([{ rule: "unknown-block", path: "contents[1]" }]);
  const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAAA" };
  const { edits, problems } = repair([first, reasoning, last], { format: "gemini" });
  expect(edits).toMatchObject([{ type: "remove", from: "contents[1]", lossless: false }]);
  expect(problems).toEqual([]);
});

test("a function_call is kept beside an empty list of calls", () => {
  const asked = { role: "assistant", content: null, tool_calls: [], function_call: { name: "look", arguments: "{}" } };
  for (const format of ["anthropic", "bedrock"] as const) {
    const { output } = repair([own("go"), asked, { role: "function", name: "look", content: "RESULT" }], { format });
    expect(JSON.stringify(output[1])).toContain("look");
    expect(JSON.stringify(output[2])).toMatch(/tool_?result.*RESULT/iu);
  }
});

test("free text for a custom tool is what it is called with at Anthropic's endpoint", () => {
  const call = { id: "c1", type: "custom", custom: { name: "patch", input: "*** begin" } };
  const { output } = repair(
    [
      own("go"),
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "c1", content: "" },
    ],
    { format: "anthropic" },
  );
  expect(output[1]).toEqual({
    role: "assistant",
    content: [{ type: "tool_use", id: "c1", name: "patch", input: { _raw: "*** begin" } }],
  });
});

test("what is removed with its message is no lossless edit", () => {
  const thought = { role: "assistant", content: null, reasoning_content: "hm" };
  for (const format of ["anthropic", "gemini"] as const) {
    const { edits } = repair([own("go"), thought, own("go on")], { format });
    expect(edits.find(({ from }) => from?.includes("[1]"))).toMatchObject({ lossless: false });
  }
});

test.each([[[]], [null], [""]])(
  "content is what a message says at Gemini's endpoint, beside parts that are %j",
  (parts) => {
    const list = [gemini[0], { role: "model", parts, content: "SAID" }, { role: "user", parts: [{ text: "go on" }] }];
    const { output, edits } = repair(list, { format: "gemini" });
    expect(output[1]).toEqual({ role: "model", parts: [{ text: "SAID" }] });
    expect(edits).toMatchObject([{ rule: "chat-shape", lossless: true }]);
  },
);

test.each(["assistant", "model", "AI"])(
  "an open call was interrupted where role %s goes on, whoever is asked",
  (role) => {
    const call = { id: "abcdefghi", type: "function", function: { name: "look", arguments: "{}" } };
    const asked = { role: "assistant", content: null, tool_calls: [call] };
    const list = [own("first"), asked, { role, content: "FOUND" }, own("go on")];
    for (const provider of ["openai", "mistral"]) {
      const { output } = repair(list, { format: "openai-chat", provider });
      expect(JSON.stringify(output[2])).toContain("interrupted");
    }
  },
);
