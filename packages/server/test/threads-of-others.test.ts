import { createAgent, memoryStore, subagents, tool } from "undangle/agent";
import { scriptedModel } from "undangle/testing";
import { expect, test } from "vitest";

import { serve } from "./serve-fixture.ts";

const pay = tool({ name: "pay", description: "Pays.", approval: true, execute: () => "paid" });

/** A store in which another program, a chat in a terminal say, has a thread with a call that waits. */
async function storeOf(agent: string) {
  const store = memoryStore();
  const other = createAgent({ name: agent, store, model: scriptedModel([{ calls: [{ name: "pay" }] }]), tools: [pay] });
  await other.thread("t").send("Pay.").result;
  await other.thread("t").describe({ meta: { agent } });
  return store;
}

test("a thread of another program is listed, and decided about with the tools of its agent", async () => {
  const agents = {
    first: {},
    clerk: { model: scriptedModel([{ text: "It is paid." }]), tools: [pay] },
  };
  const { call } = serve({ config: { agents }, options: { store: await storeOf("clerk") } });
  expect((await call("GET", "/threads")).body).toMatchObject({
    data: [{ id: "t", persona: "clerk", status: "waiting" }],
  });
  expect(await call("POST", "/threads/t/decisions?wait=true", { all: "approve" })).toMatchObject({
    status: 200,
    body: { status: "done", text: "It is paid." },
  });
});

test("a thread whose agent is not here is read, and gone on with only by a persona that somebody names", async () => {
  const { call } = serve({ turns: [{ text: "Hello." }], options: { store: await storeOf("stranger") } });
  expect((await call("GET", "/threads/t")).body).toMatchObject({ persona: "stranger", pending: [{ name: "pay" }] });
  const wishes = [
    ["/threads/t/messages", { content: "Hi." }],
    ["/threads/t/decisions", { all: "approve" }],
    ["/v1/chat/completions", { thread_id: "t", messages: [{ role: "user", content: "Hi." }] }],
  ] as const;
  for (const [url, body] of wishes)
    expect(await call("POST", url, body)).toMatchObject({ status: 409, body: { error: { code: "persona-gone" } } });
  expect((await call("GET", "/threads/t")).body).toMatchObject({ status: "waiting" });
  await call("PATCH", "/threads/t", { persona: "helper" });
  expect((await call("POST", "/threads/t/messages?wait=true", { content: "Hi." })).body).toMatchObject({
    text: "Hello.",
  });
});

test("a key of a project named like a thread does not open the child threads and records of that thread", async () => {
  const { app, call } = serve({
    agent: { middleware: [subagents()] },
    turns: [
      { calls: [{ name: "task", arguments: { description: "Look.", subagent_type: "general-purpose" } }] },
      { text: "Found." },
      { text: "Done." },
    ],
  });
  await call("POST", "/threads", { id: "acme" });
  await call("POST", "/threads/acme/messages?wait=true", { content: "Look." });
  const { store, keys } = app.service;
  const head = { epoch: 0, owner: undefined, status: "idle", deadline: undefined, title: undefined } as const;
  const record = { ...head, parent: "acme", data: null }; // as the server records the requests of models
  const rows = { entries: [], calls: [], events: [] };
  await store.commit({ thread: "acme/undangle:exchanges", version: 0, at: 1, head: record, ...rows });
  const children = await store.list({ parent: "acme" });
  expect(children).toHaveLength(2);
  const { text } = await keys.create({ name: "acme", scopes: ["threads", "approve", "admin"], project: "acme" });
  const headers = { authorization: `Bearer ${text}` };
  for (const { id } of children) {
    const url = `/threads/${encodeURIComponent(id.slice("acme/".length))}`;
    const requests = [
      ["GET", url],
      ["GET", `${url}/entries`],
      ["DELETE", `${url}?purge=true`],
    ] as const;
    for (const [method, path] of requests)
      expect(await call(method, path, undefined, headers)).toMatchObject({
        status: 404,
        body: { error: { code: "thread/unknown" } },
      });
    expect(await store.load(id)).toBeDefined();
  }
});
