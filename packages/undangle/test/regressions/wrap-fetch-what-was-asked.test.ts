import { describe, expect, test } from "vitest";

import { chunk, done, events, passedThrough, ways } from "../clients/passed-through.ts";

/** Answers to what was asked for are healthy, also where nearly nobody asks so; they were written anew. */
const url = "https://api.openai.com/v1/chat/completions";
const tool = { type: "function", function: { name: "f", parameters: { type: "object" } } };
const asking = (more: object): object => ({ model: "m", stream: true, messages: [], ...more });
const role = chunk({ role: "assistant", content: "", refusal: null });
const call = { index: 0, id: "a", type: "function", function: { name: "f", arguments: '{"x":1}' } };
const custom = (more: object, input: string): object =>
  chunk({ tool_calls: [{ index: 0, ...more, custom: { ...("id" in more && { name: "py" }), input } }] });
const legacy = (more: object): object => chunk({ function_call: more });
const second = (delta: object, finish: string | null = null): object => chunk(delta, finish, { index: 1 });
const forced = { tool_choice: { type: "function", function: { name: "f" } }, tools: [tool] };
const python = { tools: [{ type: "custom", custom: { name: "py" } }] };
const functions = { functions: [{ name: "f" }] };

const streams = {
  "a custom tool": [python, [role, custom({ id: "a", type: "custom" }, ""), custom({}, '"{'), chunk({}, "tool_calls")]],
  "a function of the old kind": [
    functions,
    [
      chunk({ role: "assistant", content: null, function_call: { name: "f", arguments: "" } }),
      legacy({ arguments: '{"x"' }),
      legacy({ arguments: ":1}" }),
      chunk({}, "function_call"),
    ],
  ],
  "a refusal": [{}, [role, chunk({ refusal: "I can" }), chunk({ refusal: "not." }), chunk({}, "stop")]],
  "a call that was asked for by name": [forced, [role, chunk({ tool_calls: [call] }), chunk({}, "stop")]],
  "fields of the old kind that hold nothing": [
    {},
    [role, chunk({ content: "Hi", function_call: null, tool_calls: null }), chunk({}, "stop")],
  ],
  "two answers of text": [
    { n: 2 },
    [
      role,
      chunk({ content: "a" }),
      second({ role: "assistant", content: "" }),
      second({ content: "b" }),
      second({ content: "b2" }),
      chunk({ content: "a2" }),
      second({}, "stop"),
      chunk({}, "stop"),
    ],
  ],
  "two answers, the second with a call": [
    { n: 2, tools: [tool] },
    [
      role,
      second({ role: "assistant", content: null }),
      chunk({ content: "a" }),
      chunk({}, "stop"),
      second({ tool_calls: [call] }),
      second({}, "tool_calls"),
    ],
  ],
} as const;

describe.each(ways)("passes as it came in pieces of $size, calls: $toolCalls", (way) => {
  test.each(Object.entries(streams))("%s", async (_, [asked, frames]) => {
    const body = events(...frames, done);
    const passed = await passedThrough({ url, request: asking(asked), ...way, body });
    expect(passed).toEqual({ text: body, error: undefined, told: [] });
  });
});

test("the text of a second answer is not delayed", async () => {
  const frames = [role, chunk({ content: "a" }), second({ role: "assistant" }), second({ content: "b" })];
  const { text } = await passedThrough({ url, request: asking({ n: 2 }), body: events(...frames), size: 50 });
  expect(text).toBe(events(...frames));
});

test.each([
  ["a custom tool", python, { tool_calls: [{ id: "a", type: "custom", custom: { name: "py", input: "print(1)" } }] }],
  ["a function of the old kind", functions, { function_call: { name: "f", arguments: "{}" } }],
  ["a call that was asked for by name", forced, { tool_calls: [{ ...call, index: undefined }] }],
])("a body with %s passes as it came", async (name, asked, said) => {
  const reason = name.includes("old") ? "function_call" : name.includes("name") ? "stop" : "tool_calls";
  const message = { role: "assistant", content: null, ...said };
  const body = JSON.stringify({ id: "x", choices: [{ index: 0, message, finish_reason: reason }] }, null, 2);
  const request = asking({ ...asked, stream: false });
  const passed = await passedThrough({ url, request, body, type: "application/json" });
  expect(passed).toEqual({ text: body, error: undefined, told: [] });
});

