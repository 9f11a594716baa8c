import { streamText, jsonSchema, tool } from "ai";
import { createAnthropic } from "@ai-sdk/anthropic";
import { wrapFetch } from "undangle";
import { describe, expect, test } from "vitest";

import { anthropicMajors } from "../clients/official-sdks.ts";
import { events, passedThrough, ways } from "../clients/passed-through.ts";

/** A call that was cut off right behind its name was presented as one without arguments, and could be run. */
const messages = {
  url: "https://host.example/v1/messages",
  request: { model: "m", stream: true, max_tokens: 9, messages: [] },
} as const;

const named = (type: string, rest: object = {}): string => `event: ${type}\n${events({ type, ...rest })}`;
const message = { id: "m", type: "message", role: "assistant", model: "c", content: [], usage: { input_tokens: 1 } };
const start = named("message_start", { message });
const block = (index: number, content: object): string =>
  named("content_block_start", { index, content_block: content });
const use = (index: number): string => block(index, { type: "tool_use", id: `t${index}`, name: "wipe", input: {} });
const json = (index: number, given: string): string =>
  named("content_block_delta", { index, delta: { type: "input_json_delta", partial_json: given } });
const stop = (index: number): string => named("content_block_stop", { index });
const text = (index: number): string =>
  block(index, { type: "text", text: "" }) +
  named("content_block_delta", { index, delta: { type: "text_delta", text: "Hé" } }) +
  stop(index);
const reason = (given: string | null): string =>
  named("message_delta", { delta: { stop_reason: given, stop_sequence: null }, usage: { output_tokens: 1 } });
const over = named("message_stop");

const pieces = [
  ["no piece", ""],
  ["an empty piece", json(1, "")],
  ["several empty pieces", json(1, "") + json(1, "") + json(1, "")],
  ["blanks", json(1, " ")],
] as const;

const cuts = [
  ["max_tokens", reason("max_tokens") + over],
  ["max_tokens behind the counts", reason(null) + reason("max_tokens") + over],
  ["max_tokens before another reason", reason("max_tokens") + reason("tool_use") + over],
  ["a refusal", reason("refusal") + over],
  ["a full context", reason("model_context_window_exceeded") + over],
  ["a reason that nobody knows", reason("worn_out") + over],
  ["max_tokens behind a sign of life", named("ping") + reason("max_tokens") + over],
  ["max_tokens and no end", reason("max_tokens")],
  ["a good reason and no end", reason("tool_use")],
  ["counts alone", reason(null)],
  ["a sign of life", named("ping")],
  ["nothing", ""],
] as const;

describe.each(ways)("in pieces of $size, calls: $toolCalls", (way) => {
  describe.each(pieces)("a block with %s", (_, piece) => {
    test.each(cuts)("is cut off before %s", async (_what, end) => {
      const body = start + text(0) + use(1) + piece + stop(1) + end;
      const { text: got, error, told } = await passedThrough({ ...messages, ...way, body });
      expect(error).toContain("The answer was cut off in the middle of a tool call");
      expect(got.startsWith(start + text(0))).toBe(true);
      expect(got).not.toContain(stop(1));
      expect(got).not.toMatch(/message_delta|message_stop/u);
      expect(way.toolCalls === "stream" || !got.includes("wipe")).toBe(true);
      expect(told).toHaveLength(1);
      expect(told[0]?.error).toBeDefined();
    });
  });

  test.each([
    ["before the end", use(1) + json(1, "") + stop(1)],
    ["before text", use(1) + json(1, "") + stop(1) + text(2)],
    ["before a call without a piece", use(1) + json(1, "") + stop(1) + use(2) + stop(2)],
    ["behind and before a call", call(1) + use(2) + json(2, "") + stop(2) + call(3)],
    ["several times", [1, 2, 3].map((at) => use(at) + json(at, "") + stop(at)).join("")],
    ["before counts", use(1) + json(1, "") + stop(1) + reason(null)],
    ["before counts, without a piece", use(1) + stop(1) + reason(null)],
    ["before a sign of life", use(1) + json(1, "") + stop(1) + named("ping")],
    [
      "before a block of the server",
      use(1) + json(1, "") + stop(1) + block(2, { type: "redacted_thinking", data: "x" }) + stop(2),
    ],
  ])("a block with an empty piece passes as it came %s", async (_, blocks) => {
    const body = start + text(0) + blocks + reason("tool_use") + over;
    expect(await passedThrough({ ...messages, ...way, body })).toEqual({ text: body, error: undefined, told: [] });
  });

  test("a call that is whole has passed before another one is cut off", async () => {
    const body = start + call(0) + use(1) + json(1, "") + stop(1) + reason("max_tokens") + over;
    const { text: got, error } = await passedThrough({ ...messages, ...way, body });
    expect(error).toContain("its limit of length");
    expect(got.startsWith(start + call(0))).toBe(true);
    expect(got).not.toContain(stop(1));
  });
});

test.each(["hold", "stream"] as const)("text behind such a block does not wait, calls: %s", async (toolCalls) => {
  const begun = start + use(0) + json(0, "") + stop(0) + text(1);
  const { text: got } = await passedThrough({ ...messages, toolCalls, body: begun }); // what has passed before it breaks off
  expect(got).toBe(begun);
});

describe.each(["hold", "stream"] as const)("calls: %s", (toolCalls) => {
  const body = start + use(0) + json(0, "") + stop(0) + reason("max_tokens") + over;
  const fetch = wrapFetch({
    logger: false,
    toolCalls,
    fetch: async () => new Response(slowly(body), { headers: { "content-type": "text/event-stream" } }),
  });

  test.each(anthropicMajors)("$sdk hears of no such block", async ({ Anthropic }) => {
    const client = new Anthropic({ apiKey: "none", maxRetries: 0, fetch });
    const stream = client.messages.stream({ ...asked, max_tokens: 9 });
    const blocks: unknown[] = [];
    stream.on("contentBlock", (each) => void blocks.push(each));
    await expect(stream.finalMessage()).rejects.toThrow("its limit of length");
    expect(blocks).toEqual([]);
  });

  test("nor does the AI SDK", async () => {
    const ran: unknown[] = [];
    const wipe = tool({ inputSchema: jsonSchema({ type: "object" }), execute: async (input) => void ran.push(input) });
    const model = createAnthropic({ apiKey: "none", fetch })(asked.model);
    const result = streamText({ model, prompt: "Hi.", maxRetries: 0, onError: () => undefined, tools: { wipe } });
    const types: string[] = [];
    const read = async (): Promise<void> => {
      for await (const { type } of result.fullStream) types.push(type);
    };
    await expect(read()).rejects.toThrow("Failed to process successful response");
    expect(types).not.toContain("tool-call");
    expect(ran).toEqual([]);
  });
});

const asked = { model: "claude-sonnet-5-5", messages: [{ role: "user" as const, content: "Hi." }] };

function call(index: number): string {
  return use(index) + json(index, '{"x"') + json(index, ":1}") + stop(index);
}

/** Events that come one by one. */
function slowly(body: string): ReadableStream<Uint8Array> {
  const left = body.split(/(?<=\n\n)/u);
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      await new Promise((resolve) => setTimeout(resolve, 2));
      const next = left.shift();
      if (next === undefined) controller.close();
      else controller.enqueue(new TextEncoder().encode(next));
    },
  });
}
