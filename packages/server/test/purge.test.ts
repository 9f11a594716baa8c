import { memoryStore, tool } from "undangle/agent";
import type { Store } from "undangle/agent";
import { describe, expect, test } from "vitest";

import type { Scope } from "../src/index.ts";
import { createKeeper } from "../src/projects/retention.ts";
import { serve } from "./serve-fixture.ts";

const turns = [{ text: "Yes." }];
const chat = "/v1/chat/completions";
const messages = [{ role: "user", content: "Hello." }];
const day = 24 * 60 * 60 * 1000;
const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };

const ids = async ({ call }: Pick<ReturnType<typeof serve>, "call">): Promise<readonly string[]> => {
  const { data } = (await call("GET", "/threads")).body as { data: readonly { readonly id: string }[] };
  return data.map(({ id }) => id).sort();
};

describe("DELETE /threads/:id?purge=true", () => {
  test("removes a thread permanently and frees its id", async () => {
    const store = memoryStore();
    const { call } = serve({ turns, options: { store } });
    for (const id of ["t", "u"]) {
      await call("POST", "/threads", { id });
      await call("POST", `/threads/${id}/messages?wait=true`, { content: "Hello." });
    }
    expect((await call("DELETE", "/threads/t?purge=true")).status).toBe(204);
    expect((await call("GET", "/threads/t")).status).toBe(404);
    expect((await call("PATCH", "/threads/t", { deleted: false })).status).toBe(404);
    expect([await store.load("t"), await store.entries("t"), await store.events("t")]).toEqual([undefined, [], []]);
    expect((await call("GET", "/threads/u")).status).toBe(200);
    expect((await call("POST", "/threads", { id: "t" })).status).toBe(201);
    expect((await call("GET", "/threads/t")).body).toMatchObject({ entries: 0, messages: [] });
    expect((await call("POST", "/threads/t/messages?wait=true", { content: "Again." })).body).toMatchObject({
      text: "Yes.",
    });
  });

  test("removes the child threads of a thread, which no list has", async () => {
    const store = memoryStore();
    const { call } = serve({ turns, options: { store } });
    await call("POST", "/threads", { id: "t" });
    const head = await store.load("t");
    if (head === undefined) throw new Error("The thread was not saved.");
    const child = { ...head, parent: "t", status: "waiting" as const };
    await store.commit({ thread: "t-child", version: 0, at: 1, head: child, entries: [], calls: [], events: [] });
    expect(await ids({ call })).toEqual(["t"]);
    expect((await call("GET", "/threads?status=waiting")).body).toMatchObject({ data: [] });
    expect((await call("GET", "/queue")).body).toMatchObject({ data: [] });
    expect((await call("DELETE", "/threads/t?purge=true")).status).toBe(204);
    expect(await store.load("t-child")).toBeUndefined();
  });

  test("removes a thread that is marked as deleted, and leaves others that are", async () => {
    const { call } = serve({ turns });
    for (const id of ["t", "u"]) {
      await call("POST", "/threads", { id });
      await call("DELETE", `/threads/${id}`);
    }
    expect((await call("DELETE", "/threads/t")).status).toBe(410);
    expect((await call("DELETE", "/threads/t?purge=true")).status).toBe(204);
    expect((await call("DELETE", "/threads/t?purge=true")).status).toBe(404);
    expect((await call("PATCH", "/threads/u", { deleted: false })).status).toBe(200);
  });

  test("stops a run, and needs the scope threads", async () => {
    const { promise: forever } = Promise.withResolvers<string>();
    const slow = tool({ name: "slow", description: "Never ends.", execute: () => forever });
    const { app, call } = serve({ turns: [{ calls: [{ name: "slow" }] }], agent: { tools: [slow] } });
    await call("POST", "/threads", { id: "t" });
    await call("POST", "/threads/t/messages", { content: "Go." });
    const keyOf = async (scope: Scope) =>
      (await app.service.keys.create({ name: scope, scopes: [scope], project: "default" })).text;
    const [chatKey, threadsKey] = [await keyOf("chat"), await keyOf("threads")];
    const purge = (key: string) =>
      call("DELETE", "/threads/t?purge=true", undefined, { authorization: `Bearer ${key}` });
    expect((await purge(chatKey)).status).toBe(403);
    expect((await purge(threadsKey)).status).toBe(204);
    expect((await purge(threadsKey)).status).toBe(404);
  });

  test("ends readers of the thread, but not readers of its successor", async () => {
    const { app, call } = serve({ turns });
    const { projectThreads } = app.service ?? (await app.ready(), app.service);
    await call("POST", "/threads", { id: "t" });
    const isThere = projectThreads.presence(await projectThreads.open("default", "t"));
    await call("DELETE", "/threads/t?purge=true");
    expect(await isThere()).toBe(false);
    await call("POST", "/threads", { id: "t" });
    expect(await projectThreads.presence(await projectThreads.open("default", "t"))()).toBe(true);
  });
});

