import { describe, expect, test } from "vitest";

import { begun, calls, end, more } from "../clients/chat-chunks.ts";
import { chatWays, plainlyHeard } from "../clients/heard-of.ts";
import { chunk, done, events, passedThrough, ways } from "../clients/passed-through.ts";
import { chat } from "../clients/requests.ts";

/** Two entries of one call in the chunk in which it begins: LangChain made a call that cannot be run of each. */
const begin = (index: number): object => begun(index, "find_book");
const role = { role: "assistant", content: "" };

describe.each(chatWays)("$sdk.name, calls: $toolCalls", (way) => {
  test.each([
    ["in the first chunk", [chunk({ ...role, tool_calls: [begin(0), more(0, '{"x"')] })]],
    ["in a later one", [chunk(role), calls(begin(0), more(0, '{"x"'))]],
    ["three of them", [chunk({ ...role, tool_calls: [begin(0), more(0, "{"), more(0, '"x"')] })]],
  ])("reads two entries %s as one call", async (_, first) => {
    const body = events(...first, calls(more(0, ":1}")), end, done);
    expect(await plainlyHeard(body, way)).toEqual({ text: "", calls: [["find_book", { x: 1 }]], error: undefined });
  });

  test("reads those of two calls", async () => {
    const first = chunk({ ...role, tool_calls: [begin(0), more(0, "{"), begin(1), more(1, "{")] });
    const rest = calls(more(0, '"x":1}'), more(1, '"x":2}'));
    const meant = [
      ["find_book", { x: 1 }],
      ["find_book", { x: 2 }],
    ];
    expect(await plainlyHeard(events(first, rest, end, done), way)).toEqual({
      text: "",
      calls: meant,
      error: undefined,
    });
  });
});

test.each(ways)("entries of a call that has begun stay as they came: $size, $toolCalls", async (way) => {
  const body = events(
    chunk({ ...role, tool_calls: [begin(0), begin(1)] }),
    calls(more(0, '{"x"'), more(0, ":1}"), more(1, '{"y":2}')),
    end,
    done,
  );
  expect(await passedThrough({ ...chat, ...way, body })).toEqual({ text: body, error: undefined, told: [] });
});
