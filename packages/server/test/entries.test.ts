import { subagents, todos, tool } from "undangle/agent";
import type { AgentEvent } from "undangle/agent";
import { createClient } from "undangle/client";
import type { Client } from "undangle/client";
import { expect, test } from "vitest";

import type { ServerOptions } from "../src/index.ts";
import { serve } from "./serve-fixture.ts";
import type { Stage } from "./serve-fixture.ts";

const pay = tool({ name: "pay", description: "Pays.", approval: true, execute: () => "paid" });

async function connected(stage: Stage): Promise<Client> {
  const { app } = serve(stage);
  return createClient({ url: await app.listen({ port: 0, host: "127.0.0.1" }) });
}

async function firstOf(events: AsyncIterable<AgentEvent>, type: AgentEvent["type"]): Promise<AgentEvent | undefined> {
  for await (const event of events) if (event.type === type) return event;
  return undefined;
}

test("the entries of a thread are read page by page, and its events continue after the page", async () => {
  const { threads } = await connected({
    agent: { tools: [pay] },
    turns: [{ text: "I will.", calls: [{ name: "pay" }] }, { text: "Paid." }],
  });
  const { id } = await threads.create();
  expect(await threads.entries(id)).toEqual({ data: [], before: null, last_event: "0" });
  await threads.send(id, [
    { type: "text", text: "Pay." },
    { type: "image_url", image_url: { url: "https://example.com/bill.png" } },
  ]);
  const waiting = await threads.entries(id);
  expect(waiting.data).toMatchObject([
    {
      entry: 0,
      type: "input",
      parts: [
        { type: "text", text: "Pay." },
        { type: "media", kind: "image", url: "https://example.com/bill.png" },
      ],
    },
    { entry: 1, type: "turn", calls: [{ id: "call_1", name: "pay", status: "awaiting" }] },
  ]);
  await threads.approveAll(id);
  const later = await firstOf(threads.events(id, { after: waiting.last_event }), "tool_call_end");
  expect(later).toMatchObject({ data: { id: "call_1", result: "paid" } });
  const newest = await threads.entries(id, { limit: 1 });
  expect(newest).toMatchObject({ data: [{ entry: 2, parts: [{ type: "text", text: "Paid." }] }], before: 2 });
  const older = await threads.entries(id, { before: 2 });
  expect([older.data.map(({ entry }) => entry), older.before]).toEqual([[0, 1], null]);
});

test("the entries and events of a child thread are read by the path of its call", async () => {
  const { threads } = await connected({
    agent: { middleware: [subagents()] },
    turns: [
      { calls: [{ name: "task", arguments: { description: "Look it up.", subagent_type: "general-purpose" } }] },
      { text: "Found." },
      { text: "All done." },
    ],
  });
  const { id } = await threads.create();
  await threads.send(id, "Go.");
  const { data, last_event: last } = await threads.entries(id, { path: ["call_1"] });
  expect(data).toMatchObject([
    { type: "input", parts: [{ text: "Look it up." }] },
    { type: "turn", parts: [{ text: "Found." }] },
  ]);
  const end = await firstOf(threads.events(id, { path: ["call_1"] }), "model_end");
  expect(end).toMatchObject({ path: ["call_1"], data: { entry: 1 } });
  expect(Number(end?.id)).toBeLessThan(Number(last));
  for (const path of [["call_2"], ["call_1", "call_1"]]) {
    await expect(threads.entries(id, { path })).rejects.toMatchObject({ status: 400, code: "options/value" });
    await expect(firstOf(threads.events(id, { path }), "run_end")).rejects.toMatchObject({ status: 400 });
  }
});

test("the state of a thread is read, with the list of tasks", async () => {
  const tasks = [{ content: "Look", status: "in_progress" }];
  const { threads } = await connected({
    agent: { middleware: [todos()] },
    turns: [{ calls: [{ name: "write_todos", arguments: { todos: tasks } }] }, { text: "Done." }],
  });
  const { id } = await threads.create();
  expect(await threads.state(id)).toEqual({});
  await threads.send(id, "Go.");
  expect(await threads.state(id)).toMatchObject({ todos: { items: tasks } });
});

test.each([
  ["limit=0", "limit"],
  ["limit=501", "limit"],
  ["before=-1", "before"],
  ["before=x", "before"],
  ["path=/", "path"],
  ["path=a//b", "path"],
  ["after=1", "after"],
])("entries?%s is refused", async (query, param) => {
  const { call } = serve();
  await call("POST", "/threads", { id: "t" });
  const { status, body } = await call("GET", `/threads/t/entries?${query}`);
  expect([status, body]).toMatchObject([400, { error: { param } }]);
});

