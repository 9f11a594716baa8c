import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createAgent, memoryStore, subagents, tool } from "undangle/agent";
import type { AgentEvent, PendingCall } from "undangle/agent";
import { createClient, ServerRefusal } from "undangle/client";
import type { Client, QueuedThread } from "undangle/client";
import { sqliteStore } from "undangle/store/sqlite";
import { scriptedModel } from "undangle/testing";
import { afterEach, describe, expect, test } from "vitest";

import { createKeyRing } from "../src/access/key-ring.ts";
import { serve } from "./serve-fixture.ts";
import type { Stage } from "./serve-fixture.ts";

const paid: string[] = [];
const pay = tool({
  name: "pay",
  description: "Pays.",
  input: { type: "object", properties: { to: { type: "string" } } },
  approval: true,
  execute: ({ to }) => void paid.push(String(to)),
});
const calls = (...names: readonly string[]) => ({ calls: names.map((to) => ({ name: "pay", arguments: { to } })) });

const endings: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  paid.length = 0;
  for (const end of endings.splice(0)) await end();
});

/** A server, and a thread `bills` of its local project with three pending calls. */
async function waiting(stage: Stage = {}): Promise<{ readonly client: Client; readonly url: string }> {
  const turns = stage.turns ?? [calls("A", "B", "C"), { text: "Done." }];
  const { app } = serve({ ...stage, turns, agent: { tools: [pay], ...stage.agent } });
  const url = await app.listen();
  const client = createClient({ url });
  await client.threads.create({ id: "bills" });
  await client.threads.send("bills", "Pay.");
  return { client, url };
}

const pendingOf = async (client: Client): Promise<readonly PendingCall[]> =>
  (await client.threads.get("bills")).pending;

/** The error of a decision that the server refuses. */
async function refusal(deciding: Promise<unknown>): Promise<ServerRefusal> {
  const thrown: unknown = await deciding.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(thrown instanceof ServerRefusal)) throw new Error("The decision was not refused.", { cause: thrown });
  return thrown;
}

describe("a refused decision", () => {
  test("tells who decided, what, when and why", async () => {
    const store = memoryStore();
    const ring = createKeyRing(store);
    const [ann, bob] = [
      await ring.create({ name: "ann", scopes: ["threads", "approve"], project: "p" }),
      await ring.create({ name: "bob", scopes: ["threads", "approve"], project: "p" }),
    ];
    const { app } = serve({ turns: [calls("A", "B", "C")], agent: { tools: [pay] }, options: { store } });
    const url = await app.listen();
    const [one, other] = [ann, bob].map(({ text }) => createClient({ url, key: text }));
    if (one === undefined || other === undefined) throw new Error("There are two clients.");
    await one.threads.create({ id: "bills" });
    await one.threads.send("bills", "Pay.");
    const digest = (await pendingOf(other))[1]?.digest;
    const before = Date.now();
    await one.threads.decide("bills", { call_2: { type: "reject", reason: "not this month" } });
    const error = await refusal(other.threads.decide("bills", { call_2: { type: "approve", digest } }));
    expect(error).toMatchObject({ status: 409, code: "decision/refused", threadId: "bills" });
    expect(error.calls).toMatchObject([
      {
        id: "call_2",
        problem: "it is rejected and not pending",
        status: "rejected",
        decision: { type: "reject", by: `key:${ann.key.id}`, reason: "not this month" },
      },
    ]);
    expect(error.calls[0]).not.toHaveProperty("pending");
    const at = error.calls[0]?.decision?.at ?? 0;
    expect(at >= before && at <= Date.now()).toBe(true);
    expect(paid).toEqual([]);
  });

  test("shows the call that waits now, if its digest differs", async () => {
    const { client } = await waiting();
    const decisions = {
      call_1: { type: "approve", digest: "of other arguments" },
      call_3: { type: "approve" },
    } as const;
    const error = await refusal(client.threads.decide("bills", decisions));
    const [first] = await pendingOf(client);
    expect(error.calls).toEqual([
      { id: "call_1", problem: "the call has changed since it was shown", status: "awaiting", pending: first },
    ]);
    expect([(await pendingOf(client)).length, paid]).toEqual([3, []]); // the other decision was not applied
  });

  test.each<[string, (client: Client) => Promise<unknown>, string]>([
    ["stopped", (client) => client.threads.stop("bills"), "stopped"],
    ["superseded", (client) => client.threads.send("bills", "Never mind."), "superseded"],
  ])("shows that the call was %s", async (_, leave, status) => {
    const { client } = await waiting();
    await leave(client);
    const error = await refusal(client.threads.decide("bills", { call_1: { type: "approve" } }));
    expect(error.calls).toMatchObject([{ id: "call_1", status }]);
    expect(error.calls[0]).not.toHaveProperty("decision");
  });

  test("names calls that do not exist, also those of child threads", async () => {
    const { client } = await waiting();
    const decisions = { call_9: { type: "approve" }, "call_9/call_1": { type: "approve" } } as const;
    const error = await refusal(client.threads.decide("bills", decisions));
    expect(error.calls.map((call) => Object.keys(call))).toEqual([
      ["id", "problem"],
      ["id", "problem"],
    ]);
  });

  test("tells who decided a call of a sub-agent", async () => {
    const model = scriptedModel([
      { calls: [{ name: "task", arguments: { description: "Pay.", subagent_type: "general-purpose" } }] },
      calls("A", "B"),
      { text: "Done." },
    ]);
    const { client } = await waiting({ agent: { model, tools: [pay], middleware: [subagents()] } });
    const [one, two] = await pendingOf(client);
    expect([one?.id, two?.id, one?.agent]).toEqual(["call_1/call_1", "call_1/call_2", "helper/general-purpose"]);
    await client.threads.decide("bills", { "call_1/call_1": { type: "reject", reason: "no" } });
    const error = await refusal(client.threads.decide("bills", { "call_1/call_1": { type: "approve" } }));
    expect(error.calls).toMatchObject([
      { id: "call_1/call_1", status: "rejected", decision: { type: "reject", by: "local", reason: "no" } },
    ]);
  });
});

