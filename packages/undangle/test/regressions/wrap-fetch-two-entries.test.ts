import { describe, expect, test } from "vitest";

import { chatWays, plainlyHeard } from "../clients/heard-of.ts";
import { chunk, done, events, passedThrough, ways } from "../clients/passed-through.ts";

/** Two entries of one call in the chunk in which it begins: LangChain made a call that cannot be run of each. */
const chat = { url: "https://host.example/v1/chat/completions", request: { model: "m", stream: true, messages: [] } };
const begin = (index: number): object => ({
  index,
  id: `call_${index}`,
  type: "function",
  function: { name: "find_book", arguments: "" },
});
const more = (index: number, given: string): object => ({ index, function: { arguments: given } });
const role = { role: "assistant", content: "" };
const end = chunk({}, "tool_calls");

describe.each(chatWays)("$sdk.name, calls: $toolCalls", (way) => {
  test.each([
    ["in the first chunk", [chunk({ ...role, tool_calls: [begin(0), more(0, '{"x"')] })]],
    ["in a later one", [chunk(role), chunk({ tool_calls: [begin(0), more(0, '{"x"')] })]],
    ["three of them", [chunk({ ...role, tool_calls: [begin(0), more(0, "{"), more(0, '"x"')] })]],
  ])("reads two entries %s as one call", async (_, begun) => {
    const body = events(...begun, chunk({ tool_calls: [more(0, ":1}")] }), end, done);
    expect(await plainlyHeard(body, way)).toEqual({ text: "", calls: [["find_book", { x: 1 }]], error: undefined });
  });

  test("reads those of two calls", async () => {
    const begun = chunk({ ...role, tool_calls: [begin(0), more(0, "{"), begin(1), more(1, "{")] });
    const rest = chunk({ tool_calls: [more(0, '"x":1}'), more(1, '"x":2}')] });
    const calls = [
      ["find_book", { x: 1 }],
      ["find_book", { x: 2 }],
    ];
    expect(await plainlyHeard(events(begun, rest, end, done), way)).toEqual({ text: "", calls, error: undefined });
  });
});

test.each(ways)("entries of a call that has begun stay as they came: $size, $toolCalls", async (way) => {
  const body = events(
    chunk({ ...role, tool_calls: [begin(0), begin(1)] }),
    chunk({ tool_calls: [more(0, '{"x"'), more(0, ":1}"), more(1, '{"y":2}')] }),
    end,
    done,
  );
  expect(await passedThrough({ ...chat, ...way, body })).toEqual({ text: body, error: undefined, told: [] });
});
