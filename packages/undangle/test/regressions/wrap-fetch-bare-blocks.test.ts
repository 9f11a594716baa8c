import { streamText, jsonSchema, tool } from "ai";
import { createAnthropic } from "@ai-sdk/anthropic";
import { wrapFetch } from "undangle";
import { describe, expect, test } from "vitest";

import { anthropicMajors } from "../clients/official-sdks.ts";
import { block, called, json, over, ping, reason, start, stop, text, use } from "../clients/message-events.ts";
import { answering, passedThrough, ways } from "../clients/passed-through.ts";
import { messages } from "../clients/requests.ts";

/** A call that was cut off right behind its name was presented as one without arguments, and could be run. */
const wipe = (index: number): string => use(index, "wipe");
const call = (index: number): string => called(index, "wipe", '{"x"', ":1}");
const words = (index: number): string => text(index, "Hé");

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
  ["max_tokens behind a sign of life", ping + reason("max_tokens") + over],
  ["max_tokens and no end", reason("max_tokens")],
  ["a good reason and no end", reason("tool_use")],
  ["counts alone", reason(null)],
  ["a sign of life", ping],
  ["nothing", ""],
] as const;

describe.each(ways)("in pieces of $size, calls: $toolCalls", (way) => {
  describe.each(pieces)("a block with %s", (_, piece) => {
    test.each(cuts)("is cut off before %s", async (_what, end) => {
      const body = start + words(0) + wipe(1) + piece + stop(1) + end;
      const { text: got, error, told } = await passedThrough({ ...messages, ...way, body });
      expect(error).toContain("The response was cut off in the middle of a tool call");
      expect(got.startsWith(start + words(0))).toBe(true);
      expect(got).not.toContain(stop(1));
      expect(got).not.toMatch(/message_delta|message_stop/u);
      expect(way.toolCalls === "stream" || !got.includes("wipe")).toBe(true);
      expect(told).toHaveLength(1);
      expect(told[0]?.error).toBeDefined();
    });
  });

  test.each([
    ["before the end", wipe(1) + json(1, "") + stop(1)],
    ["before text", wipe(1) + json(1, "") + stop(1) + words(2)],
    ["before a call without a piece", wipe(1) + json(1, "") + stop(1) + wipe(2) + stop(2)],
    ["behind and before a call", call(1) + wipe(2) + json(2, "") + stop(2) + call(3)],
    ["several times", [1, 2, 3].map((at) => wipe(at) + json(at, "") + stop(at)).join("")],
    ["before counts", wipe(1) + json(1, "") + stop(1) + reason(null)],
    ["before counts, without a piece", wipe(1) + stop(1) + reason(null)],
    ["before a sign of life", wipe(1) + json(1, "") + stop(1) + ping],
    [
      "before a block of the server",
      wipe(1) + json(1, "") + stop(1) + block(2, { type: "redacted_thinking", data: "x" }) + stop(2),
    ],
  ])("a block with an empty piece passes as it came %s", async (_, blocks) => {
    const body = start + words(0) + blocks + reason("tool_use") + over;
    expect(await passedThrough({ ...messages, ...way, body })).toEqual({ text: body, error: undefined, told: [] });
  });

  test("a call that is whole has passed before another one is cut off", async () => {
    const body = start + call(0) + wipe(1) + json(1, "") + stop(1) + reason("max_tokens") + over;
    const { text: got, error } = await passedThrough({ ...messages, ...way, body });
    expect(error).toContain("its maximum length");
    expect(got.startsWith(start + call(0))).toBe(true);
    expect(got).not.toContain(stop(1));
  });
});

test.each(["hold", "stream"] as const)("text behind such a block does not wait, calls: %s", async (toolCalls) => {
  const begun = start + wipe(0) + json(0, "") + stop(0) + words(1);
  const { text: got } = await passedThrough({ ...messages, toolCalls, body: begun }); // what has passed before it breaks off
  expect(got).toBe(begun);
});

describe.each(["hold", "stream"] as const)("calls: %s", (toolCalls) => {
  const body = start + wipe(0) + json(0, "") + stop(0) + reason("max_tokens") + over;
  const fetch = wrapFetch({ logger: false, toolCalls, fetch: async () => answering(slowly(body))() });

  test.each(anthropicMajors)("$sdk hears of no such block", async ({ Anthropic }) => {
    const client = new Anthropic({ apiKey: "none", maxRetries: 0, fetch });
    const stream = client.messages.stream({ ...asked, max_tokens: 9 });
    const blocks: unknown[] = [];
    stream.on("contentBlock", (each) => void blocks.push(each));
    await expect(stream.finalMessage()).rejects.toThrow("its maximum length");
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
