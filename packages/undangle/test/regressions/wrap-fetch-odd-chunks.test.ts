import { describe, expect, test } from "vitest";

import { role } from "../clients/chat-chunks.ts";
import { chunk, done, events, passedThrough, ways } from "../clients/passed-through.ts";
import { chat } from "../clients/requests.ts";

/** What servers that call themselves compatible send, and clients trip over: it passed, or a tool was run twice. */
const says = chunk({ content: "Hé" });
const calls = (id: string, name: string, given = '{"x":1}'): object =>
  chunk({ tool_calls: [{ index: 0, id, type: "function", function: { name, arguments: given } }] });
const called = calls("a", "f");
const ends = (reason: string): object => chunk({}, reason);

describe("a call that is sent again under the name without what stood around it is one call", () => {
  const tools = [{ type: "function", function: { name: "bash", parameters: {} } }];
  test.each([" bash\n", "bash<|channel|>commentary", "functions.bash"])("%j", async (name) => {
    for (const way of ways) {
      const body = events(role, calls("a", name), calls("a", "bash"), ends("tool_calls"), done);
      const { text } = await passedThrough({ ...chat, ...way, request: { ...chat.request, tools }, body });
      expect(text.match(/"name":"bash"/gu)).toHaveLength(1);
      expect(text.match(/x\\":1/gu)).toHaveLength(1);
    }
  });

  test("unless it is another tool", async () => {
    const body = events(role, calls("a", "bash"), calls("a", "bashful"), ends("tool_calls"), done);
    const { text } = await passedThrough({ ...chat, body });
    expect(text.match(/"name":"/gu)).toHaveLength(2);
  });
});

describe.each(ways)(
  "an end is told once, and says what the turn holds, in pieces of $size, calls: $toolCalls",
  (way) => {
    test.each([
      ["behind text", [role, says, ends("stop"), ends("stop")], [role, says, ends("stop")]],
      [
        "behind a call and text",
        [role, called, says, ...twice("tool_calls")],
        [role, called, says, ends("tool_calls")],
      ],
      ["where it does not fit the call", [role, called, says, ends("stop")], [role, called, says, ends("tool_calls")]],
      [
        "unless the second one says that something is missing",
        [role, says, ends("stop"), ends("length")],
        [role, says, ends("stop"), ends("length")],
      ],
    ])("%s", async (_, sent, expected) => {
      const body = events(...sent, done);
      const { text, error, told } = await passedThrough({ ...chat, ...way, body });
      expect(error).toBeUndefined();
      expect(text.replaceAll(',"logprobs":null', "")).toBe(
        events(...expected, done).replaceAll(',"logprobs":null', ""),
      );
      expect(told).toHaveLength(1);
    });
  },
);

test("usage behind a second end is not lost", async () => {
  const usage = { ...chunk({}), choices: [], usage: { total_tokens: 5 } };
  const { text } = await passedThrough({ ...chat, body: events(role, says, ...twice("stop"), usage, done) });
  expect(text).toBe(events(role, says, ends("stop"), usage, done));
});

describe.each(ways)("a chunk gets what clients look for, in pieces of $size, calls: $toolCalls", (way) => {
  const bare = { id: "x", object: "chat.completion.chunk", created: 1, model: "m" };

  test.each([
    ["before the first", [bare, role, says, ends("stop")], [{ ...bare, choices: [] }, role, says, ends("stop")]],
    ["in the middle", [role, bare, says, ends("stop")], [role, { ...bare, choices: [] }, says, ends("stop")]],
  ])("a list of choices, %s", async (_, sent, expected) => {
    const { text, told } = await passedThrough({ ...chat, ...way, body: events(...sent, done) });
    expect(text).toBe(events(...expected, done));
    expect(told).toHaveLength(1);
  });

  test("and no message beside what is new of it, where the client adds to that", async () => {
    const both = (delta: object, finish: string | null = null): object => chunk(delta, finish, { message: delta });
    const first = both({ role: "assistant", content: "H" });
    const call = both({
      tool_calls: [{ index: 0, id: "a", type: "function", function: { name: "f", arguments: "{}" } }],
    });
    const body = events(first, both({ content: "é" }), call, both({}, "tool_calls"), done);
    const { text, error } = await passedThrough({
      ...chat,
      ...way,
      body,
      headers: { "x-stainless-helper-method": "stream" },
    });
    expect(error).toBeUndefined();
    expect(text).not.toContain('"message"');
    expect(text.match(/"content":"(?:H|é)"/gu)).toHaveLength(2);
    expect(text.match(/"name":"f"/gu)).toHaveLength(1);
  });
});

function twice(reason: string): readonly [object, object] {
  return [ends(reason), ends(reason)];
}