test("a decision about one of three calls returns at once, and the others stay pending", async () => {
  const running = Promise.withResolvers<string>();
  endings.push(() => running.resolve("paid"));
  const slow = tool({
    name: "pay",
    description: "Pays.",
    input: { type: "object" },
    approval: true,
    execute: () => running.promise,
  });
  const { client } = await waiting({ agent: { tools: [slow] } });
  const start = performance.now();
  const begun = await client.threads.start.decide("bills", { call_2: { type: "approve" } });
  expect(performance.now() - start).toBeLessThan(1000);
  expect(begun).toMatchObject({ thread_id: "bills", status: "running" });
  expect((await pendingOf(client)).map(({ id }) => id)).toEqual(["call_1", "call_3"]);
  const again = await client.threads.start.decide("bills", { call_1: { type: "reject" } }); // while the other one runs
  expect(again).toMatchObject({ thread_id: "bills" });
  expect((await pendingOf(client)).map(({ id }) => id)).toEqual(["call_3"]);
});

describe("two pages and a terminal on one thread", () => {
  /** What a page knows: its queue and the events of its thread. */
  function page(url: string) {
    const client = createClient({ url });
    const leaving = new AbortController();
    endings.push(() => leaving.abort());
    const { signal } = leaving;
    const queue = new Map<string, QueuedThread>();
    const events: AgentEvent[] = [];
    const reading = async (): Promise<void> => {
      for await (const { type, data } of client.queueEvents({ signal }))
        for (const each of type === "snapshot" ? data : [data]) queue.set(each.id, each);
    };
    const following = async (): Promise<void> => {
      for await (const event of client.threads.events("bills", { signal })) events.push(event);
    };
    void Promise.allSettled([reading(), following()]); // both end with the test
    const decidedBy = (id: string): string | undefined =>
      events.flatMap(({ type, data }) =>
        type === "tool_call_end" && data.id === id ? [data.decision?.by ?? ""] : [],
      )[0];
    return { client, pending: () => queue.get("bills")?.pending.map(({ id }) => id), decidedBy };
  }

  test("a decision in one appears in all", async () => {
    const folder = await mkdtemp(join(tmpdir(), "clients-"));
    endings.push(() => rm(folder, { recursive: true }));
    const path = join(folder, "threads.db");
    const { url } = await waiting({ options: { store: sqliteStore(path) } });
    const [one, two] = [page(url), page(url)];
    const store = sqliteStore(path); // the terminal chat is another process on the same file
    const model = scriptedModel([{ text: "Done." }]);
    const terminal = createAgent({ name: "helper", model, store, tools: [pay] });
    endings.push(async () => {
      await terminal.close();
      await store.close();
    });
    const pendingInTerminal = async (): Promise<readonly string[]> =>
      (await terminal.thread("bills").pending()).map(({ id }) => id);
    for (const each of [one, two]) await expect.poll(each.pending).toEqual(["call_1", "call_2", "call_3"]);

    await one.client.threads.decide("bills", { call_1: { type: "reject" } });
    await expect.poll(two.pending).toEqual(["call_2", "call_3"]);
    await expect.poll(() => two.decidedBy("call_1")).toBe("local");
    expect(await pendingInTerminal()).toEqual(["call_2", "call_3"]);

    await terminal.thread("bills").decide({ call_2: { type: "approve" } }, { by: "ann" }).result;
    for (const each of [one, two]) {
      await expect.poll(each.pending, { timeout: 3000 }).toEqual(["call_3"]);
      await expect.poll(() => each.decidedBy("call_2"), { timeout: 3000 }).toBe("ann");
    }
    const late = await refusal(two.client.threads.decide("bills", { call_2: { type: "reject" } }));
    expect(late.calls).toMatchObject([{ status: "succeeded", decision: { type: "approve", by: "ann" } }]);
    const stale = await terminal.thread("bills").decide({ call_1: { type: "approve" } }).result;
    expect(stale.error?.code).toBe("decision/refused");
    expect(paid).toEqual(["B"]);
  });
});

test("a decision after the expiry is refused, and the call is shown as expired", async () => {
  const expiring = { ...pay, approval: { expiresAfter: 400 } };
  const { client } = await waiting({ turns: [calls("A"), { text: "It expired." }], agent: { tools: [expiring] } });
  const [call] = await pendingOf(client);
  expect(call?.deadline).toBe((call?.since ?? 0) + 400);
  await expect.poll(async () => (await pendingOf(client)).length, { timeout: 3000 }).toBe(0);
  const error = await refusal(client.threads.decide("bills", { call_1: { type: "approve", digest: call?.digest } }));
  expect(error.calls.map(({ id }) => id)).toEqual(["call_1"]);
  await expect
    .poll(async () => (await client.threads.get("bills")).calls.map(({ status }) => status), { timeout: 3000 })
    .toEqual(["expired"]);
  const settled = await refusal(client.threads.decide("bills", { call_1: { type: "approve" } }));
  expect(settled.calls).toMatchObject([{ id: "call_1", status: "expired" }]);
  expect(paid).toEqual([]);
});
