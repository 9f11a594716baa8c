import { assemble } from "undangle";
import type { StreamFormat } from "undangle";
import { describe, expect, test } from "vitest";

import { chunk, done, events, named, passedThrough, responseOf } from "../clients/passed-through.ts";
import { requests } from "../growth/requests.ts";

/** What stands in the place of a call, or of a delta of one, and is none. */
const values = [7, "text", ["f", "{}"], true] as const;

const role = chunk({ role: "assistant", content: null });
const call = { index: 0, id: "c", type: "function", function: { name: "f", arguments: '{"a":[1' } };
const rest = { index: 0, function: { arguments: ",2]}" } };
const block = (value: unknown, index = 1) => ({ type: "content_block_start", index, content_block: value });
const start = {
  type: "message_start",
  message: { id: "m", type: "message", role: "assistant", model: "c", content: [], usage: {} },
};
const stop = [{ type: "message_delta", delta: { stop_reason: "tool_use" }, usage: {} }, { type: "message_stop" }];
const begun = block({ type: "tool_use", id: "t", name: "f", input: {} }, 0);
const json = (text: string) => ({
  type: "content_block_delta",
  index: 0,
  delta: { type: "input_json_delta", partial_json: text },
});
const item = { type: "function_call", id: "fc", call_id: "c", name: "f", arguments: "{}", status: "completed" };
const candidate = (parts: readonly unknown[]) => ({
  candidates: [{ index: 0, content: { role: "model", parts }, finishReason: "STOP" }],
});
const line = (message: object, more: object = { done: false }) =>
  `${JSON.stringify({ model: "m", message: { role: "assistant", content: "", ...message }, ...more })}\n`;

type Made = readonly [what: string, format: Exclude<StreamFormat, "bedrock">, make: (value: unknown) => string];

const streams: readonly Made[] = [
  [
    "an entry between deltas",
    "openai-chat",
    (value) =>
      events(
        role,
        chunk({ tool_calls: [call] }),
        chunk({ tool_calls: [value] }),
        chunk({ tool_calls: [rest] }),
        chunk({}, "tool_calls"),
        done,
      ),
  ],
  [
    "an entry instead of a call",
    "openai-chat",
    (value) => events(role, chunk({ tool_calls: [value] }), chunk({}, "tool_calls"), done),
  ],
  [
    "the function",
    "openai-chat",
    (value) =>
      events(
        role,
        chunk({ tool_calls: [{ index: 0, id: "c", type: "function", function: value }] }),
        chunk({}, "tool_calls"),
        done,
      ),
  ],
  [
    "the legacy call",
    "openai-chat",
    (value) => events(role, chunk({ function_call: value }), chunk({}, "function_call"), done),
  ],
  ["a block", "anthropic", (value) => named(start, block(value), ...stop)],
  [
    "a delta",
    "anthropic",
    (value) =>
      named(
        start,
        begun,
        json('{"a":[1'),
        { type: "content_block_delta", index: 0, delta: value },
        json(",2]}"),
        { type: "content_block_stop", index: 0 },
        ...stop,
      ),
  ],
  [
    "an item",
    "openai-responses",
    (value) =>
      named(
        { type: "response.created", response: responseOf("in_progress") },
        { type: "response.output_item.added", output_index: 0, item: value },
        { type: "response.completed", response: responseOf("completed") },
      ),
  ],
  [
    "an item of the whole",
    "openai-responses",
    (value) =>
      named(
        { type: "response.created", response: responseOf("in_progress") },
        { type: "response.completed", response: { ...responseOf("completed"), output: [item, value] } },
      ),
  ],
  ["a call", "gemini", (value) => events(candidate([{ functionCall: value }]))],
  ["a part", "gemini", (value) => events(candidate([value]))],
  ["an entry", "ollama", (value) => line({ tool_calls: [value] }) + line({}, { done: true, done_reason: "stop" })],
  [
    "the function",
    "ollama",
    (value) => line({ tool_calls: [{ function: value }] }) + line({}, { done: true, done_reason: "stop" }),
  ],
];

