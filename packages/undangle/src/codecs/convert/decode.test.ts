import { describe, expect, test } from "vitest";

import { formats } from "../formats.ts";
import { repair } from "../repair.ts";
import { convert } from "./convert.ts";
import { decode } from "./decode.ts";

const chat = [
  { role: "user", content: "Go." },
  {
    role: "assistant",
    content: "Both.",
    tool_calls: [
      { id: "a", type: "function", function: { name: "look", arguments: '{"n":1}' } },
      { id: "b", type: "function", function: { name: "pay", arguments: '{"n":2}' } },
    ],
  },
  { role: "tool", tool_call_id: "a", content: "seen" },
  { role: "user", content: "And?" },
];

describe("decode", () => {
  test("reads a history, and tells which results were not there", () => {
    const { conversation, unanswered, format } = decode(chat);
    expect(format).toBe("openai-chat");
    const results = conversation.messages.flatMap((each) => (each.role === "tool" ? each.results : []));
    expect(results.map(({ id, name }) => [id, name])).toEqual([
      ["a", "look"],
      ["b", "pay"],
    ]);
    expect(results.map((each) => unanswered.get(each)?.cause)).toEqual([undefined, "superseded"]);
  });

  test.each(formats)("finds the calls without a result in %s", (to) => {
    const whole = convert(
      repair([...chat.slice(0, 3), { role: "tool", tool_call_id: "b", content: "paid" }, chat[3]]).output,
      { to },
    ).output;
    const broken = JSON.parse(JSON.stringify(whole, withoutPaid)) as unknown;
    const { unanswered, conversation } = decode(broken, { from: to });
    const names = conversation.messages
      .flatMap((each) => (each.role === "tool" ? each.results : []))
      .map((each) => [each.name, unanswered.has(each)]);
    expect(names).toEqual([
      ["look", false],
      ["pay", true],
    ]);
  });
});

/** Removes the result "paid" in any format. */
const withoutPaid = (_: string, value: unknown): unknown =>
  Array.isArray(value) ? value.filter((each) => !isPaid(each)) : value;

function isPaid(value: unknown): boolean {
  const text = JSON.stringify(value) ?? "";
  return text.includes('paid"') && !text.includes("seen") && !text.includes("And?");
}
