import { describe, expect, test } from "vitest";

import { begun, calls, callsIn, end, more, role } from "../clients/chat-chunks.ts";
import { chatWays, plainlyHeard } from "../clients/heard-of.ts";
import { chunk, events, passedThrough, ways } from "../clients/passed-through.ts";
import { chat } from "../clients/requests.ts";

/** MiniMax sends the whole message again with its last event, which was written anew and told, though all clients read it right. */
const base = "https://api.minimax.io/v1";
const minimax = { ...chat, url: `${base}/chat/completions` };
const whole = (message: object, finish: string): object => ({
  id: "x",
  choices: [{ finish_reason: finish, index: 0, message: { role: "assistant", name: "MiniMax AI", ...message } }],
  created: 1,
  model: "m",
  object: "chat.completion",
  usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
  base_resp: { status_code: 0, status_msg: "" },
});
const says = chunk({ content: "Hé" });
const call = begun(0, "find_book", '{"x":1}');
const again = { content: "Hé", tool_calls: [call] };

const answers: readonly (readonly [string, string])[] = [
  ["a string", events(role, says, chunk({}, "stop"), whole({ content: "Hé" }, "stop"))],
  ["one that was cut off", events(role, says, chunk({}, "length"), whole({ content: "Hé" }, "length"))],
  [
    "a call in pieces",
    events(role, says, calls(begun(0, "find_book")), calls(more(0, '{"x":1}')), end, whole(again, "tool_calls")),
  ],
  ["a call with its end", events(role, says, chunk({ tool_calls: [call] }, "tool_calls"), whole(again, "tool_calls"))],
];

describe.each(ways)("pieces of $size, calls: $toolCalls", (way) => {
  test.each(answers)("passes as it came: %s", async (_, body) => {
    expect(await passedThrough({ ...minimax, ...way, body })).toEqual({ text: body, error: undefined, told: [] });
  });

  test.each([
    ["other arguments", whole({ ...again, tool_calls: [begun(0, "find_book", '{"x":2}')] }, "tool_calls")],
    ["another call as well", whole({ ...again, tool_calls: [call, begun(1, "find_book", "{}")] }, "tool_calls")],
    ["no call", whole({ content: "Hé" }, "tool_calls")],
    ["the same at another host", whole(again, "tool_calls")],
  ])("does not pass, and is told: %s", async (name, last) => {
    const host = name === "the same at another host" ? chat : minimax;
    const { text, error, told } = await passedThrough({
      ...host,
      ...way,
      body: events(role, says, calls(call), end, last),
    });
    expect({ error, calls: callsIn(text) }).toEqual({ error: undefined, calls: ['find_book {"x":1}'] });
    expect(text).not.toContain('"message"');
    expect(told).toHaveLength(1);
  });

  test("cut off, it is presented by nobody", async () => {
    const cut = begun(0, "find_book", '{"x":');
    const body = events(role, says, calls(cut), chunk({}, "length"), whole({ ...again, tool_calls: [cut] }, "length"));
    const { text, error } = await passedThrough({ ...minimax, ...way, body });
    expect(error).toContain("cut off");
    expect(text).not.toContain('"message"');
  });
});

describe.each(chatWays)("$sdk.name, calls: $toolCalls", (way) => {
  test.each(answers)("is read right: %s", async (name, body) => {
    const called = name.includes("call") ? [["find_book", { x: 1 }]] : [];
    expect(await plainlyHeard(body, way, base)).toMatchObject({ text: "Hé", calls: called, error: undefined });
  });
});
