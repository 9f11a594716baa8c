import { createAgent, image } from "undangle/agent";
import { anthropic, gemini, openai } from "undangle/models";
import type { HttpModelOptions, Model } from "undangle/models";
import { wireServer } from "undangle/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { hear } from "./asking.ts";
import { compatible, families } from "./families.ts";

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const usual: HttpModelOptions = { apiKey: "none", retryDelay: 1, env: {} };

describe("an answer in a form that is asked for", () => {
  const output = z.object({ sum: z.number(), words: z.array(z.string()) });

  test.each([...families, ...compatible])("is given by $name, as text or by a call", async (family) => {
    const { format, provider, make } = family;
    const value = { sum: 3, words: ["three"] };
    const turns = [{ text: JSON.stringify(value) }, { calls: [{ name: "final_answer", arguments: value }] }];
    const server = await wireServer({ turns, ...(provider !== undefined && { provider }) });
    const agent = createAgent({ model: make(server.baseUrl(format)), output });
    const ends = [await agent.thread("a").send("1 + 2?").result, await agent.thread("b").send("1 + 2?").result];
    await server.close();
    expect(ends.map((end) => end.output)).toEqual([value, value]);
    expect(server.requests.flatMap(({ refused }) => refused ?? [])).toEqual([]);
  });

  test.each<[string, Model["name"], (options: HttpModelOptions) => Model, RegExp]>([
    ["openai, responses", "openai-responses", (options) => openai("gpt-5.1", options), /"strict":true/u],
    ["openai, chat", "openai-chat", (options) => openai("gpt-5.1", { ...options, api: "chat" }), /"strict":true/u],
    ["anthropic", "anthropic", (options) => anthropic("claude-sonnet-4-5", options), /"output_config"/u],
    ["gemini 3", "gemini", (options) => gemini("gemini-3-pro-preview", options), /"responseJsonSchema"/u],
  ])("is asked for natively by %s, beside the tools", async (_name, format, make, sign) => {
    const server = await wireServer({ turns: [{ text: '{"sum":3,"words":[]}' }] });
    const baseURL = server.baseUrl(format as Parameters<typeof server.baseUrl>[0]); // one of the formats above
    await createAgent({ model: make({ ...usual, baseURL }), output })
      .thread("t")
      .send("1 + 2?").result;
    await server.close();
    expect(JSON.stringify(server.requests[0]?.body)).toMatch(sign);
  });
});

describe("a picture", () => {
  test.each(families)("is shown to $name in its own way", async ({ format, provider, make }) => {
    const server = await wireServer({ turns: [{ text: "A dot." }], ...(provider !== undefined && { provider }) });
    const thread = createAgent({ model: make(server.baseUrl(format)) }).thread("t");
    const end = await thread.send([{ type: "text", text: "What is it?" }, image(png, "image/png")]).result;
    await server.close();
    expect([end.status, end.text]).toEqual(["done", "A dot."]);
    expect(JSON.stringify(server.requests[0]?.body)).toContain(png);
  });

  test("that a model has drawn is part of its answer", async () => {
    const candidate = {
      content: { role: "model", parts: [{ inlineData: { mimeType: "image/png", data: png } }] },
      finishReason: "STOP",
    };
    const body = `data: ${JSON.stringify({ candidates: [candidate] })}\n\n`;
    const drawing = gemini("gemini-2.5-flash-image", { ...usual, fetch: () => Promise.resolve(new Response(body)) });
    const { turn } = await hear(drawing);
    expect(turn?.parts).toEqual([
      { type: "media", kind: "image", mediaType: "image/png", source: { type: "bytes", data: png } },
    ]);
  });
});

describe("what was used", () => {
  test.each(families)("is told by $name, with what was cached", async ({ format, provider, make }) => {
    const counted = {
      input_tokens: 100,
      prompt_tokens: 100,
      promptTokenCount: 100,
      prompt_eval_count: 100,
      cached: 80,
    };
    const turns = [{ text: "Hi.", usage: counted }];
    const server = await wireServer({ turns, ...(provider !== undefined && { provider }) });
    const { turn } = await hear(make(server.baseUrl(format)));
    await server.close();
    expect(turn?.usage).toMatchObject({ cached: 80 });
  });
});

describe("a filter", () => {
  test("that lets nothing through is an error, and is not asked again", async () => {
    let asked = 0;
    const body = `data: ${JSON.stringify({ promptFeedback: { blockReason: "PROHIBITED_CONTENT" } })}\n\n`;
    const fetch = () => {
      asked++;
      return Promise.resolve(new Response(body));
    };
    const { error } = await hear(gemini("gemini-2.5-flash", { ...usual, fetch }));
    expect(error).toMatchObject({ code: "model/content-filter", data: { canRetry: false } });
    expect(asked).toBe(1);
  });
});
