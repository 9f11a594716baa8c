import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { createAgent, memoryStore, subagents, tool } from "undangle/agent";
import type { Store } from "undangle/agent";
import { createClient } from "undangle/client";
import type { Client, QueuedThread, QueueEvent } from "undangle/client";
import { sqliteStore } from "undangle/store/sqlite";
import { scriptedModel } from "undangle/testing";
import type { ScriptedAnswer } from "undangle/testing";
import { afterEach, describe, expect, test } from "vitest";

import { createKeyRing } from "../src/access/key-ring.ts";
import type { ProjectThreads } from "../src/projects/project-threads.ts";
import { createQueueWatch } from "../src/threads/queue/queue-watch.ts";
import { serve } from "./serve-fixture.ts";
import type { Served, Stage } from "./serve-fixture.ts";

const pay = tool({
  name: "pay",
  description: "Pays.",
  input: { type: "object", properties: { to: { type: "string" } } },
  approval: { reason: "Payments are final." },
  execute: ({ to }) => `${String(to)} is paid`,
});
const calls = (...names: readonly string[]) => ({ calls: names.map((to) => ({ name: "pay", arguments: { to } })) });

const endings: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0)) await end();
});

interface Followed extends Served {
  readonly url: string;
  readonly client: Client;
  /** Starts to read the queue. */
  readonly follow: (key?: string) => Follower;
}

interface Follower {
  readonly events: readonly QueueEvent[];
  /** The pending calls by thread, as a page would show them. */
  readonly shown: () => Readonly<Record<string, readonly string[]>>;
  readonly leave: () => void;
}

async function following({ agent, ...stage }: Stage = {}): Promise<Followed> {
  const turns = stage.turns ?? [calls("ACME"), { text: "Paid." }];
  const served = serve({ ...stage, turns, agent: { tools: [pay], ...agent } });
  const url = await served.app.listen();
  const clientOf = (key?: string): Client => createClient({ url, ...(key !== undefined && { key }) });
  return { ...served, url, client: clientOf(), follow: (key) => follow(clientOf(key)) };
}

function follow(client: Client): Follower {
  const events: QueueEvent[] = [];
  const threads = new Map<string, QueuedThread>();
  const leaving = new AbortController();
  endings.push(() => leaving.abort());
  const reading = async (): Promise<void> => {
    for await (const event of client.queueEvents({ signal: leaving.signal })) {
      events.push(event);
      if (event.type === "snapshot") threads.clear();
      for (const each of event.type === "snapshot" ? event.data : [event.data]) {
        if (each.pending.length > 0) threads.set(each.id, each);
        else threads.delete(each.id);
      }
    }
  };
  reading().catch(() => undefined); // the connection ends with the test
  const shown = (): Readonly<Record<string, readonly string[]>> =>
    Object.fromEntries([...threads.values()].map(({ id, pending }) => [id, pending.map((call) => call.id)]));
  return { events, shown, leave: () => leaving.abort() };
}

const hasSnapshot = async ({ events }: Follower): Promise<void> => {
  await expect.poll(() => events.some(({ type }) => type === "snapshot")).toBe(true);
};

const waitingThread = async ({ client }: Followed, id: string): Promise<void> => {
  await client.threads.create({ id });
  await client.threads.send(id, "Pay.");
};

