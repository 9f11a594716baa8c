import { check, repair } from "undangle";
import { repairUIMessages } from "undangle/ai-sdk";
import { describe, expect, test } from "vitest";

const format = "ai-sdk" as const;
const user = { id: "m1", role: "user", parts: [{ type: "text", text: "ask" }] };
const tool = (id: string, state: string, more: object = {}) => ({
  type: "tool-read",
  toolCallId: id,
  state,
  input: { a: 1 },
  ...more,
});
const page = (...parts: readonly object[]) => [
  user,
  { id: "m2", role: "assistant", parts: [{ type: "step-start" }, ...parts] },
];
const done = tool("c2", "output-available", { output: "result" });

describe("a part at the end of a page that waits on purpose", () => {
  test.each([
    ["for a tool that the page runs", page(tool("c1", "input-available"))],
    ["for a decision", page(tool("c1", "approval-requested", { approval: { id: "a1" } }))],
    ["beside one that is done", page(tool("c1", "input-available"), done)],
    ["behind one that is done", page(done, tool("c1", "approval-requested", { approval: { id: "a1" } }))],
    ["with data for the page behind it", page(tool("c1", "input-available"), { type: "data-note", data: 1 })],
  ])("is left alone: %s", (_, messages) => {
    expect(check(messages, { format })).toEqual([]);
    expect(repair(messages, { format }).output).toBe(messages);
    expect(repairUIMessages(messages)).toBe(messages);
  });

  test.each([
    ["a message of the user", [...page(tool("c1", "input-available")), user], "was cancelled"],
    [
      "another step",
      page(tool("c1", "input-available"), { type: "step-start" }, { type: "text", text: "text" }),
      "no recorded result",
    ],
    ["nothing, while its input was streamed", page(tool("c1", "input-streaming")), "cut off"],
  ])("is settled when this follows: %s", (_, messages, words) => {
    expect(check(messages, { format })).toMatchObject([{ rule: "unanswered-call", callId: "c1" }]);
    const { output, problems } = repair(messages, { format });
    expect(problems).toEqual([]);
    expect(output[1]?.parts[1]).toMatchObject({ state: "output-error" });
    expect(JSON.stringify(output[1]?.parts[1])).toContain(words);
  });

  test("is settled where the caller asks for it", () => {
    const messages = page(tool("c1", "input-available"), tool("c2", "approval-requested"));
    const { edits, problems } = repair(messages, { format, danglingAtEnd: "answer" });
    expect(edits.map(({ callId }) => callId)).toEqual(["c1", "c2"]);
    expect(problems).toEqual([]);
  });
});

test("model messages are settled at the end, as before", () => {
  const call = { type: "tool-call", toolCallId: "c1", toolName: "read", input: {} };
  const { edits } = repair([{ role: "assistant", content: [call] }], { format });
  expect(edits).toMatchObject([{ rule: "unanswered-call", type: "insert" }]);
});

test("a part with a result keeps it, whatever its state says", () => {
  for (const [more, state] of [
    [{ output: "result" }, "output-available"],
    [{ errorText: "result" }, "output-error"],
  ] as const) {
    const { output, problems } = repair(page(tool("c1", "input-available", more)), { format });
    expect(problems).toEqual([]);
    expect(output[1]?.parts[1]).toEqual(tool("c1", state, more));
  }
});
