import { expect, test } from "vitest";
import { responseWriters } from "#codecs";
import { createPipeline } from "./pipeline.ts";

/** A pipeline whose turn has ended. */
function afterEnd(): { readonly take: (text: string | undefined) => string; readonly hasMore: () => boolean } {
  let hasMore = false;
  const writer = responseWriters["openai-chat"];
  if (writer === undefined) throw new Error("There is no writer.");
  const sender = { url: "https://host.example/v1/chat/completions", agent: "", version: undefined };
  const request = { ...sender, text: undefined, body: undefined };
  const endpoint = { format: "openai-chat", provider: undefined, model: undefined, isGuess: false } as const;
  const reporter = { report: () => (hasMore = true), fail: () => undefined };
  const exchange = {
    endpoint,
    request,
    mode: "repair",
    toolCalls: "hold",
    maxBytes: 1e6,
    reporter,
    now: () => 0,
    wait: () => new Promise<void>(() => undefined),
  } as const;
  const pipeline = createPipeline(writer, exchange, "events");
  pipeline.continueAfterEnd();
  return {
    take(text) {
      pipeline.take(text === undefined ? undefined : new TextEncoder().encode(text));
      return Buffer.concat(pipeline.flush()).toString();
    },
    hasMore: () => hasMore,
  };
}

const behind = (text: string): { readonly passed: string; readonly hasMore: boolean } => {
  const { take, hasMore } = afterEnd();
  return { passed: take(text) + take(undefined), hasMore: hasMore() };
};

test.each([
  "event: heartbeat\ndata: {}\n\n",
  "event: Keep-Alive\ndata:\n\n",
  'data: {"type":"ping"}\n\n',
  "",
  "\n\r\n",
  ": bye\n\n",
  "id: 1\n: x\n\n",
  "data: [DONE]\n\n",
  "event: ping\ndata: {}\n\n",
  ": by",
])("%j says nothing, and passes", (text) => expect(behind(text)).toEqual({ passed: text, hasMore: false }));

test("what says something is left out, and what stands around it is not", () => {
  expect(behind(": a\n\ndata: {}\n\n: b\n\n")).toEqual({ passed: ": a\n\n: b\n\n", hasMore: true });
});

test("a comment of colons in front of something is no work", () => {
  expect(behind(`${":".repeat(10_000)}\ndata: {}\n\n`)).toEqual({ passed: "", hasMore: true });
});

test.each(["\n\n", "\r\n\r\n", "\r\r"])(
  "an event without an end is not kept, and what comes behind its end passes (%j)",
  (end) => {
    const { take, hasMore } = afterEnd();
    expect(take(`data: ${"x".repeat(2 * 1024 * 1024)}`)).toBe("");
    expect(hasMore()).toBe(true);
    const passed = `x${end}: bye${end}`.split("").map(take).join("");
    expect(passed + take(undefined)).toBe(`: bye${end}`);
  },
);