describe("the events of the queue", () => {
  test("start with all waiting threads, as GET /queue shows them", async () => {
    const stage = await following();
    await waitingThread(stage, "one");
    const follower = stage.follow();
    await hasSnapshot(follower);
    expect(follower.events).toEqual([{ type: "snapshot", data: await stage.client.queue() }]);
    expect(follower.events[0]?.data).toMatchObject([
      { id: "one", status: "waiting", pending: [{ rule: { from: "tool", reason: "Payments are final." } }] },
    ]);
  });

  test("show a thread that begins to wait, and that it has left when its calls are decided", async () => {
    const stage = await following();
    const follower = stage.follow();
    await hasSnapshot(follower);
    await waitingThread(stage, "one");
    await expect.poll(follower.shown).toEqual({ one: ["call_1"] });
    const { digest } = (await stage.client.queue())[0]?.pending[0] ?? {};
    await stage.client.threads.decide("one", { call_1: { type: "approve", ...(digest !== undefined && { digest }) } });
    await expect.poll(follower.shown).toEqual({});
    expect(follower.events.map(({ type }) => type)).toEqual(["snapshot", "thread", "thread"]);
    expect(follower.events[2]?.data).toMatchObject({ id: "one", pending: [] });
  });

  test("keep the other calls of a turn while a decided one runs", async () => {
    const running = Promise.withResolvers<string>();
    const slow = tool({
      name: "pay",
      description: "Pays.",
      input: { type: "object" },
      approval: true,
      execute: () => running.promise,
    });
    const stage = await following({ turns: [calls("A", "B", "C"), { text: "Paid." }], agent: { tools: [slow] } });
    await waitingThread(stage, "one");
    const follower = stage.follow();
    await expect.poll(follower.shown).toEqual({ one: ["call_1", "call_2", "call_3"] });
    await stage.client.threads.start.decide("one", { call_2: { type: "approve" } });
    await expect.poll(follower.shown).toEqual({ one: ["call_1", "call_3"] });
    const late = stage.follow();
    await expect.poll(late.shown).toEqual({ one: ["call_1", "call_3"] });
    running.resolve("paid");
    await expect.poll(async () => (await stage.client.threads.get("one")).status).toBe("waiting");
    expect(follower.shown()).toEqual({ one: ["call_1", "call_3"] });
  });

  test("are in the pages of GET /queue, also of threads that run", async () => {
    const running = Promise.withResolvers<string>();
    endings.push(() => running.resolve("paid"));
    const slow = { ...pay, execute: () => running.promise };
    const stage = await following({ turns: [calls("A", "B")], agent: { tools: [slow] } });
    for (const id of ["one", "two", "three"]) await waitingThread(stage, id);
    for (const id of ["one", "two"]) {
      await stage.client.threads.start.decide(id, { call_2: { type: "approve" } });
      await expect.poll(async () => (await stage.client.threads.get(id)).status).toBe("running");
    }
    const pages: (readonly string[])[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const response = await fetch(`${stage.url}/queue?limit=1${cursor === "" ? "" : `&cursor=${cursor}`}`);
      const page = (await response.json()) as { data: QueuedThread[]; next_cursor: string | null };
      pages.push(page.data.map(({ id }) => id));
      cursor = page.next_cursor;
    }
    expect(pages).toEqual([["three"], ["two"], ["one"], []]);
    expect((await stage.client.queue()).map(({ id, pending }) => [id, pending.length])).toEqual([
      ["three", 2],
      ["two", 1],
      ["one", 1],
    ]);
    expect((await fetch(`${stage.url}/queue?cursor=running.`)).status).toBe(400);
  });

  test("show a call of a sub-agent at once, while another sub-agent runs", async () => {
    const running = Promise.withResolvers<string>();
    endings.push(() => running.resolve("seen"));
    const look = tool({ name: "look", description: "Looks.", execute: () => running.promise });
    const task = (description: string) => ({
      name: "task",
      arguments: { description, subagent_type: "general-purpose" },
    });
    const answer: ScriptedAnswer = ({ messages }) => {
      if (messages.some(({ role }) => role === "assistant")) return { text: "Done." };
      const text = JSON.stringify(messages);
      if (text.includes("Pay it.")) return calls("ACME");
      if (text.includes("Look at it.")) return { calls: [{ name: "look" }] };
      return { calls: [task("Pay it."), task("Look at it.")] };
    };
    const model = scriptedModel([answer], { loop: true });
    const stage = await following({ agent: { model, tools: [pay, look], middleware: [subagents()] } });
    const follower = stage.follow();
    await hasSnapshot(follower);
    await stage.client.threads.create({ id: "one" });
    await stage.client.threads.start.send("one", "Go.");
    await expect.poll(follower.shown).toEqual({ one: ["call_1/call_1"] });
    expect((await stage.client.threads.get("one")).status).toBe("running");
    const late = stage.follow();
    await expect.poll(late.shown).toEqual({ one: ["call_1/call_1"] });
    expect(await stage.client.queue()).toMatchObject([{ id: "one", status: "running", pending: [{ name: "pay" }] }]);
    await stage.client.threads.start.decide("one", { "call_1/call_1": { type: "reject" } });
    await expect.poll(follower.shown).toEqual({});
  });

  test("show a thread that cannot be read with its error", async () => {
    const store = memoryStore();
    let isBroken = false;
    const broken: Store = {
      ...store,
      entries: (...range) => (isBroken ? Promise.reject(new Error("damaged")) : store.entries(...range)),
    };
    const first = await following({ options: { store } });
    await waitingThread(first, "one");
    isBroken = true;
    const stage = await following({ options: { store: broken } });
    const follower = stage.follow();
    await hasSnapshot(follower);
    expect(follower.events[0]?.data).toMatchObject([{ id: "one", pending: [], error: { code: "internal" } }]);
  });

  test("show the other threads if one of them cannot be read any more", async () => {
    const store = memoryStore();
    let isBroken = false;
    const broken: Store = {
      ...store,
      load: (id) => (isBroken && id === "one" ? Promise.reject(new Error("damaged")) : store.load(id)),
      list: async (query) => (await store.list(query)).filter(({ id }) => !isBroken || id !== "one"),
    };
    const first = await following({ turns: [calls("ACME")], options: { store: broken } });
    await waitingThread(first, "one");
    const stage = await following({ options: { store: broken } });
    const follower = stage.follow();
    await expect.poll(follower.shown).toEqual({ one: ["call_1"] });
    isBroken = true;
    await waitingThread(first, "two");
    const reports = () => follower.events.slice(1).map(({ data }) => data);
    await expect.poll(reports, { timeout: 2500 }).toContainEqual(expect.objectContaining({ id: "two" }));
    await expect
      .poll(reports, { timeout: 2500 })
      .toContainEqual(expect.objectContaining({ id: "one", title: "Pay.", error: expect.anything() as unknown }));
    await waitingThread(first, "three");
    await expect.poll(follower.shown, { timeout: 2500 }).toMatchObject({ two: ["call_1"], three: ["call_1"] });
  });

  test("start with the headers, before a long queue is read", async () => {
    const store = memoryStore();
    const listed = Promise.withResolvers();
    endings.push(() => listed.resolve(undefined));
    const list: Store["list"] = async (query) => {
      if (query?.status === "waiting") await listed.promise;
      return store.list(query);
    };
    const stage = await following({ options: { store: { ...store, list } } });
    await waitingThread(stage, "one");
    const { body } = await fetch(`${stage.url}/queue/events`);
    const reader = (body ?? new ReadableStream<Uint8Array>()).pipeThrough(new TextDecoderStream()).getReader();
    endings.push(() => reader.cancel());
    expect((await reader.read()).value).toBe("retry: 1000\n\n");
    listed.resolve(undefined);
    expect((await reader.read()).value).toMatch(/^event: snapshot\ndata: \[\{"id":"one",/u);
  });

  test.each<[string, (stage: Followed) => Promise<unknown>]>([
    ["stopped", ({ client }) => client.threads.stop("one")],
    ["superseded by a message", ({ client }) => client.threads.start.send("one", "Never mind.")],
    ["deleted", ({ client }) => client.threads.delete("one")],
    ["purged", ({ client }) => client.threads.delete("one", { purge: true })],
  ])("show that a thread has left when it is %s", async (_, leave) => {
    const stage = await following({ turns: [calls("ACME"), { text: "Well." }] });
    await waitingThread(stage, "one");
    const follower = stage.follow();
    await expect.poll(follower.shown).toEqual({ one: ["call_1"] });
    await leave(stage);
    await expect.poll(follower.shown).toEqual({});
    expect(follower.events.at(-1)).toMatchObject({ type: "thread", data: { id: "one", pending: [] } });
  });

  test("show a thread that is restored, and one with another title", async () => {
    const stage = await following();
    await waitingThread(stage, "one");
    await stage.client.threads.delete("one");
    const follower = stage.follow();
    await hasSnapshot(follower);
    expect(follower.shown()).toEqual({});
    await stage.client.threads.restore("one");
    await expect.poll(follower.shown).toEqual({ one: ["call_1"] });
    await stage.client.threads.update("one", { title: "Bills" });
    await expect.poll(() => follower.events.at(-1)?.data).toMatchObject({ title: "Bills" });
  });

  test("show a thread with another persona, with another model, and that it runs again", async () => {
    const running = Promise.withResolvers<string>();
    endings.push(() => running.resolve("paid"));
    const model = scriptedModel([calls("A", "B")], { loop: true });
    const agent = { model, tools: [{ ...pay, execute: () => running.promise }] };
    const stage = await following({ config: { agents: { helper: agent, clerk: agent }, models: { other: model } } });
    await waitingThread(stage, "one");
    const follower = stage.follow();
    await expect.poll(follower.shown).toEqual({ one: ["call_1", "call_2"] });
    const last = () => follower.events.at(-1)?.data;
    await stage.client.threads.update("one", { persona: "clerk" });
    const refusing = { foreign: true, decisions: ["reject", "respond"], always: [] };
    await expect.poll(last).toMatchObject({ persona: "clerk", model: null, pending: [refusing, refusing] });
    await stage.client.threads.update("one", { model: "other" });
    await expect.poll(last).toMatchObject({ persona: "clerk", model: "other" });
    await stage.client.threads.update("one", { persona: "helper" });
    await stage.client.threads.start.decide("one", { call_2: { type: "approve" } });
    await expect.poll(last).toMatchObject({ persona: "helper", status: "running", pending: [{ id: "call_1" }] });
    running.resolve("paid");
    await expect.poll(last).toMatchObject({ status: "waiting", pending: [{ id: "call_1" }] });
  });

  test("show that a call has expired", async () => {
    const expiring = { ...pay, approval: { expiresAfter: 300 } };
    const stage = await following({ turns: [calls("ACME"), { text: "Expired." }], agent: { tools: [expiring] } });
    await waitingThread(stage, "one");
    const follower = stage.follow();
    await expect.poll(follower.shown).toEqual({ one: ["call_1"] });
    await expect.poll(follower.shown, { timeout: 3000 }).toEqual({});
  });

  test(
    "need the scope approve, stay in the project of the key, and end when it is revoked",
    { timeout: 30_000 },
    async () => {
      const store = memoryStore();
      const ring = createKeyRing(store);
      const created = async (project: string, scopes: readonly ("approve" | "threads")[]) =>
        ring.create({ name: "k", scopes, project });
      const [ours, theirs, weak] = [
        await created("ours", ["approve", "threads"]),
        await created("theirs", ["approve", "threads"]),
        await created("ours", ["threads"]),
      ];
      const stage = await following({ options: { store } });
      const client = createClient({ url: stage.url, key: ours.text });
      await client.threads.create({ id: "one" });
      await client.threads.send("one", "Pay.");
      const [own, other] = [stage.follow(ours.text), stage.follow(theirs.text)];
      await expect.poll(own.shown).toEqual({ one: ["call_1"] });
      await hasSnapshot(other);
      expect(other.shown()).toEqual({});
      const refused = await fetch(`${stage.url}/queue/events`, { headers: { authorization: `Bearer ${weak.text}` } });
      expect(refused.status).toBe(403);
      const stream = await fetch(`${stage.url}/queue/events`, { headers: { authorization: `Bearer ${theirs.text}` } });
      await ring.revoke(theirs.key.id);
      await expect(stream.text()).rejects.toThrow("terminated"); // the server closes the connection
    },
  );
});

describe("changes of other processes on the same store", () => {
  const clerk = (store: Store) =>
    createAgent({ name: "helper", model: scriptedModel([calls("ACME"), { text: "Paid." }]), store, tools: [pay] });

  test("appear within about a second", async () => {
    const folder = await mkdtemp(join(tmpdir(), "queue-"));
    endings.push(() => rm(folder, { recursive: true }));
    const path = join(folder, "threads.db");
    const [here, there] = [sqliteStore(path), sqliteStore(path)];
    endings.push(() => there.close());
    const stage = await following({ options: { store: here } });
    const agent = clerk(there);
    const follower = stage.follow();
    await hasSnapshot(follower);
    await agent.thread("bills").send("Pay.").result;
    await expect.poll(follower.shown, { timeout: 2500 }).toEqual({ bills: ["call_1"] });
    await agent.thread("bills").approveAll().result;
    await expect.poll(follower.shown, { timeout: 2500 }).toEqual({});
    await agent.close();
  });

  test("are not looked for while no client listens", async () => {
    const store = memoryStore();
    let lists = 0;
    const list: Store["list"] = (query) => {
      if (query?.status === "waiting") lists += 1;
      return store.list(query);
    };
    const stage = await following({ options: { store: { ...store, list } } });
    const [one, other] = [stage.follow(), stage.follow()];
    await hasSnapshot(one);
    await hasSnapshot(other);
    await expect.poll(() => lists, { timeout: 2500 }).toBeGreaterThan(2);
    one.leave();
    other.leave();
    await pause(100);
    const before = lists;
    await pause(1300);
    expect(lists).toBe(before);
  });
});

describe("the watch of a long queue", () => {
  const count = 40;

  /** A watch over waiting threads, whose reads are counted, and wait where `hold` is set. */
  const longQueue = async () => {
    const stage = await following({ turns: [calls("ACME")] });
    for (let n = 0; n < count; n++) await waitingThread(stage, `t${n}`);
    const { projectThreads } = stage.app.service;
    const opened: string[] = [];
    const reading: { hold?: Promise<unknown> | undefined } = {};
    const open: ProjectThreads["open"] = async (project, id) => {
      opened.push(id);
      await reading.hold;
      return projectThreads.open(project, id);
    };
    const watch = createQueueWatch({
      reading: () => ({ projectThreads: { ...projectThreads, open }, logger: stage.app.log }),
      interval: 20_000, // no second look
    });
    const follow = () => {
      const leaving = new AbortController();
      const feed = watch.follow("default", leaving.signal);
      endings.push(() => leaving.abort());
      const snapshot = async (): Promise<readonly QueuedThread[]> =>
        JSON.parse((await feed.next()).value?.text ?? "") as readonly QueuedThread[]; // as the client types it
      return { snapshot, leave: () => leaving.abort() };
    };
    return { stage, watch, opened, reading, follow };
  };

  test("reads each thread once for clients that connect at the same time", async () => {
    const { opened, follow } = await longQueue();
    const followers = [follow(), follow(), follow()];
    for (const { snapshot } of followers) expect(await snapshot()).toHaveLength(count);
    expect(opened).toHaveLength(count);
  });

  test("stops reading when no client listens, and continues for the next one", async () => {
    const { opened, reading, follow } = await longQueue();
    const release = Promise.withResolvers();
    reading.hold = release.promise;
    const first = follow();
    await expect.poll(() => opened.length).toBe(16);
    first.leave();
    release.resolve(undefined);
    await pause(100);
    expect(opened).toHaveLength(16);
    expect(await follow().snapshot()).toHaveLength(count);
    expect([...opened].sort()).toEqual([...new Set(opened)].sort());
  });

  test("serves a client that comes while the look of another one is stopped", async () => {
    const { opened, reading, follow } = await longQueue();
    const release = Promise.withResolvers();
    reading.hold = release.promise;
    const first = follow();
    await expect.poll(() => opened.length).toBe(16);
    first.leave();
    const second = follow();
    release.resolve(undefined);
    expect(await second.snapshot()).toHaveLength(count);
  });

  test("keeps what it knows for a client that connects again, and reads what has changed meanwhile", async () => {
    const { stage, watch, opened, follow } = await longQueue();
    const first = follow();
    await first.snapshot();
    first.leave();
    opened.length = 0;
    await stage.client.threads.update("t7", { title: "Bills" });
    watch.moved("t9"); // as after a change that leaves its version
    const threads = await follow().snapshot();
    expect([threads.length, threads.find(({ id }) => id === "t7")?.title]).toEqual([count, "Bills"]);
    expect([...opened].sort()).toEqual(["t7", "t9"]);
  });
});

test("a client that does not read gets the last change of each thread", async () => {
  const stage = await following();
  const watch = createQueueWatch({
    reading: () => ({ projectThreads: stage.app.service.projectThreads, logger: stage.app.log }),
    interval: 20,
  });
  const leaving = new AbortController();
  const feed = watch.follow("default", leaving.signal);
  expect((await feed.next()).value).toEqual({ event: "snapshot", text: "[]" });
  await waitingThread(stage, "one");
  await pause(100);
  for (const title of ["a", "b", "c"]) {
    await stage.client.threads.update("one", { title });
    await pause(60);
  }
  expect(JSON.parse((await feed.next()).value?.text ?? "")).toMatchObject({ id: "one", title: "c" });
  const next = feed.next();
  expect(await Promise.race([next, pause(100, "nothing more")])).toBe("nothing more");
  leaving.abort();
  expect(await next).toEqual({ done: true, value: undefined });
});

test("200 pending calls in 40 threads arrive quickly, and each decision at once", async () => {
  const stage = await following({ turns: [calls("A", "B", "C", "D", "E")] });
  for (let i = 0; i < 40; i++) {
    await stage.client.threads.create({ id: `t${i}` });
    await stage.client.threads.send(`t${i}`, "Pay.");
  }
  const start = performance.now();
  const follower = stage.follow();
  await expect.poll(() => Object.values(follower.shown()).flat().length, { interval: 5 }).toBe(200);
  expect(performance.now() - start).toBeLessThan(2000);
  const decided = performance.now();
  await stage.client.threads.start.decide("t7", { call_1: { type: "reject" } });
  await expect.poll(() => follower.shown()["t7"]?.length, { interval: 5 }).toBe(4);
  expect(performance.now() - decided).toBeLessThan(1000);
});
