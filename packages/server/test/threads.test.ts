import { once } from "node:events";
import { request as httpRequest } from "node:http";

import { memoryStore, tool } from "undangle/agent";
import { defineConfig } from "undangle/config";
import { scriptedModel } from "undangle/testing";
import type { ScriptedAnswer } from "undangle/testing";
import { afterEach, describe, expect, test } from "vitest";

import { createServer } from "../src/index.ts";

const open: ReturnType<typeof createServer>[] = [];

afterEach(async () => {
  for (const app of open.splice(0)) await app.close();
});

const pay = tool({ name: "pay", description: "Pays.", approval: true, execute: () => "paid" });
const look = tool({ name: "look", description: "Looks.", execute: () => "seen" });

function serve(turns: readonly ScriptedAnswer[] = []) {
  const model = scriptedModel(turns);
  const config = defineConfig({ agents: { helper: { model, tools: [pay, look] }, other: { model } } });
  const app = createServer({ store: memoryStore(), config, env: {} });
  open.push(app);
  const call = async (method: "GET" | "POST" | "PATCH" | "DELETE", url: string, payload?: object) => {
    const answer = await app.inject({ method, url, ...(payload !== undefined && { payload }) });
    return { status: answer.statusCode, body: (answer.body === "" ? undefined : answer.json()) as never };
  };
  return { app, model, call };
}

const story: readonly ScriptedAnswer[] = [
  { text: "I pay thrice.", calls: [{ name: "pay" }, { name: "pay" }, { name: "pay" }, { name: "look" }] },
  { text: "One was paid." },
];