describe("What cannot be read in the place of a call is recorded as lost", () => {
  test.each(streams)("%s (%s)", async (_, format, make) => {
    for (const value of values) {
      const turn = await assemble([make(value)], { format }).turn();
      expect(turn.anomalies.map(({ kind }) => kind)).toContain("call-unreadable");
      expect(turn.complete).toBe(false);
      for (const toolCalls of ["hold", "stream"] as const) {
        const { error } = await passedThrough({ ...requests[format], body: make(value), toolCalls });
        expect(error, `${String(value)} ${toolCalls}`).toBeTypeOf("string");
      }
    }
  });

  test("a null between deltas of a call may be one of them", async () => {
    const body = events(
      role,
      chunk({ tool_calls: [call] }),
      chunk({ tool_calls: [null] }),
      chunk({ tool_calls: [rest] }),
      chunk({}, "tool_calls"),
      done,
    );
    const turn = await assemble([body], { format: "openai-chat" }).turn();
    expect(turn.calls.map(({ state }) => state)).not.toContain("ready");
  });
});

describe("A call without a name is never ready, and ends a stream that is passed on in an error", () => {
  test.each<Made>([
    [
      "null",
      "openai-chat",
      (name) =>
        events(
          role,
          chunk({ tool_calls: [{ ...call, function: { name, arguments: '{"a":1}' } }] }),
          chunk({}, "tool_calls"),
          done,
        ),
    ],
    [
      "null",
      "anthropic",
      (name) =>
        named(
          start,
          block({ type: "tool_use", id: "t", name, input: {} }, 0),
          json('{"a":1}'),
          { type: "content_block_stop", index: 0 },
          ...stop,
        ),
    ],
    [
      "null",
      "openai-responses",
      (name) =>
        named(
          { type: "response.created", response: responseOf("in_progress") },
          { type: "response.output_item.added", output_index: 0, item: { ...item, name, arguments: '{"a":1}' } },
          {
            type: "response.completed",
            response: { ...responseOf("completed"), output: [{ ...item, name, arguments: '{"a":1}' }] },
          },
        ),
    ],
    ["null", "gemini", (name) => events(candidate([{ functionCall: { name, args: { a: 1 } } }]))],
    [
      "null",
      "ollama",
      (name) =>
        line({ tool_calls: [{ function: { name, arguments: { a: 1 } } }] }) +
        line({}, { done: true, done_reason: "stop" }),
    ],
  ])("%s (%s)", async (_, format, make) => {
    for (const name of [null, undefined, "", "  "]) {
      const turn = await assemble([make(name)], { format }).turn();
      expect(turn.calls.filter(({ state }) => state === "ready")).toEqual([]);
      for (const toolCalls of ["hold", "stream"] as const) {
        const { error, told } = await passedThrough({ ...requests[format], body: make(name), toolCalls });
        expect(error, `${name} ${toolCalls}`).toBeTypeOf("string");
        expect(told).not.toEqual([]);
      }
    }
  });
});

test("what follows the name of a tool is not dropped", async () => {
  for (const name of ["rm /srv/x", "rm(/srv/x)", "rm:/srv/x", "rm<path>/srv/x", 'rm<|message|>{"path":"/srv/x"}']) {
    const body = events(
      role,
      chunk({ tool_calls: [{ ...call, function: { name, arguments: "{}" } }] }),
      chunk({}, "tool_calls"),
      done,
    );
    const turn = await assemble([body], { format: "openai-chat", tools: [{ name: "rm" }] }).turn();
    expect(turn.calls.map((each) => each.name)).toEqual([name]);
  }
});

test("arguments of a Gemini call whose name was lost are not added to the call before it", async () => {
  for (const id of [undefined, "z"]) {
    const first = { id, name: "open", args: { path: "a" } };
    const body = events(candidate([{ functionCall: first }, { functionCall: { id, args: { force: true } } }]));
    const turn = await assemble([body], { format: "gemini" }).turn();
    expect(turn.calls.flatMap((each) => (each.state === "ready" ? [each.arguments] : []))).toEqual(
      id === undefined ? [{ path: "a" }] : [],
    );
  }
});

test("a call is not ready where the chunk with its arguments cannot be read", async () => {
  const opened = chunk({ tool_calls: [{ ...call, function: { name: "f", arguments: "" } }] });
  const choice = { index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: '{"a":1}' } }] } };
  const choices: readonly unknown[] = [
    7,
    "text",
    [JSON.stringify(choice)],
    [[choice]],
    [{ index: 0, delta: [choice.delta] }],
  ];
  for (const given of choices) {
    const body = events(role, opened, { ...opened, choices: given }, chunk({}, "tool_calls"), done);
    const turn = await assemble([body], { format: "openai-chat" }).turn();
    expect(turn.calls.map(({ state }) => state)).toEqual(["truncated"]);
  }
});
