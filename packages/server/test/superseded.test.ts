import { describe, expect, test } from "vitest";

import { serve } from "./serve-fixture.ts";
import type { Served } from "./serve-fixture.ts";

const chat = "/v1/chat/completions";
const say = (content: string, more: object = {}): object => ({
  messages: [{ role: "user", content }],
  thread_id: "t",
  ...more,
});
const theirs = { type: "function", function: { name: "weather", parameters: { type: "object" } } };

/** A server whose first answer never comes, and a promise for when it was asked for it. */
async function slow(pace?: number): Promise<Served & { readonly asked: Promise<void> }> {
  const asked = Promise.withResolvers<void>();
  let isFirst = true;
  const served = serve({
    turns: [
      () => {
        if (!isFirst) return { text: "Now." };
        isFirst = false;
        asked.resolve();
        return pace === undefined ? { text: "Never.", delay: 60_000 } : { text: "And so on. ".repeat(1000), pace };
      },
    ],
  });
  await served.call("POST", "/threads", { id: "t" });
  return { ...served, asked: asked.promise };
}

describe("a chat whose place another message takes", () => {
  test.each([
    ["another chat", chat, say("2")],
    ["a chat with other tools, which another agent answers", chat, say("2", { tools: [theirs] })],
    ["a message", "/threads/t/messages?wait=true", { content: "2" }],
    ["a request to answer again", "/threads/t/regenerate?wait=true", undefined],
  ])("%s is an error, and not an empty answer", async (_, url, body) => {
    const { call, asked } = await slow();
    const first = call("POST", chat, say("1"));
    await asked;
    expect((await call("POST", url, body)).status).toBe(200);
    const answer = await first;
    expect(answer).toMatchObject({ status: 409, body: { error: { code: "superseded" } } });
    expect(answer.headers).toMatchObject({ "x-undangle-thread": "t", "x-should-retry": "false" });
  });

  test("before its first word a stream is the same error", async () => {
    const { call, asked } = await slow();
    const first = call("POST", chat, say("1", { stream: true }));
    await asked;
    await call("POST", chat, say("2"));
    expect(await first).toMatchObject({ status: 409, body: { error: { code: "superseded" } } });
  });

  test("after its first word a stream ends with an error, and without [DONE]", async () => {
    const { app, call } = await slow(20);
    const url = await app.listen({ port: 0, host: "127.0.0.1" });
    const first = await fetch(url + chat, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(say("1", { stream: true })),
    });
    await call("POST", chat, say("2"));
    const text = await first.text();
    expect(text).toContain('"code":"superseded"');
    expect(text).not.toContain("[DONE]");
  });

  test("one that a person stops is answered with what there is", async () => {
    const { call, asked } = await slow();
    const first = call("POST", chat, say("1"));
    await asked;
    await call("POST", "/threads/t/stop");
    expect(await first).toMatchObject({ status: 200, body: { undangle: { status: "stopped" } } });
  });

  test("in the threads API it is stopped, with the cause", async () => {
    const { call, asked } = await slow();
    const first = call("POST", "/threads/t/messages?wait=true", { content: "1" });
    await asked;
    await call("POST", chat, say("2"));
    expect(await first).toMatchObject({ status: 200, body: { status: "stopped", cause: "superseded" } });
  });
});

test("`usage` of a run is its own, and `thread_usage` that of its thread", async () => {
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  const { call } = serve({ turns: [{ text: "Hi.", usage }] });
  await call("POST", "/threads", { id: "t" });
  const totals: unknown[] = [];
  for (let i = 0; i < 3; i++) {
    const { body } = await call("POST", "/threads/t/messages?wait=true", { content: "Hi." });
    const { usage: own, thread_usage: all } = body as Record<string, { readonly totalTokens: number }>;
    totals.push([own?.totalTokens, all?.totalTokens]);
  }
  expect(totals).toEqual([
    [15, 15],
    [15, 30],
    [15, 45],
  ]);
});
