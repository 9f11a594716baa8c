import { describe, expect, test } from "vitest";

import { block, delta, json, over, reason, start, stop, use } from "../clients/message-events.ts";
import { passedThrough, ways } from "../clients/passed-through.ts";

/** Blocks in disorder were written so that a client took a call for whole of which it had a part, or nothing. */
const url = "https://api.anthropic.com/v1/messages";
const request = {
  model: "claude-sonnet-4-5",
  max_tokens: 9,
  stream: true,
  messages: [{ role: "user", content: "Hi." }],
};
const begins = block(0, { type: "text", text: "" });
const says = delta(0, { type: "text_delta", text: "Ok" });
const args = ["", '{"x":', "1}"].map((given) => json(1, given));
const whole = [begins, says, stop(0), use(1, "f"), ...args, stop(1)];
const ends = reason("tool_use", 3);

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
    ["the beginning of another block", [...whole.slice(0, 6), begins, ...whole.slice(6)]],
    ["text of another block", [...whole.slice(0, 6), says, ...whole.slice(6)]],
  ])("a call is not ended by what comes between: %s", async (_, events) => {
    const body = [start, ...events, ends, over].join("");
    const { text: came, error } = await passedThrough({ url, request, ...way, body });
    expect(error).toBeUndefined();
    expect(argumentsIn(came)).toBe('{"x":1}');
  });

  test.each([
    ["what is called", [start, ends, ...whole, over]],
    ["what is said", [start, reason("end_turn", 3), ...whole.slice(0, 3), over]],
  ])("nothing passes behind the end of a turn, and that is an error: %s", async (_, events) => {
    const { text: came, error } = await passedThrough({ url, request, ...way, body: events.join("") });
    expect(error).toContain("the stream continued after its end-of-turn event");
    expect(came).not.toContain('tool_use","id');
    expect(came).not.toContain("message_stop");
  });
});

test("a call that goes on behind its end while it comes ends in an error", async () => {
  const body = [start, ...whole, json(1, '{"y":1}'), stop(1), ends, over].join("");
  const { text: came, error } = await passedThrough({ url, request, toolCalls: "stream", body });
  expect(error).toContain("Cannot repair the response");
  expect(came).not.toContain("message_stop");
});

test.each(ways)(
  "arguments may begin behind the end of their block, in pieces of $size, calls: $toolCalls",
  async (way) => {
    const body = [start, ...whole.slice(0, 5), stop(1), ...whole.slice(5), ends, over].join("");
    const { text: came, error } = await passedThrough({ url, request, ...way, body });
    expect(error).toBeUndefined();
    expect(argumentsIn(came)).toBe('{"x":1}');
  },
);
