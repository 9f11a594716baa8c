import { describe, expect, test } from "vitest";
import { diffJson } from "./diff-json.ts";

const user = { role: "user", content: "hello" };
const call = { role: "assistant", content: null, tool_calls: [{ id: "1" }, { id: "2" }] };
const result = { role: "tool", tool_call_id: "1", content: "fine" };
const notice = { role: "tool", tool_call_id: "2", content: "cancelled" };

describe("a list of messages, item by item", () => {
  test.each([
    ["nothing", [user, call], [user, call], [{ type: "skipped", count: 2 }]],
    [
      "an inserted one",
      [user, user, call, user],
      [user, user, call, notice, user],
      [
        { type: "skipped", count: 2 },
        { type: "same", before: 2, after: 2, value: call },
        { type: "added", after: 3, value: notice },
        { type: "same", before: 3, after: 4, value: user },
      ],
    ],
    [
      "a moved one",
      [call, user, result],
      [call, result, user],
      [
        { type: "same", before: 0, after: 0, value: call },
        { type: "added", after: 1, value: result, movedFrom: 2 },
        { type: "same", before: 1, after: 2, value: user },
        { type: "removed", before: 2, value: result, movedTo: 1 },
      ],
    ],
    [
      "a removed one",
      [user, result],
      [user],
      [
        { type: "same", before: 0, after: 0, value: user },
        { type: "removed", before: 1, value: result },
      ],
    ],
  ])("%s", (_, before, after, rows) => {
    expect(diffJson(before, after)).toEqual([{ name: "", rows }]);
  });

  test("an edited one, down to the value that changed", () => {
    const renamed = { ...call, content: "", tool_calls: [{ id: "a" }, { id: "2" }, { id: "3" }] };
    expect(diffJson([call], [renamed])).toEqual([
      {
        name: "",
        rows: [
          {
            type: "changed",
            before: 0,
            after: 0,
            value: renamed,
            changes: [
              { path: "content", before: null, after: "" },
              { path: "tool_calls[0]", before: { id: "1" } },
              { path: "tool_calls[0]", after: { id: "a" } },
              { path: "tool_calls[2]", after: { id: "3" } },
            ],
          },
        ],
      },
    ]);
  });
});

test("a body is compared by its keys: lists in sections of their own, the rest together", () => {
  const before = { model: "x", messages: [user], thinking: { type: "enabled" } };
  const after = { model: "x", messages: [user, result], tools: [{ name: "t" }] };
  expect(diffJson(before, after)).toEqual([
    {
      name: "messages",
      rows: [
        { type: "same", before: 0, after: 0, value: user },
        { type: "added", after: 1, value: result },
      ],
    },
    {
      name: "",
      rows: [
        {
          type: "changed",
          before: -1,
          after: -1,
          value: after,
          changes: [
            { path: "tools", after: [{ name: "t" }] },
            { path: "thinking", before: { type: "enabled" } },
          ],
        },
      ],
    },
  ]);
});
