import { memoryStore, subagents, tool } from "undangle/agent";
import type { Store } from "undangle/agent";
import { createClient } from "undangle/client";
import { scriptedModel } from "undangle/testing";
import type { ScriptedTurn } from "undangle/testing";
import { describe, expect, test } from "vitest";

import { serve } from "./serve-fixture.ts";

const pay = tool({ name: "pay", description: "Pays.", approval: true, execute: () => "paid" });
const proposing = { agent: { tools: [pay] }, turns: [{ calls: [{ name: "pay" }] }, { text: "Paid." }] };

test("what is always allowed is listed, holds, and is decided about again when it is taken back", async () => {
  const { app } = serve(proposing);
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  const { threads } = createClient({ url });
  const { id } = await threads.create();
  await threads.send(id, "Pay.");
  expect(await threads.allowances(id)).toEqual([]);
  const always = { scope: "agent", match: "arguments" } as const;
  await threads.decide(id, { call_1: { type: "approve", always } });
  const [allowance] = await threads.allowances(id);
  expect(allowance).toMatchObject({
    tool: "pay",
    ...always,
    arguments: {},
    threadId: id,
    callId: "call_1",
    by: "local",
  });

  const other = await threads.create();
  expect(await threads.send(other.id, "Pay.")).toMatchObject({ status: "done", text: "Paid." });
  expect(await threads.allowances(other.id)).toEqual([allowance]);
  await threads.revoke(other.id, allowance?.id ?? "");
  expect(await threads.allowances(id)).toEqual([]);
  expect((await threads.send(other.id, "Pay.")).status).toBe("waiting");

  await threads.decide(other.id, { call_2: { type: "approve", always: { scope: "thread" } } });
  const [own] = await threads.allowances(other.id);
  expect([own?.scope, own?.match, await threads.allowances(id)]).toEqual(["thread", "tool", []]);
  await expect(threads.revoke(id, own?.id ?? "")).rejects.toMatchObject({ status: 404, code: "allowance/unknown" });
  await threads.revoke(other.id, own?.id ?? "");
  expect((await threads.send(other.id, "Pay.")).status).toBe("waiting");
});

test("what is allowed in the threads of a project is shown with the ids that it knows, and is nothing to others", async () => {
  const { app, call } = serve(proposing);
  await app.ready();
  const headersOf = async (project: string) => {
    const { text } = await app.service.keys.create({ name: project, scopes: ["threads", "approve"], project });
    return { authorization: `Bearer ${text}` };
  };
  const [one, two] = [await headersOf("one"), await headersOf("two")];
  for (const headers of [one, two]) {
    await call("POST", "/threads", { id: "t" }, headers);
    await call("POST", "/threads/t/messages?wait=true", { content: "Pay." }, headers);
  }
  const decisions = { call_1: { type: "approve", always: { scope: "agent" } } };
  await call("POST", "/threads/t/decisions?wait=true", { decisions }, one);
  expect((await call("GET", "/threads/t/allowances", undefined, one)).body).toMatchObject({
    data: [{ threadId: "t" }],
  });
  expect((await call("GET", "/threads/t/allowances", undefined, two)).body).toEqual({ data: [] });
});

test("the allowances of a project are those of its personas and its threads, and each can be revoked, also without its thread", async () => {
  const paying = () => ({ model: scriptedModel(proposing.turns, { loop: true }), tools: [pay] });
  const { app } = serve({ config: { agents: { helper: paying(), clerk: paying() } } });
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  const { threads, ...client } = createClient({ url });
  const allow = async (id: string, persona: string, scope: "thread" | "agent") => {
    await threads.create({ id, persona });
    await threads.send(id, "Pay.");
    await threads.decide(id, { call_1: { type: "approve", always: { scope } } });
  };
  await allow("a", "helper", "thread");
  await allow("b", "clerk", "agent");
  await threads.create({ id: "none" });
  const all = await client.allowances();
  expect(all.map(({ persona, scope, threadId, by }) => [persona, scope, threadId, by])).toEqual([
    ["clerk", "agent", "b", "local"],
    ["helper", "thread", "a", "local"],
  ]);
  await threads.delete("b", { purge: true });
  const [ofAgent, ofThread] = await client.allowances();
  expect(ofAgent).toEqual(all[0]);
  await client.revokeAllowance(ofAgent?.id ?? "");
  await client.revokeAllowance(ofThread?.id ?? "");
  expect(await client.allowances()).toEqual([]);
  await expect(client.revokeAllowance(ofThread?.id ?? "")).rejects.toMatchObject({
    status: 404,
    code: "allowance/unknown",
  });
  expect((await threads.send("a", "Pay.")).status).toBe("waiting");
  await threads.create({ id: "c", persona: "clerk" });
  expect((await threads.send("c", "Pay.")).status).toBe("waiting");
});

