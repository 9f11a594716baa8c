import { describe, expect, test } from "vitest";

import { passedThrough, ways } from "../clients/passed-through.ts";

/** Blocks in disorder were written so that a client took a call for whole of which it had a part, or nothing. */
const url = "https://api.anthropic.com/v1/messages";
const request = {
  model: "claude-sonnet-4-5",
  max_tokens: 9,
  stream: true,
  messages: [{ role: "user", content: "Hi." }],
};
const named = (value: Readonly<Record<string, unknown>>): string =>
  `event: ${String(value["type"])}\ndata: ${JSON.stringify(value)}\n\n`;
const message = { id: "m", type: "message", role: "assistant", model: "c", content: [], usage: { input_tokens: 1 } };
const start = { type: "message_start", message };
const block = (index: number, content: object): Record<string, unknown> => ({
  type: "content_block_start",
  index,
  content_block: content,
});
const text = (index: number): Record<string, unknown> => block(index, { type: "text", text: "" });
const call = block(1, { type: "tool_use", id: "a", name: "f", input: {} });
const delta = (index: number, given: object): Record<string, unknown> => ({
  type: "content_block_delta",
  index,
  delta: given,
});
const says = delta(0, { type: "text_delta", text: "Ok" });
const json = (given: string): Record<string, unknown> => delta(1, { type: "input_json_delta", partial_json: given });
const over = (index: number): Record<string, unknown> => ({ type: "content_block_stop", index });
const stop = { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 3 } };
const end = { type: "message_stop" };
const whole = [text(0), says, over(0), call, json(""), json('{"x":'), json("1}"), over(1)];

/** The arguments of the call in what passed: all that stands in its block, before that is over. */
function argumentsIn(body: string): string {
  let open: unknown;
  let given = "";
  for (const [, data = ""] of body.matchAll(/^data: (.*)$/gmu)) {
    const {
      type,
      index,
      content_block: begun,
      delta: piece,
    } = JSON.parse(data) as Record<string, Record<string, unknown>>;
    const kind: unknown = type;
    if (kind === "content_block_start" && begun?.["type"] === "tool_use") open = index;
    if (kind === "content_block_stop" && open === index) open = undefined;
    if (kind === "content_block_delta" && open !== undefined && index === open)
      given += String(piece?.["partial_json"]);
  }
  return given;
}

describe.each(ways)("in pieces of $size, calls: $toolCalls", (way) => {
  test.each([
    ["the beginning of another block", [...whole.slice(0, 6), text(0), ...whole.slice(6)]],
    ["text of another block", [...whole.slice(0, 6), says, ...whole.slice(6)]],
  ])("a call is not ended by what comes between: %s", async (_, events) => {
    const body = [start, ...events, stop, end].map(named).join("");
    const { text: came, error } = await passedThrough({ url, request, ...way, body });
    expect(error).toBeUndefined();
    expect(argumentsIn(came)).toBe('{"x":1}');
  });

  test.each([
    ["what is called", [start, stop, ...whole, end]],
    ["what is said", [start, { ...stop, delta: { stop_reason: "end_turn" } }, ...whole.slice(0, 3), end]],
  ])("nothing passes behind the end of a turn, and that is an error: %s", async (_, events) => {
    const { text: came, error } = await passedThrough({ url, request, ...way, body: events.map(named).join("") });
    expect(error).toContain("it went on behind its end");
    expect(came).not.toContain('tool_use","id');
    expect(came).not.toContain("message_stop");
  });
});

test("a call that goes on behind its end while it comes ends in an error", async () => {
  const events = [start, ...whole, json('{"y":1}'), over(1), stop, end];
  const body = events.map(named).join("");
  const { text: came, error } = await passedThrough({ url, request, toolCalls: "stream", body });
  expect(error).toContain("cannot be mended");
  expect(came).not.toContain("message_stop");
});

test.each(ways)(
  "arguments may begin behind the end of their block, in pieces of $size, calls: $toolCalls",
  async (way) => {
    const body = [start, ...whole.slice(0, 5), over(1), ...whole.slice(5), stop, end].map(named).join("");
    const { text: came, error } = await passedThrough({ url, request, ...way, body });
    expect(error).toBeUndefined();
    expect(argumentsIn(came)).toBe('{"x":1}');
  },
);
