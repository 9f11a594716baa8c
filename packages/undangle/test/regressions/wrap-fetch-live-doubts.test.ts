import { describe, expect, test } from "vitest";

import { begun, calls, callsIn, end, more, role } from "../clients/chat-chunks.ts";
import { ending, json, ping, start, stop, text, use } from "../clients/message-events.ts";
import { chunk, done, events, passedThrough, ways } from "../clients/passed-through.ts";
import { chat, messages } from "../clients/requests.ts";

/** Calls that pass while they come: healthy ones without arguments were written anew, and some had two ends. */
const live = { toolCalls: "stream" } as const;

const begins = (index: number, given: string): object => begun(index, `f${index}`, given);
const uses = (index: number, id?: string): string => use(index, `f${index}`, id);

describe.each(ways)("passes as it came in pieces of $size, calls: $toolCalls", (way) => {
  test.each([
    [
      "an empty object beside the beginning of another call",
      chat,
      events(role, calls(begins(0, "{}"), begins(1, '{"x"')), calls(more(1, ":1}")), end, done),
    ],
    [
      "an empty object beside the end of another call",
      chat,
      events(role, calls(begins(0, '{"x"')), calls(more(0, ":1}"), begins(1, "{}")), calls(begins(2, "{}")), end, done),
    ],
    ["a block without arguments", messages, start + uses(0) + stop(0) + ending],
    ["two such blocks", messages, start + uses(0) + stop(0) + uses(1) + stop(1) + ending],
    [
      "such a block before a call",
      messages,
      start + uses(0) + stop(0) + uses(1) + json(1, '{"x":1}') + stop(1) + ending,
    ],
    [
      "such a block before several calls",
      messages,
      start +
        uses(0) +
        stop(0) +
        [1, 2, 3].map((at) => uses(at) + json(at, '{"x"') + json(at, ":1}") + stop(at)).join("") +
        ending,
    ],
    ["such a block before text", messages, start + uses(0) + stop(0) + text(1, "Hé") + ending],
    ["such a block before a sign of life", messages, start + uses(0) + stop(0) + ping + ending],
  ])("%s", async (_, asked, body) => {
    expect(await passedThrough({ ...asked, ...way, body })).toEqual({ text: body, error: undefined, told: [] });
  });
});

test("arguments that come behind an empty object are those of the call, which keeps its place", async () => {
  const pieces = [calls(begins(0, "{}"), begins(1, '{"y":1}')), calls(more(0, '{"x":1}'))];
  const { text: got, error } = await passedThrough({ ...chat, ...live, body: events(role, ...pieces, end, done) });
  expect(error).toBeUndefined();
  expect(callsIn(got)).toEqual(['f0 {"x":1}', 'f1 {"y":1}']);
});

test("what came of another call beside an empty object is looked at when more of it comes", async () => {
  const pieces = [calls(begins(0, "{}"), begins(1, '{"x"')), calls(more(1, '{"x":1}'))]; // each repeats what came before
  const { text: got, error } = await passedThrough({ ...chat, ...live, body: events(role, ...pieces, end, done) });
  expect(error).toBeUndefined();
  expect(callsIn(got)).toEqual(["f0 {}", 'f1 {"x":1}']);
});

test.each([
  ["an empty object", "{}"],
  ["arguments", '{"y":1}'],
])("a call behind the end of the turn comes before the end, and behind one with %s", async (_, given) => {
  for (const first of [[calls(begins(0, given)), end], [chunk({ tool_calls: [begins(0, given)] }, "tool_calls")]]) {
    const body = events(role, ...first, calls(begins(1, '{"x":1}')), done);
    const { text: got, error } = await passedThrough({ ...chat, ...live, body });
    expect(error).toBeUndefined();
    expect(callsIn(got)).toEqual([`f0 ${given}`, 'f1 {"x":1}']);
    expect(got.match(/"finish_reason":"tool_calls"/gu)).toHaveLength(1);
    expect(got.indexOf('"finish_reason":"tool_calls"')).toBeGreaterThan(got.lastIndexOf('"tool_calls":['));
  }
});

test("so does one behind the end and a text", async () => {
  for (const { toolCalls } of ways) {
    const said = chunk({ content: "Hé" });
    const body = events(role, calls(begins(0, "{}")), end, said, calls(begins(1, '{"x":1}')), end, done);
    const { text: got } = await passedThrough({ ...chat, toolCalls, body });
    expect(callsIn(got)).toEqual(["f0 {}", 'f1 {"x":1}']);
    expect(got.match(/"finish_reason":"tool_calls"/gu)).toHaveLength(1);
  }
});

test("arguments behind the end of their block are those of the call", async () => {
  const body = start + uses(0) + stop(0) + json(0, '{"x":1}') + ending;
  const { text: got, error } = await passedThrough({ ...messages, ...live, body });
  expect(error).toBeUndefined();
  expect(got.startsWith(start + uses(0) + json(0, '{"x":1}') + stop(0))).toBe(true);
  expect(got).toContain('"stop_reason":"tool_use"');
});

test.each([
  ["nothing", ""],
  ["an empty piece", json(0, "")],
])("a call that had %s for its arguments and has ended is not written to when later ones are", async (_, piece) => {
  const twice = uses(1, "toolu_0") + json(1, '{"x":1}') + stop(1);
  const body = start + uses(0) + piece + stop(0) + twice + ending;
  const { text: got, error } = await passedThrough({ ...messages, ...live, body });
  expect(error).toBeUndefined();
  expect(got.startsWith(start + uses(0) + piece + stop(0))).toBe(true);
  expect(got).toContain('"partial_json":"{\\"x\\":1}"');
  expect(got.match(/toolu_0/gu)).toHaveLength(1);
});

test.each(["", " "])("no call has %j for its id", async (id) => {
  const body = start + uses(0, id) + json(0, '{"x":1}') + stop(0) + uses(1, id) + json(1, '{"y":1}') + stop(1) + ending;
  for (const { toolCalls } of ways) {
    const { text: got, error } = await passedThrough({ ...messages, toolCalls, body });
    expect(error).toBeUndefined();
    const ids = [...got.matchAll(/"id":"(call_\w+)"/gu)].map(([, each]) => each);
    expect(new Set(ids).size).toBe(2);
    expect(got).not.toContain(`"id":"${id}"`);
  }
});

test("what cannot be mended any more is told as an error, once", async () => {
  const pieces = [calls(begins(0, '{"x": 1,')), calls(more(0, '"y":')), calls(more(0, '{"x":1,"y":2}'))]; // the last one says all
  const body = events(role, ...pieces, end, done);
  const { error, told } = await passedThrough({ ...chat, ...live, body });
  expect(error).toMatch(/Cannot repair the response/u);
  expect(told).toHaveLength(1);
  expect(told[0]?.error).toBe("the client has received a tool call that differs from the model's");
});
