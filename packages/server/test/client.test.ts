import { connect, createServer as createProxy } from "node:net";
import type { AddressInfo, Socket } from "node:net";

import { tool } from "undangle/agent";
import { createClient, ServerRefusal } from "undangle/client";
import type { Client } from "undangle/client";
import { scriptedModel } from "undangle/testing";
import { describe, expect, onTestFinished, test } from "vitest";

import { serve } from "./serve-fixture.ts";
import type { Stage } from "./serve-fixture.ts";

const pay = tool({ name: "pay", description: "Pays.", approval: true, execute: () => "paid" });

async function connected(stage: Stage): Promise<{ readonly client: Client; readonly url: string }> {
  const { app } = serve(stage);
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  return { client: createClient({ url }), url };
}

describe("the client", () => {
  test("speaks, decides, and reads the thread", async () => {
    const { client } = await connected({
      agent: { tools: [pay] },
      turns: [{ calls: [{ name: "pay" }, { name: "pay" }] }, { text: "Done." }],
    });
    const { id } = await client.threads.create({ title: "Bills" });
    const { status, pending } = await client.threads.send(id, "Pay.");
    expect([status, pending.length]).toEqual(["waiting", 2]);
    expect((await client.queue()).map((each) => each.id)).toEqual([id]);
    const summary = await client.threads.pending(id);
    expect([summary.status, summary.pending, "messages" in summary]).toEqual(["waiting", pending, false]);
    expect((await client.threads.decide(id, { call_1: { type: "reject", reason: "no" } })).status).toBe("waiting");
    expect((await client.threads.approveAll(id)).text).toBe("Done.");
    const { calls, title } = await client.threads.get(id);
    expect([title, calls.map((call) => call["status"])]).toEqual(["Bills", ["rejected", "succeeded"]]);
    expect((await client.threads.list({ q: "Bills" })).data).toHaveLength(1);
    const fork = await client.threads.fork(id);
    expect(await client.threads.export(fork.id, "openai-chat")).toHaveLength(5);
    await client.threads.delete(id);
    expect((await client.threads.restore(id)).deleted_at).toBeNull();
  });

  test("chooses the model of a thread, and returns to the model of its persona", async () => {
    const named = (name: string) => scriptedModel([{ text: `I am ${name}.` }], { loop: true });
    const agents = { helper: { model: named("own") }, other: { model: named("another") } };
    const { client } = await connected({ config: { agents, models: { fast: named("fast"), deep: named("deep") } } });
    const { threads } = client;
    const answer = async (id: string): Promise<string> => (await threads.send(id, "Who?")).text;
    expect(await client.models()).toEqual(["fast", "deep"]);
    const { id, model } = await threads.create();
    expect([model, await answer(id)]).toEqual([null, "I am own."]);
    expect((await threads.update(id, { model: "fast" })).model).toBe("fast");
    expect(await answer(id)).toBe("I am fast.");
    expect(await threads.update(id, { persona: "other" })).toMatchObject({ persona: "other", model: "fast" });
    expect((await threads.update(id, { title: "Names" })).model).toBe("fast");
    const shown = [await threads.get(id), await threads.pending(id), (await threads.list()).data[0]];
    expect(shown.map((each) => each?.model)).toEqual(["fast", "fast", "fast"]);
    const refused = await threads.update(id, { model: "slow", title: "Other" }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ status: 404, code: "model_not_found" });
    expect(String(refused)).toContain("Known: fast, deep.");
    expect(await threads.get(id)).toMatchObject({ title: "Names", model: "fast" });
    expect(await threads.update(id, { model: null })).toMatchObject({ persona: "other", model: null });
    expect(await answer(id)).toBe("I am another.");
    expect(await answer((await threads.create({ model: "deep" })).id)).toBe("I am deep.");
  });

  test("opens a stream again that the network has dropped without closing it", async () => {
    const { client, url } = await connected({ turns: [{ text: "Hello." }] });
    const { id } = await client.threads.create();
    const network = await silentNetwork(url);
    const states: string[] = [];
    const stream = createClient({ url: network.url }).threads.events(id, {
      idleTimeout: 1000,
      onConnection: (state) => {
        if (states.length === 0) network.drop();
        states.push(state);
      },
    });
    const events = stream[Symbol.asyncIterator]();
    const first = events.next();
    await expect.poll(() => states, { timeout: 10_000 }).toEqual(["open", "lost", "open"]);
    await client.threads.send(id, "Hi.");
    expect((await first).value).toMatchObject({ type: "run_start" });
    await events.return?.();
  });

  test("sends a message with a mode", async () => {
    const look = tool({ name: "look", description: "Looks.", annotations: { readOnly: true }, execute: () => "seen" });
    const { client } = await connected({
      agent: { tools: [pay, look] },
      turns: [{ calls: [{ name: "pay" }, { name: "look" }] }, { text: "A plan." }],
    });
    const { id } = await client.threads.create();
    expect(await client.threads.send(id, "How?", { mode: "plan" })).toMatchObject({ status: "done", text: "A plan." });
    const { calls } = await client.threads.get(id);
    expect(calls.map((call) => call["status"])).toEqual(["failed", "succeeded"]);
    for await (const event of client.threads.events(id)) {
      expect(event).toMatchObject({ type: "run_start", data: { mode: "plan" } });
      break;
    }
  });

  test("writes, lists, reads and deletes files, and sends some with a message", async () => {
    const { client } = await connected({ turns: [{ text: "Done." }] });
    const { threads } = client;
    const { id } = await threads.create({ id: "a b" });
    const all = Uint8Array.from({ length: 256 }, (_, i) => i);
    await threads.writeFile(id, "/bytes.bin", all);
    await threads.writeFile(id, "notes//漢 ?#&+;.txt", "$& 文");
    expect(await threads.readFile(id, "bytes.bin")).toEqual(all);
    expect(new TextDecoder().decode(await threads.readFile(id, "/notes/漢 ?#&+;.txt"))).toBe("$& 文");
    expect(await threads.files(id, { prefix: "/notes/" })).toMatchObject([{ path: "/notes/漢 ?#&+;.txt", size: 6 }]);
    await threads.writeFile(id, "/bytes.bin", "");
    expect((await threads.readFile(id, "/bytes.bin")).length).toBe(0);
    await threads.deleteFile(id, "/bytes.bin");
    const missing = { status: 404, code: "file/missing" };
    await expect(threads.deleteFile(id, "/bytes.bin")).rejects.toMatchObject(missing);
    await expect(threads.readFile(id, "/bytes.bin")).rejects.toMatchObject(missing);
    await expect(threads.writeFile("none", "/a", "x")).rejects.toMatchObject({ status: 404, code: "thread/unknown" });
    await threads.send(id, "Read.", { files: { "/in.txt": "given", "/notes/漢 ?#&+;.txt": null } });
    expect((await threads.files(id)).map(({ path }) => path)).toEqual(["/in.txt"]);
  });

  test("a path never leads to another route", async () => {
    const { client } = await connected({});
    const { threads } = client;
    const { id } = await threads.create({ title: "Bills" });
    for (const path of ["..", "../../other", "a/../../..", "/../files/x"])
      await expect(threads.deleteFile(id, path)).rejects.toThrow('remove the segment ".."');
    for (const path of ["%2e%2e", "a\\..\\b", "a%2fb", "\u0000", "", "/"])
      await expect(threads.deleteFile(id, path)).rejects.toMatchObject({ status: 400, code: "file/path" });
    expect((await threads.get(id)).title).toBe("Bills");
  });

  test("forgets the token of a session that it closes", async () => {
    const tokens: (string | null)[] = [];
    const answer = (init: RequestInit | undefined): Response => {
      tokens.push(new Headers(init?.headers).get("x-undangle-csrf"));
      if (init?.method === "DELETE") return new Response(null, { status: 204 });
      return Response.json({ csrf_token: "secret", data: [] });
    };
    const client = createClient({
      url: "http://localhost:4111",
      fetch: (_url, init) => Promise.resolve(answer(init)),
    });
    await client.session.open("ud_key");
    await client.session.close();
    await client.personas();
    expect(tokens).toEqual([null, "secret", null]);
  });

  test("reads the whole queue, page by page", async () => {
    const { client, url } = await connected({ agent: { tools: [pay] }, turns: [{ calls: [{ name: "pay" }] }] });
    for (let i = 0; i < 203; i++) {
      await client.threads.create({ id: `t${i}` });
      await client.threads.send(`t${i}`, "Pay.");
    }
    const waiting = await client.queue();
    expect(new Set(waiting.map(({ id }) => id)).size).toBe(203);
    expect(waiting.every(({ pending }) => pending.length === 1)).toBe(true);
    const page = async (query: string) =>
      (await (await fetch(`${url}/queue${query}`)).json()) as { data: unknown[]; next_cursor: string | null };
    const first = await page("?limit=200");
    const { data, next_cursor: end } = await page(`?cursor=${first.next_cursor ?? ""}`);
    expect([first.data.length, data.length, end]).toEqual([200, 3, null]);
    expect((await fetch(`${url}/queue?cursor=x`)).status).toBe(400);
  });

  test("follows the events of a thread, also over a connection that breaks", async () => {
    const { client, url } = await connected({ turns: [{ text: "One two three four." }] });
    const { id } = await client.threads.create();
    await client.threads.send(id, "Count.");
    let requests = 0;
    const breaking = createClient({
      url,
      async fetch(...args) {
        requests++;
        const answer = await fetch(...args);
        if (requests > 1 || answer.body === null) return answer;
        let bytes = new Uint8Array();
        for await (const piece of answer.body) {
          bytes = new Uint8Array([...bytes, ...(piece as Uint8Array)]); // those of answers are
          if (new TextDecoder().decode(bytes).includes("run_end")) break;
        }
        return new Response(bytes.slice(0, Math.floor(bytes.length * 0.7)), answer);
      },
    });
    const seen: string[] = [];
    for await (const { id: place, type } of breaking.threads.events(id)) {
      seen.push(place);
      if (type === "run_end") break;
    }
    expect(requests).toBeGreaterThan(1);
    expect(new Set(seen).size).toBe(seen.length);
  });

  test("throws what the server refuses, by its code", async () => {
    const { client } = await connected({});
    await expect(client.threads.get("none")).rejects.toMatchObject({ status: 404, code: "thread/unknown" });
    await expect(client.threads.get("none")).rejects.toBeInstanceOf(ServerRefusal);
  });

  test("names the thread of an Idempotency-Key that was used for another request", async () => {
    const { client } = await connected({});
    const { id } = await client.threads.create({ id: "a b" });
    await client.threads.send(id, "One.", { idempotencyKey: "k" });
    await expect(client.threads.send(id, "Two.", { idempotencyKey: "k" })).rejects.toMatchObject({
      code: "idempotency-conflict",
      threadId: "a b",
    });
  });
});

/** A network that can drop its connections: they stay open, and nothing passes any more. */
async function silentNetwork(url: string): Promise<{ readonly url: string; readonly drop: () => void }> {
  const sockets: Socket[] = [];
  const proxy = createProxy((near) => {
    const far = connect(Number(new URL(url).port), "127.0.0.1");
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.push(from);
      from.pipe(to);
      from.on("error", () => to.destroy());
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  const { port } = proxy.address() as AddressInfo; // the address of a port
  return {
    url: `http://127.0.0.1:${port}`,
    drop: () => {
      for (const socket of sockets) socket.unpipe().pause();
    },
  };
}