test("an allowance of a sub-agent is listed with the thread, and revoked", async () => {
  const turns: ScriptedTurn[] = [
    { calls: [{ name: "task", arguments: { description: "Pay.", subagent_type: "general-purpose" } }] },
    { calls: [{ name: "pay" }] },
    { calls: [{ name: "mail" }] },
    { calls: [{ name: "pay" }] },
  ];
  const mail = tool({ name: "mail", description: "Mails.", approval: true, execute: () => "sent" });
  const { app } = serve({ agent: { tools: [pay, mail], middleware: [subagents()] }, turns });
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  const { threads, ...client } = createClient({ url });
  await threads.create({ id: "a", title: "Bills" });
  await threads.send("a", "Pay.");
  await threads.decide("a", { "call_1/call_1": { type: "approve", always: true } });
  const [allowance, ...others] = await client.allowances();
  expect([allowance, others]).toMatchObject([{ tool: "pay", threadId: "a/call_1", threadTitle: "Bills" }, []]);
  expect(await threads.allowances("a")).toMatchObject([{ id: allowance?.id }]);
  await client.revokeAllowance(allowance?.id ?? "");
  const { pending } = await threads.decide("a", { "call_1/call_2": { type: "approve" } });
  expect(pending).toMatchObject([{ id: "call_1/call_3", name: "pay" }]);
  await threads.decide("a", { "call_1/call_3": { type: "approve", always: { scope: "agent" } } });
  expect(await threads.allowances("a")).toMatchObject([{ tool: "pay", scope: "agent" }]);
});

describe("the allowances of a project whose threads change while they are read", () => {
  const allowing = async (store: Store, fillers: number) => {
    const { app } = serve({ ...proposing, options: { store } });
    const client = createClient({ url: await app.listen({ port: 0, host: "127.0.0.1" }) });
    await client.threads.create({ id: "a" });
    await client.threads.send("a", "Pay.");
    await client.threads.decide("a", { call_1: { type: "approve", always: { scope: "thread" } } });
    const [allowance] = await client.allowances();
    for (let n = 0; n < fillers; n++) await client.threads.create({ id: `t${n}` });
    return { client, id: allowance?.id ?? "" };
  };

  test("contain those of a thread that moves from a later page to an earlier one", async () => {
    const own = memoryStore();
    const meanwhile: { change?: (() => Promise<unknown>) | undefined } = {};
    const list: Store["list"] = async (query) => {
      if (query?.after !== undefined) await meanwhile.change?.();
      return own.list(query);
    };
    const { client, id } = await allowing({ ...own, list }, 200);
    meanwhile.change = () => client.threads.update("a", { title: "Bills" });
    expect(await client.allowances()).toMatchObject([{ id }]);
    await client.revokeAllowance(id);
    expect(await client.allowances()).toEqual([]);
  });

  test("are listed without those of a thread that is deleted meanwhile", async () => {
    const own = memoryStore();
    const meanwhile: { change?: (() => Promise<unknown>) | undefined } = {};
    const list: Store["list"] = async (query) => {
      const found = await own.list(query);
      await meanwhile.change?.();
      meanwhile.change = undefined;
      return found;
    };
    const { client } = await allowing({ ...own, list }, 0);
    meanwhile.change = () => client.threads.delete("a");
    expect(await client.allowances()).toEqual([]);
  });

  test("are listed without those of a thread that cannot be read, which are not unknown", async () => {
    const own = memoryStore();
    const { id } = await allowing(own, 0);
    const entries: Store["entries"] = (thread, range) =>
      thread === "a" ? Promise.reject(new Error("damaged")) : own.entries(thread, range);
    const { call } = serve({ ...proposing, options: { store: { ...own, entries } } });
    expect(await call("GET", "/allowances")).toMatchObject({ status: 200, body: { data: [] } });
    expect((await call("DELETE", `/allowances/${id}`)).status).toBe(500);
  });
});

test("the allowances of another project are neither listed nor revoked", async () => {
  const { app, call } = serve(proposing);
  await app.ready();
  const headersOf = async (project: string) => {
    const { text } = await app.service.keys.create({ name: project, scopes: ["threads", "approve"], project });
    return { authorization: `Bearer ${text}` };
  };
  const [one, two] = [await headersOf("one"), await headersOf("two")];
  await call("POST", "/threads", { id: "t" }, one);
  await call("POST", "/threads/t/messages?wait=true", { content: "Pay." }, one);
  const decisions = { call_1: { type: "approve", always: { scope: "thread" } } };
  await call("POST", "/threads/t/decisions?wait=true", { decisions }, one);
  const { body } = await call("GET", "/allowances", undefined, one);
  const [{ id } = { id: "" }] = body["data"] as readonly { readonly id: string }[]; // as the client types it
  expect((await call("GET", "/allowances", undefined, two)).body).toEqual({ data: [] });
  expect((await call("DELETE", `/allowances/${id}`, undefined, two)).status).toBe(404);
  expect((await call("DELETE", `/allowances/${id}`, undefined, one)).status).toBe(204);
});
