import { tool } from "undangle/agent";
import { createClient, ServerRefusal } from "undangle/client";
import type { Client } from "undangle/client";
import { describe, expect, test } from "vitest";

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
