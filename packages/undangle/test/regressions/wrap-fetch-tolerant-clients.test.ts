import Anthropic from "@anthropic-ai/sdk";
import { anthropicMiddleware, wrapFetch } from "undangle";
import type { WireRepair } from "undangle";
import { describe, expect, test } from "vitest";

import { anthropicMajors } from "../clients/official-sdks.ts";
import { argumentsIn, called, ending, message, start, stop, text } from "../clients/message-events.ts";
import { answering, passedThrough, ways } from "../clients/passed-through.ts";
import { messages } from "../clients/requests.ts";
import { sdks } from "../clients/sdks.ts";

/** Anthropic's SDK reads arguments that are no JSON tolerantly: half a command was presented as a call that is whole. */
const agent = "Anthropic/JS 1.8.0";

const call = (index: number, ...given: readonly string[]): string => called(index, "find_book", ...given);

const malformed = [
  '{"command":"rm -rf /tmp/"cache""}',
  '{"path":"/srv/a"b"}',
  '{"all":True}',
  '{"dry_run":tru}',
  '{"sum":10 00}',
  '{"path":"/srv"} and more',
  '{"path":"/srv"}}',
  '{"n":-}',
  '{"n":01}',
  "{'path':'/srv'}",
  '{"a":1,}',
  '{"a":1}{"a":2}',
  '[{"path":"/srv"}]',
  "5",
];
const why = /the arguments of the tool call find_book \(toolu_1\) are not a JSON object/u;

describe.each(malformed)("%s", (given) => {
  const body = start + text(0, "Hé") + call(1, given) + ending;

  test.each(ways)("is never a call, in pieces of $size, calls: $toolCalls", async (way) => {
    const { text: got, error, told } = await passedThrough({ ...messages, ...way, agent, body });
    expect(error).toMatch(why);
    expect(got.startsWith(start + text(0, "Hé"))).toBe(true);
    expect(got).not.toContain(stop(1));
    expect(got).not.toMatch(/message_delta|message_stop/u);
    expect(way.toolCalls === "stream" || !got.includes("find_book")).toBe(true);
    expect(told).toHaveLength(1);
    expect(told[0]?.error).toMatch(why);
    expect(told[0]?.anomalies?.map(({ kind }) => kind)).toContain("arguments-malformed");
  });

  test.each(ways)("passes to others as it was sent, in pieces of $size, calls: $toolCalls", async (way) => {
    const { text: got, error } = await passedThrough({ ...messages, ...way, agent: "ai-sdk/anthropic/4.0.0", body });
    expect(error).toBeUndefined();
    expect(argumentsIn(got)).toBe(given);
    expect(got).toContain('"stop_reason":"tool_use"');
  });

  const clients = sdks.filter(({ name }) => name.includes("anthropic") && !name.startsWith("ai "));
  for (const toolCalls of ["hold", "stream"] as const) {
    test.each(clients)(`$name presents nothing of it, calls: ${toolCalls}`, async ({ hear }) => {
      const fetch = wrapFetch({ logger: false, toolCalls, fetch: answering(body) });
      await expect(hear("https://host.example", fetch)).rejects.toThrow(why);
    });
  }
});

test("the SDKs that are meant are those of Anthropic and LangChain", () => {
  const names = sdks.filter(({ format }) => format === "anthropic").map(({ name }) => name);
  expect(names.filter((name) => !name.startsWith("ai "))).toEqual([
    ...anthropicMajors.map(({ sdk }) => sdk),
    "@langchain/anthropic",
  ]);
});

describe.each(anthropicMajors)("$sdk", ({ Anthropic: Client }) => {
  const asked = {
    model: "claude-sonnet-5-5",
    max_tokens: 9,
    messages: [{ role: "user" as const, content: "Hi." }],
  };
  const body = start + call(0, '{"x":1}') + call(1, '{"all":Tr', "ue}") + ending;

  test.each([{ "User-Agent": "mine/1.0" }, { "User-Agent": null }])("is known by the name %j too", async (headers) => {
    const fetch = wrapFetch({ logger: false, fetch: answering(body) });
    const client = new Client({ apiKey: "none", maxRetries: 0, defaultHeaders: headers, fetch });
    const stream = client.messages.stream(asked);
    const inputs: unknown[] = [];
    stream.on("contentBlock", (each) => void (each.type === "tool_use" && inputs.push(each.input)));
    await expect(stream.finalMessage()).rejects.toThrow(why);
    expect(inputs.every((input) => JSON.stringify(input) === '{"x":1}')).toBe(true); // what was whole may have passed
  });

  test("hears no call of a whole answer in place of a stream", async () => {
    const content = [{ type: "tool_use", id: "t1", name: "find_book", input: '{"all":True}' }];
    const whole = JSON.stringify({ ...message, content, stop_reason: "tool_use", stop_sequence: null });
    const fetch = wrapFetch({ logger: false, fetch: answering(whole, "application/json") });
    const client = new Client({ apiKey: "none", maxRetries: 0, fetch });
    await expect(client.messages.stream(asked).finalMessage()).rejects.toThrow("without sending any chunks");
  });
});

test.each(["hold", "stream"] as const)("so it is with its middleware, calls: %s", async (toolCalls) => {
  const told: WireRepair[] = [];
  const client = new Anthropic({
    apiKey: "none",
    maxRetries: 0,
    defaultHeaders: { "User-Agent": "mine/1.0", "X-Stainless-Lang": null },
    fetch: answering(start + call(0, '{"x":1}') + call(1, '{"all":True}') + ending),
    middleware: [anthropicMiddleware({ logger: false, toolCalls, onRepair: (repair) => void told.push(repair) })],
  });
  const stream = client.messages.stream({
    model: "claude-sonnet-5-5",
    max_tokens: 9,
    messages: [{ role: "user", content: "Hi." }],
  });
  await expect(stream.finalMessage()).rejects.toThrow(why);
  expect(told.map(({ error }) => error)).toEqual([expect.stringMatching(why)]);
});

test.each([Infinity, 1, 7, 64])("text behind such a call is said before the error, in pieces of %s", async (size) => {
  const before = start + text(0, "Oh", "Hé", "Hi", "Ho");
  const body = before + call(1, '{"all":True}') + text(2, "Bye", " and", " so", " on") + ending;
  const { text: got, error } = await passedThrough({ ...messages, size, agent, body });
  expect(error).toMatch(why);
  expect(got).toBe(before + text(1, "Bye and so on").slice(0, -stop(1).length));
});

test("text behind a call that was cut off is said too", async () => {
  const body = start + call(0, '{"all":') + text(1, "Bye") + ending;
  const { text: got, error } = await passedThrough({ ...messages, body });
  expect(error).toContain("cut off");
  expect(got).toBe(start + text(0, "Bye").slice(0, -stop(0).length));
});

describe.each(ways)("in pieces of $size, calls: $toolCalls", (way) => {
  test("what is healthy passes as it came", async () => {
    const body = start + text(0, "Hé") + call(1, '{"x"', ":1}") + call(2, "{}") + call(3, "") + ending;
    const got = await passedThrough({ ...messages, ...way, agent, body });
    expect(got).toEqual({ text: body, error: undefined, told: [] });
  });

  test("what can be mended is", async () => {
    const body = start + call(1, '{"x"', '{"x":1}') + ending; // each piece says all that came before
    const { text: got, error } = await passedThrough({ ...messages, ...way, agent, body });
    expect(error).toBeUndefined();
    expect(argumentsIn(got)).toBe('{"x":1}');
  });
});
