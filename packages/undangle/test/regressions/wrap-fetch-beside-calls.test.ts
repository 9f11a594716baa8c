import { describe, expect, test } from "vitest";

import { begun, callsIn, end, more, role } from "../clients/chat-chunks.ts";
import { chunk, done, events, passedThrough, ways } from "../clients/passed-through.ts";
import { chat } from "../clients/requests.ts";

/**
 * What providers put beside calls was lost where those were written anew; Gemini, over OpenRouter, refuses the next request
 * without what was thought.
 */
const details = (data: string): object => ({
  reasoning_details: [{ type: "reasoning.encrypted", data, id: "call_0" }],
});
const call = begun(0, "f", '{"x":1}');
const signed = { ...call, provider_specific_fields: { thought_signature: "ON-CALL" } };
const both = {
  ...signed,
  function: { name: "f", arguments: '{"x":1}', provider_specific_fields: { x: "ON-FUNCTION" } },
};
const citations = { ...chunk({}), choices: [], usage: null, citations: ["CITED"] };
const usage = { ...chunk({}), choices: [], usage: { total_tokens: 3 } };

describe.each(ways)("in pieces of $size, calls: $toolCalls", (way) => {
  test.each([
    ["beside the call", [chunk({ tool_calls: [both], ...details("A") }), chunk({ content: "" }, "stop")]],
    ["behind the call", [chunk({ tool_calls: [call] }), chunk({ content: "", ...details("A") }), chunk({}, "stop")]],
    [
      "with the reason",
      [
        chunk({ tool_calls: [call] }),
        chunk({ content: "", ...details("A") }, "stop", { native_finish_reason: "STOP" }),
      ],
    ],
    ["behind the reason", [chunk({ tool_calls: [call] }), chunk({}, "stop"), usage, citations]],
  ])("where only the reason is wrong, only that is changed: %s", async (_, sent) => {
    const body = events(role, ...sent, done);
    const { text, error, told } = await passedThrough({ ...chat, ...way, body });
    expect(error).toBeUndefined();
    expect(text).toBe(body.replace('"finish_reason":"stop"', '"finish_reason":"tool_calls"'));
    expect(told).toHaveLength(1);
  });

  test("where calls are written anew, everything else is there, before the end", async () => {
    const again = { ...begun(0, "g", '{"y":2}'), id: "call_1" }; // the index of the call before
    const chances = { logprobs: { content: [{ token: "CHANCE", logprob: 0, bytes: null, top_logprobs: [] }] } };
    const body = events(
      role,
      chunk({ tool_calls: [both], ...details("BESIDE") }, null, { content_filter_results: { hate: "FILTER" } }),
      chunk({ tool_calls: [{ ...again, extra_content: { x: "ON-SECOND" } }] }, null, chances),
      chunk({ content: "", annotations: [{ type: "url_citation", url: "NOTED" }] }),
      chunk({ content: "", ...details("WITH-REASON") }, "tool_calls", { native_finish_reason: "NATIVE" }),
      usage,
      citations,
      done,
    );
    const { text, error } = await passedThrough({ ...chat, ...way, body });
    expect(error).toBeUndefined();
    expect(callsIn(text)).toEqual(['f {"x":1}', 'g {"y":2}']);
    const [before = "", behind = ""] = text.split('"finish_reason":"tool_calls"');
    const inOrder = ["BESIDE", "NOTED", "WITH-REASON"].map((mark) => before.indexOf(mark));
    expect(inOrder).not.toContain(-1);
    expect(inOrder).toEqual(inOrder.toSorted((one, other) => one - other));
    for (const mark of ["FILTER", "CHANCE", "NATIVE", "ON-CALL", "ON-FUNCTION", "ON-SECOND"])
      expect(before).toContain(mark);
    expect(behind).toContain("CITED");
    for (const mark of new Set(body.match(/[A-Z-]{5,}/gu))) expect(text.split(`"${mark}"`)).toHaveLength(2);
  });

  test("and where no reason came, before the one that is written", async () => {
    const body = events(role, chunk({ tool_calls: [call] }), chunk(details("A")), usage, done);
    const { text, error } = await passedThrough({ ...chat, ...way, body });
    expect(error).toBeUndefined();
    expect(callsIn(text)).toEqual(['f {"x":1}']);
    const [before = "", behind] = text.split('"finish_reason":"tool_calls"');
    expect(before).toContain('"data":"A"');
    expect(behind).toBeDefined();
    expect(text).toContain('"total_tokens":3');
  });

  test("what every chunk has brings none of its own", async () => {
    const padded = (each: object, obfuscation: string): object => ({ ...each, obfuscation });
    const again = { ...begun(0, "g", '{"y":2}'), id: "call_1" };
    const sent = [chunk({ tool_calls: [call] }), chunk({ tool_calls: [again] }), end];
    const body = events(role, ...sent.map((each, i) => padded(each, "x".repeat(i))), done);
    const { text } = await passedThrough({ ...chat, ...way, body });
    expect(callsIn(text)).toEqual(['f {"x":1}', 'g {"y":2}']);
    expect(text).not.toContain('"delta":{},"logprobs":null,"finish_reason":null');
    expect(text.match(/"finish_reason":"tool_calls"/gu)).toHaveLength(1);
  });

  test("a call in pieces is not said twice", async () => {
    const sent = [
      chunk({ tool_calls: [begun(0, "f", "{")] }),
      ...['"x"', ":", "1}"].map((each) => chunk({ tool_calls: [more(0, each)] })),
    ];
    const body = events(role, ...sent, chunk(details("A"), "stop"), done);
    const { text } = await passedThrough({ ...chat, ...way, body });
    expect(callsIn(text)).toEqual(['f {"x":1}']);
    expect(text.split('"data":"A"')).toHaveLength(2);
  });
});

describe("an answer in one body", () => {
  const message = { role: "assistant", content: null, ...details("A"), images: [{ x: "IMAGE" }], tool_calls: [both] };
  const whole = (given: object, finish: string): string =>
    JSON.stringify({
      id: "x",
      choices: [{ index: 0, message: given, finish_reason: finish, native_finish_reason: "N" }],
    });
  const asked = { ...chat, type: "application/json" };

  test("has its reason mended, and nothing else", async () => {
    const { text } = await passedThrough({
      ...asked,
      request: { model: "m", messages: [] },
      body: whole(message, "stop"),
    });
    expect(text).toBe(whole(message, "tool_calls"));
  });

  test("keeps what stands on a call that is written anew", async () => {
    const body = whole({ ...message, tool_calls: [{ ...both, id: "" }] }, "tool_calls");
    const { text } = await passedThrough({ ...asked, request: { model: "m", messages: [] }, body });
    for (const mark of ["ON-CALL", "ON-FUNCTION", '"A"', "IMAGE"]) expect(text).toContain(mark);
  });

  test("keeps it as a stream", async () => {
    const { text } = await passedThrough({ ...asked, body: whole(message, "tool_calls") });
    expect(callsIn(text)).toEqual(['f {"x":1}']);
    for (const mark of ["ON-CALL", "ON-FUNCTION", '"A"', "IMAGE", '"N"']) expect(text).toContain(mark);
  });
});