test("what is wrong with a custom tool is mended, and it stays one", async () => {
  const body = events(role, custom({ id: "a", type: "custom" }, "print(1)"), chunk({}, "stop"), done);
  const { text } = await passedThrough({ url, request: asking(python), body });
  expect(text).toContain('"type":"custom","custom":{"name":"py","input":"print(1)"}');
  expect(text).toContain('"finish_reason":"tool_calls"');
});

test("what is wrong with a function of the old kind is mended, and it stays one", async () => {
  const body = events(chunk({ role: "assistant", function_call: { name: "f", arguments: { x: 1 } } }, "stop"), done);
  const { text } = await passedThrough({ url, request: asking(functions), body });
  expect(text).toContain('"function_call":{"name":"f","arguments":"{\\"x\\":1}"}');
  expect(text).toContain('"finish_reason":"function_call"');
});

test("who did not ask for functions of the old kind gets calls", async () => {
  const body = events(chunk({ role: "assistant", function_call: { name: "f", arguments: "{}" } }), done);
  const { text } = await passedThrough({ url, request: asking({ tools: [tool] }), body });
  expect(text).toContain('"tool_calls":[{"index":0,"id":"call_');
});

test("a refusal that is mended stays one", async () => {
  const body = events(chunk({ refusal: "No." }), chunk({}, "stop"), done);
  const { text } = await passedThrough({ url, request: asking({}), body });
  expect(text).toContain('"delta":{"role":"assistant","refusal":"No."}');
});

test("a chunk that is mended keeps what else it has", async () => {
  const body = events(
    chunk({ content: "Hi", annotations: [1] }, null, { logprobs: { a: 1 } }),
    chunk({}, "stop"),
    done,
  );
  const { text } = await passedThrough({ url, request: asking({}), body });
  expect(text).toContain('"annotations":[1]');
  expect(text).toContain('"logprobs":{"a":1}');
});

describe.each(ways)(
  "who asked for one answer gets the first of several, in pieces of $size, calls: $toolCalls",
  (way) => {
    const both = {
      ...role,
      choices: [0, 1].map((index) => ({ index, delta: { role: "assistant" }, finish_reason: null })),
    };
    const other = { ...call, id: "b", function: { name: "f", arguments: '{"x":2}' } };

    test.each([
      ["text", [both, second({ content: "b" }), chunk({ content: "a" }), second({}, "stop"), chunk({}, "stop")]],
      [
        "calls",
        [
          both,
          second({ tool_calls: [other] }),
          chunk({ content: "a" }),
          chunk({ tool_calls: [call] }),
          second({}, "tool_calls"),
          chunk({}, "tool_calls"),
        ],
      ],
    ])("%s", async (_, frames) => {
      const { text, error } = await passedThrough({ url, request: asking({}), ...way, body: events(...frames, done) });
      expect(error).toBeUndefined();
      expect(text).toContain('"content":"a"');
      expect(text).not.toContain('"index":1');
      expect(text).not.toContain('"id":"b"');
      expect(text.match(/"finish_reason":"/gu)).toHaveLength(1);
      expect(text.endsWith(done)).toBe(true);
    });
  },
);

describe("a response that does not say when it was made, and by which model", () => {
  const event = (type: string, more: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
  const response = { id: "r", object: "response", status: "in_progress", output: [] };
  const rest = event("response.completed", { sequence_number: 1, response: { ...response, status: "completed" } });
  const created = (more: object): string =>
    event("response.created", { sequence_number: 0, response: { ...response, ...more } });
  const asked = { url: "https://host.example/v1/responses", request: { model: "m", stream: true, input: "Hi." } };
  const agent = "ai/7.0.0 ai-sdk/openai/4.0.0 runtime/node.js/24";

  test("passes as it came", async () => {
    expect((await passedThrough({ ...asked, body: created({}) + rest })).text).toBe(created({}) + rest);
  });

  test.each([
    [{}, { created_at: 0, model: "m" }],
    [{ created_at: 1 }, { created_at: 1, model: "m" }],
    [
      { created_at: 1, model: "n" },
      { created_at: 1, model: "n" },
    ],
  ])("says so to the AI SDK, which takes no other: %j", async (given, sent) => {
    const { text } = await passedThrough({ ...asked, agent, body: created(given) + rest });
    expect(text).toBe(created({ ...given, ...sent }) + rest);
  });
});