describe("a response that is stored for an Idempotency-Key", () => {
  /** A store, and everything that is stored under its keys at this time. */
  function written() {
    const store = memoryStore();
    const values = new Map<string, unknown>();
    const write: Store["write"] = async (key, value, version) => {
      await store.write(key, value, version);
      values.set(key, value);
    };
    return { store: { ...store, write } satisfies Store, text: () => JSON.stringify([...values]) };
  }

  const requests: Readonly<Record<string, readonly [url: string, body: unknown, accept: string]>> = {
    "of a chat": [chat, { messages }, "*/*"],
    "of a streamed chat": [chat, { messages, stream: true }, "*/*"],
    "of a chat with thread_id": [chat, { messages, thread_id: "t" }, "*/*"],
    "of a message": ["/threads/t/messages?wait=true", { content: "Hello." }, "*/*"],
    "of a message, as a stream": ["/threads/t/messages", { content: "Hello." }, "text/event-stream"],
    "of an import": ["/threads/import", { id: "u", history: [{ role: "user", content: "A secret." }] }, "*/*"],
  };
  const cases = Object.keys(requests).flatMap((name) => [true, false].map((isHere) => [name, isHere] as const));

  test.each(cases)("%s goes with its thread (purged by the server: %s)", async (name, isHere) => {
    const [url, body, accept] = requests[name] ?? [chat, { messages }, "*/*"];
    const { store, text } = written();
    const { call, app, model } = serve({ turns: [{ text: "A secret." }], options: { store } });
    await call("POST", "/threads", { id: "t" });
    const send = () => call("POST", url, body, { "idempotency-key": "k1", accept });
    const first = await send();
    expect([200, 201]).toContain(first.status);
    expect((await send()).headers).toHaveProperty("idempotency-replayed", "true");
    const thread = url === chat ? String(first.headers["x-undangle-thread"]) : name === "of an import" ? "u" : "t";
    const asked = model.calls;
    const { agent } = await app.service.projectThreads.open("default", thread);
    if (isHere) await call("DELETE", `/threads/${thread}?purge=true`);
    else await agent.delete(thread, { purge: true });
    expect(isHere && text().includes("A secret.")).toBe(false);
    expect(await send()).toMatchObject({ status: 410, body: { undangle: { thread_id: thread } } });
    expect(model.calls).toBe(asked);
    expect((await call("GET", `/threads/${thread}`)).status).toBe(404);
  });

  test("stays as long as the thread is only marked as deleted", async () => {
    const { call } = serve({ turns });
    const send = () => call("POST", chat, { messages }, { "idempotency-key": "k1" });
    const first = await send();
    await call("DELETE", `/threads/${String(first.headers["x-undangle-thread"])}`);
    expect(await send()).toMatchObject({ status: 200, text: first.text });
  });
});

describe("fork", () => {
  test("keeps the title of its thread, unless another one is given", async () => {
    const { call } = serve({ turns });
    await call("POST", "/threads", { id: "t", title: "Invoices" });
    await call("POST", "/threads/t/messages?wait=true", { content: "Hello." });
    expect((await call("POST", "/threads/t/fork", {})).body).toMatchObject({ title: "Invoices" });
    expect((await call("POST", "/threads/t/fork", { at: 0 })).body).toMatchObject({ title: "Invoices" });
    expect((await call("POST", "/threads/t/fork", { title: "Other" })).body).toMatchObject({ title: "Other" });
    await call("PATCH", "/threads/t", { title: "Bills" });
    expect((await call("POST", "/threads/t/fork")).body).toMatchObject({ title: "Bills" });
  });
});

describe("server.keep", () => {
  async function aged() {
    const store: Store = memoryStore();
    const pay = tool({ name: "pay", description: "Pays.", approval: true, execute: () => "paid" });
    const served = serve({
      turns: [{ text: "Yes." }, { text: "Yes." }, { calls: [{ name: "pay" }] }],
      agent: { tools: [pay] },
      options: { store },
    });
    const { call, app } = served;
    const begun = async (): Promise<string> => {
      const { headers } = await call("POST", chat, { messages });
      return String(headers["x-undangle-thread"]);
    };
    const [plain, named, waiting] = [await begun(), await begun(), await begun()];
    await call("PATCH", `/threads/${named}`, { title: "To be kept" });
    await call("POST", `/threads/${plain}/fork`, { id: "forked" });
    await call("POST", "/threads", { id: "made" });
    await call("POST", "/threads", { id: "gone" });
    await call("DELETE", "/threads/gone");
    let now = Date.now();
    const keeper = createKeeper(
      { chats: 30, deleted: 7 },
      { projectThreads: app.service.projectThreads, store, logger, now: () => now },
    );
    return {
      ...served,
      store,
      threads: { plain, named, waiting },
      async sweepAfter(days: number) {
        now = Date.now() + days * day;
        await keeper.sweep();
        keeper.close();
      },
    };
  }

  test("removes chats without thread_id that have not changed for that long, and nothing else", async () => {
    const served = await aged();
    const { plain, named, waiting } = served.threads;
    await served.sweepAfter(29);
    expect(await ids(served)).toEqual([plain, named, waiting, "made", "forked"].sort());
    await served.sweepAfter(31);
    expect(await ids(served)).toEqual([named, waiting, "made", "forked"].sort());
    expect(await served.store.load(plain)).toBeUndefined();
  });

  test("a chat that changed after a sweep is removed by a later one", async () => {
    const served = await aged();
    const { plain } = served.threads;
    await served.sweepAfter(20);
    await served.call("POST", chat, { messages, thread_id: plain });
    await served.sweepAfter(25);
    expect(await ids(served)).toContain(plain);
    await served.sweepAfter(40);
    expect(await ids(served)).not.toContain(plain);
  });

  test("removes deleted threads after that time", async () => {
    const { store, ...served } = await aged();
    await served.sweepAfter(6);
    expect(await store.load("gone")).toBeDefined();
    await served.sweepAfter(8);
    expect(await store.load("gone")).toBeUndefined();
  });

  test("false keeps all", async () => {
    const { app } = serve({ config: { agents: { a: { model: "demo" } }, server: { keep: { chats: false } } } });
    await app.ready();
    expect(app.service.settings.keep).toEqual({ chats: false, deleted: 30 });
  });
});