test("entries and state of a project are shown with its own ids, and are nothing to others", async () => {
  const { app, call } = serve({
    agent: { middleware: [subagents()] },
    turns: [
      { calls: [{ name: "task", arguments: { description: "Look.", subagent_type: "general-purpose" } }] },
      { text: "Found." },
      { text: "All done." },
    ],
  });
  await app.ready();
  const headersOf = async (project: string, scopes: readonly ("threads" | "approve" | "chat")[]) => {
    const { text } = await app.service.keys.create({ name: project, scopes: [...scopes], project });
    return { authorization: `Bearer ${text}` };
  };
  const one = await headersOf("one", ["threads"]);
  await call("POST", "/threads", { id: "t" }, one);
  await call("POST", "/threads/t/messages?wait=true", { content: "Go." }, one);
  const { body } = await call("GET", "/threads/t/entries", undefined, one);
  expect(body["data"]).toMatchObject([{}, { calls: [{ id: "call_1", thread: "t/call_1" }] }, {}]);
  const whole = await call("GET", "/threads/t", undefined, one);
  expect(whole.body["calls"]).toMatchObject([{ id: "call_1", thread: "t/call_1" }]);
  for (const path of ["/threads/t/entries", "/threads/t/state", "/threads/t/trace"]) {
    expect((await call("GET", path, undefined, await headersOf("two", ["threads"]))).status).toBe(404);
    expect((await call("GET", path, undefined, await headersOf("one", ["chat"]))).status).toBe(403);
  }
});

test("a trace has the costs of its responses, if the server has prices", async () => {
  const usage = {
    prompt_tokens: 1_000,
    completion_tokens: 100,
    total_tokens: 1_100,
    prompt_tokens_details: { cached_tokens: 600 },
  };
  const turns = [{ text: "One.", usage }, { text: "Two.", usage }, { text: "Three." }];
  const traceWith = async (options: ServerOptions, messages: number) => {
    const { call } = serve({ turns, options });
    await call("POST", "/threads", { id: "t" });
    for (let i = 0; i < messages; i++) await call("POST", "/threads/t/messages?wait=true", { content: "Go." });
    return (await call("GET", "/threads/t/trace")).body;
  };
  const prices = { models: { scripted: { input: 2, output: 10, cached: 0.5 } } };
  const cost = (400 * 2 + 600 * 0.5 + 100 * 10) / 1e6;
  expect(await traceWith({ prices }, 2)).toMatchObject({
    spans: expect.arrayContaining([expect.objectContaining({ type: "model", cost })]) as unknown,
    totals: { cost: { amount: 2 * cost, currency: "USD", complete: true } },
  });
  expect(await traceWith({ prices: { ...prices, currency: "EUR" } }, 3)).toMatchObject({
    totals: { cost: { amount: 2 * cost, currency: "EUR", complete: false } },
  });
  expect(await traceWith({ prices: { models: {} } }, 1)).toMatchObject({
    totals: { cost: { amount: 0, complete: false } },
  });
  expect((await traceWith({}, 1))["totals"]).not.toHaveProperty("cost");
});

test("the trace of a thread has its runs, responses, calls and waits, and those of child threads", async () => {
  const { app, call } = serve({
    agent: { tools: [pay], middleware: [subagents()] },
    turns: [
      { calls: [{ name: "task", arguments: { description: "Pay.", subagent_type: "general-purpose" } }] },
      { text: "Hel" },
      { discard: "the provider at 10.0.0.7 broke" },
      { calls: [{ name: "pay" }] },
      { text: "Paid." },
      { error: { status: 500, message: "upstream 10.0.0.7 is down" } },
    ],
  });
  const { threads } = createClient({ url: await app.listen({ port: 0, host: "127.0.0.1" }) });
  const { id } = await threads.create();
  await threads.send(id, "Go.");
  const waiting = await threads.trace(id);
  expect(waiting.spans.at(-1)).toMatchObject({ type: "wait", name: "pay", status: "awaiting", end: null });
  await threads.approveAll(id);
  const { thread_id: threadId, spans, totals } = await threads.trace(id);
  expect([threadId, totals.tokens.totalTokens]).toEqual([id, (await threads.send(id, "?")).thread_usage.totalTokens]);
  const shown = spans.map(({ path = [], type, status }) => [...path, type, status].join(" "));
  expect(new Set(shown)).toEqual(
    new Set([
      "run waiting",
      "model tool_calls",
      "call delegated",
      "call_1 run waiting",
      "call_1 model discarded",
      "call_1 model tool_calls",
      "call_1 wait approve",
      "run failed",
      "call succeeded",
      "call_1 run done",
      "call_1 call succeeded",
      "call_1 model stop",
      "model discarded",
    ]),
  );
  expect(spans.find(({ type }) => type === "wait")).toMatchObject({
    call_id: "call_1/call_1",
    decision: { by: "local" },
  });
  expect((await call("GET", "/threads/none/trace")).status).toBe(404);

  expect(JSON.stringify(spans)).toContain("the provider at 10.0.0.7 broke"); // the caller is an administrator
  const key = await app.service.keys.create({ name: "k", scopes: ["threads"], project: "default" });
  const headers = { authorization: `Bearer ${key.text}` };
  const { text } = await call("GET", `/threads/${id}/trace`, undefined, headers);
  expect(text).toContain("The response was abandoned; see the log.");
  expect(text).not.toContain("10.0.0.7");
});
