import { createAgent, memoryStore, subagents, tool } from "undangle/agent";
import { scriptedModel } from "undangle/testing";
import { describe, expect, test } from "vitest";

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
  expect((await call("GET", "/threads/t")).body).toMatchObject({
    persona: "stranger",
    pending: [{ name: "pay", foreign: true, decisions: [], always: [] }], // as every decision would be refused
  });
  expect((await call("GET", "/queue")).body).toMatchObject({ data: [{ pending: [{ decisions: [] }] }] });
  const wishes = [
    ["/threads/t/messages", { content: "Hi." }],
    ["/threads/t/decisions", { all: "approve" }],
    ["/v1/chat/completions", { thread_id: "t", messages: [{ role: "user", content: "Hi." }] }],
  ] as const;
  for (const [url, body] of wishes)
    expect(await call("POST", url, body)).toMatchObject({ status: 409, body: { error: { code: "persona-gone" } } });
  expect((await call("GET", "/threads/t")).body).toMatchObject({ status: "waiting" });
  await call("PATCH", "/threads/t", { persona: "helper" });
  expect((await call("GET", "/threads/t")).body).toMatchObject({ pending: [{ decisions: ["reject", "respond"] }] });
  expect((await call("POST", "/threads/t/messages?wait=true", { content: "Hi." })).body).toMatchObject({
    text: "Hello.",
  });
});

test("a call that a persona requested does not run with the tool of another persona", async () => {
  const ran: string[] = [];
  const execute = (place: string) =>
    tool({ name: "execute", description: place, approval: true, execute: () => ran.push(place) });
  const model = scriptedModel([{ calls: [{ name: "execute" }] }, { text: "Done." }]);
  const agents = {
    sandbox: { model, tools: [execute("sandbox")] },
    production: { model, tools: [execute("production")] },
  };
  const { call } = serve({ config: { agents } });
  await call("POST", "/threads", { id: "t", persona: "sandbox" });
  await call("POST", "/threads/t/messages?wait=true", { content: "Clean up." });
  await call("PATCH", "/threads/t", { persona: "production" });
  const approval = ["POST", "/threads/t/decisions?wait=true", { decisions: { call_1: { type: "approve" } } }] as const;
  expect(await call(...approval)).toMatchObject({ status: 409, body: { error: { code: "decision/refused" } } });
  await call("PATCH", "/threads/t", { persona: "sandbox" });
  expect((await call(...approval)).status).toBe(200);
  expect(ran).toEqual(["sandbox"]);
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

describe("a thread named like a project", () => {
  const asked = { calls: [{ name: "pay" }] };
  /** The project `acme` with the thread `t`, whose call waits, and an import of the local thread `acme`. */
  async function projects() {
    const task = { name: "task", arguments: { description: "Look.", subagent_type: "general-purpose" } };
    const { app, call } = serve({
      agent: { tools: [pay], middleware: [subagents()] },
      turns: [asked, { text: "Done." }],
    });
    await app.ready();
    const keyOf = async (project: string) => {
      const { text } = await app.service.keys.create({ name: project, scopes: ["threads", "approve"], project });
      return { authorization: `Bearer ${text}` };
    };
    const [acme, local] = [await keyOf("acme"), await keyOf("default")];
    await call("POST", "/threads", { id: "t" }, acme);
    await call("POST", "/threads/t/messages?wait=true", { content: "Pay." }, acme);
    const importCall = (changes: object) => {
      const raw = JSON.stringify(task.arguments);
      const imported = { id: "t", providerId: "t", name: "task", raw, state: "awaiting", attempts: 0, ...changes };
      const entry = { type: "answer", at: 1, model: "m", parts: [{ type: "call", id: "t" }], finish: "tool_calls" };
      const gate = { digest: "x", decisions: ["approve", "reject"] };
      const history = { undangle: 1, id: "acme", entries: [{ entry, calls: [{ gate, ...imported }] }] };
      return call("POST", "/threads/import", { id: "acme", history }, local);
    };
    const isUntouched = async () =>
      expect((await call("GET", "/threads/t", undefined, acme)).body).toMatchObject({
        status: "waiting",
        pending: [{ id: "call_1", name: "pay" }],
      });
    return { call, local, importCall, isUntouched };
  }

  test.each(["entries?path=t", "events?path=t", "trace"])(
    "does not open threads of that project by %s",
    async (path) => {
      const { call, local, importCall, isUntouched } = await projects();
      await importCall({ child: { thread: "acme/t" } });
      const { status, text } = await call("GET", `/threads/acme/${path}`, undefined, local);
      expect(text).not.toMatch(/pay/iu);
      expect(status).toBeLessThan(500);
      await isUntouched();
    },
  );

  test("does not decide calls of threads of that project", async () => {
    const { call, local, importCall, isUntouched } = await projects();
    const child = { thread: "acme/t", decisions: [{ decisions: { call_1: { type: "approve" } } }] };
    expect((await importCall({ child })).status).toBe(201);
    const decide = (decisions: object) => call("POST", "/threads/acme/decisions?wait=true", { decisions }, local);
    expect(await decide({ "t/call_1": { type: "approve" } })).toMatchObject({
      status: 409,
      body: { error: { code: "decision/refused" } },
    });
    expect(await decide({ t: { type: "approve" } })).toMatchObject({ status: 200 });
    const { body } = await call("GET", "/threads/acme", undefined, local);
    expect(body).toMatchObject({ calls: [{ id: "t", status: "failed" }] });
    expect(JSON.stringify(body)).not.toMatch(/pay/u);
    await isUntouched();
  });

  test.each(["t/call_1", ""])("cannot be imported with the call id %j", async (id) => {
    const { importCall, isUntouched } = await projects();
    expect(await importCall({ id })).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining("calls[0].id") as string } },
    });
    await isUntouched();
  });
});
