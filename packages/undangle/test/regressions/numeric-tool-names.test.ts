import { assemble, repair } from "undangle";
import type { StreamFormat } from "undangle";
import { describe, expect, test } from "vitest";

import { chunk, done, events, named, passedThrough, responseOf } from "../clients/passed-through.ts";
import { requests } from "../growth/requests.ts";

/** Streams with one call, by its name. */
const streams: Readonly<Record<Exclude<StreamFormat, "bedrock">, (name: unknown) => string>> = {
  "openai-chat": (name) =>
    events(
      chunk({ role: "assistant", content: null }),
      chunk({ tool_calls: [{ index: 0, id: "c", type: "function", function: { name, arguments: '{"a":1}' } }] }),
      chunk({}, "tool_calls"),
      done,
    ),
  anthropic: (name) =>
    named(
      { type: "message_start", message: { id: "m", type: "message", role: "assistant", content: [], usage: {} } },
      { type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "c", name, input: {} } },
      { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: '{"a":1}' } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: {} },
      { type: "message_stop" },
    ),
  "openai-responses": (name) => {
    const item = { type: "function_call", id: "fc", call_id: "c", name, arguments: '{"a":1}', status: "completed" };
    return named(
      { type: "response.created", response: responseOf("in_progress") },
      { type: "response.output_item.added", output_index: 0, item: { ...item, arguments: "" } },
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response: responseOf("completed", item) },
    );
  },
  gemini: (name) =>
    events({
      candidates: [
        {
          index: 0,
          content: { role: "model", parts: [{ functionCall: { name, args: { a: 1 } } }] },
          finishReason: "STOP",
        },
      ],
    }),
  ollama: (name) =>
    `${JSON.stringify({
      model: "m",
      message: { role: "assistant", content: "", tool_calls: [{ function: { name, arguments: { a: 1 } } }] },
      done: true,
      done_reason: "stop",
    })}\n`,
};

const formats = Object.keys(streams) as readonly (keyof typeof streams)[];

describe.each(formats)("a name that is not text (%s)", (format) => {
  test("a number becomes text, as in ids, and is recorded", async () => {
    const turn = await assemble([streams[format](7)], { format }).turn();
    expect(turn.calls.map(({ name, arguments: args, state }) => [name, args, state])).toEqual([
      ["7", { a: 1 }, "ready"],
    ]);
    expect(turn.anomalies.map(({ kind }) => kind)).toContain("name-not-text");
    for (const toolCalls of ["hold", "stream"] as const) {
      const { text, error } = await passedThrough({ ...requests[format], body: streams[format](7), toolCalls });
      expect(error).toBeUndefined();
      expect(text).toMatch(/"name":\s*"7"/u);
      expect(text).not.toMatch(/"name":\s*7/u);
    }
  });

  test.each([[true], [["f"]], [{ f: 1 }], [null]])("%j is no name", async (name) => {
    const turn = await assemble([streams[format](name)], { format }).turn();
    expect(turn.calls.map(({ state }) => state)).toEqual(["malformed"]);
  });
});

test("a history has no name where a number is: the edit keeps the number", () => {
  const history = [
    { role: "user", content: "x" },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c", type: "function", function: { name: 7, arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "c", content: "r" },
  ];
  const { edits } = repair(history, { format: "openai-chat" });
  expect(edits.map(({ rule, before }) => [rule, before])).toEqual([["missing-name", 7]]);
});