describe("a thread over HTTP", () => {
  test("is made, spoken in, decided about in parts, and read", async () => {
    const { call } = serve(story);
    const made = await call("POST", "/threads", { id: "t1", title: "Bills", metadata: { customer: 7 } });
    expect(made).toMatchObject({
      status: 201,
      body: { id: "t1", title: "Bills", persona: "helper", metadata: { customer: 7 } },
    });
    const sent = await call("POST", "/threads/t1/messages?wait=true", { content: "Pay." });
    expect(sent).toMatchObject({
      status: 200,
      body: { status: "waiting", pending: [{ id: "call_1" }, { id: "call_2" }, { id: "call_3" }] },
    });
    const part = await call("POST", "/threads/t1/decisions?wait=true", {
      decisions: { call_2: { type: "reject", reason: "no" } },
    });
    expect(part).toMatchObject({ body: { status: "waiting", pending: [{ id: "call_1" }, { id: "call_3" }] } });
    expect(await call("GET", "/queue")).toMatchObject({ body: { data: [{ id: "t1", pending: [{}, {}] }] } });
    await call("POST", "/threads/t1/decisions?wait=true", { decisions: { call_3: { type: "reject" } } });
    const last = await call("POST", "/threads/t1/decisions?wait=true", { all: "approve" });
    expect(last).toMatchObject({ body: { status: "done", text: "One was paid." } });
    const read = await call("GET", "/threads/t1");
    expect(
      (read.body as { calls: { status: string; decision?: { by: string } }[] }).calls.map(({ status, decision }) => [
        status,
        decision?.by,
      ]),
    ).toEqual([
      ["succeeded", "local"],
      ["rejected", "local"],
      ["rejected", "local"],
      ["succeeded", undefined],
    ]);
  });

  test("a decision about a call that is not there is refused, and changes nothing", async () => {
    const { call } = serve(story);
    await call("POST", "/threads", { id: "t1" });
    await call("POST", "/threads/t1/messages?wait=true", { content: "Pay." });
    const wrong = await call("POST", "/threads/t1/decisions", {
      decisions: { call_9: { type: "approve" }, call_1: { type: "approve" } },
    });
    expect(wrong).toMatchObject({ status: 409, body: { error: { code: "decision/refused" } } });
    expect((await call("GET", "/threads/t1")).body).toMatchObject({ pending: [{}, {}, {}] });
  });

  test("is listed, searched, changed, deleted and had back", async () => {
    const { call } = serve([{ text: "Hello." }]);
    for (const id of ["a", "b", "c"]) await call("POST", "/threads", { id });
    await call("POST", "/threads/b/messages?wait=true", { content: "About whales." });
    expect((await call("GET", "/threads?q=whales")).body).toMatchObject({ data: [{ id: "b" }] });
    const { next_cursor: cursor, data } = (await call("GET", "/threads?limit=2")).body as {
      next_cursor: string;
      data: { id: string }[];
    };
    const rest = (await call("GET", `/threads?limit=2&cursor=${cursor}`)).body as { data: { id: string }[] };
    expect([...data, ...rest.data].map(({ id }) => id).sort()).toEqual(["a", "b", "c"]);
    expect(await call("PATCH", "/threads/b", { title: "Whales", persona: "other" })).toMatchObject({
      body: { title: "Whales", persona: "other" },
    });
    expect((await call("DELETE", "/threads/b")).status).toBe(204);
    expect((await call("GET", "/threads/b")).status).toBe(410);
    expect(await call("PATCH", "/threads/b", { deleted: false })).toMatchObject({
      status: 200,
      body: { title: "Whales" },
    });
  });

  test("is exported, imported and forked", async () => {
    const { call } = serve([{ text: "Blue." }]);
    await call("POST", "/threads", { id: "a" });
    await call("POST", "/threads/a/messages?wait=true", { content: "A colour?" });
    const { body } = await call("GET", "/threads/a/export?format=anthropic");
    expect(await call("POST", "/threads/import", { id: "b", history: body })).toMatchObject({
      status: 201,
      body: { id: "b" },
    });
    expect((await call("GET", "/threads/b/export?format=openai-chat")).body).toEqual([
      { role: "user", content: "A colour?" },
      { role: "assistant", content: "Blue." },
    ]);
    expect(await call("POST", "/threads/a/fork", { id: "c" })).toMatchObject({
      status: 201,
      body: { id: "c", entries: 2 },
    });
    expect((await call("POST", "/threads/import", { id: "d", history: { nothing: 1 } })).status).toBe(400);
  });

  test.each([
    ["POST", "/threads", { title: 7 }, [400, "title"]],
    ["POST", "/threads", { tilte: "x" }, [400, "tilte"]],
    ["POST", "/threads", { id: "a/b" }, [400, "thread_id"]],
    ["GET", "/threads?limit=0", undefined, [400, "limit"]],
    ["GET", "/threads?cursor=x", undefined, [400, "cursor"]],
    ["POST", "/threads/t/messages", {}, [400, "content"]],
    ["GET", "/threads/none", undefined, [404, "thread_id"]],
  ] as const)("%s %s with %j is refused by its name", async (method, url, payload, [status, param]) => {
    const { call } = serve();
    await call("POST", "/threads", { id: "t" });
    const answer = await call(method, url, payload);
    expect(answer).toMatchObject({ status, body: { error: { param } } });
  });
});

test("events come as they happen, and a reader goes on where it was cut off", async () => {
  const { app, call } = serve([{ text: "One two three." }]);
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  await call("POST", "/threads", { id: "t" });
  await call("POST", "/threads/t/messages?wait=true", { content: "Count." });
  const read = async (headers: Record<string, string>, until: string): Promise<string> => {
    const sent = httpRequest(`${url}/threads/t/events`, { headers }).end();
    const [answer] = (await once(sent, "response")) as [NodeJS.ReadableStream];
    let text = "";
    for await (const piece of answer) {
      text += String(piece);
      if (text.includes(until)) break;
    }
    sent.destroy();
    return text;
  };
  const all = await read({}, "event: run_end");
  const ids = [...all.matchAll(/^id: (.+)$/gmu)].map(([, id = ""]) => id);
  expect(ids.length).toBeGreaterThan(3);
  const rest = await read({ "last-event-id": ids.at(-2) ?? "" }, "event: run_end");
  expect([...rest.matchAll(/^event: (.+)$/gmu)].map(([, type]) => type)).toEqual(["run_end"]);
});
