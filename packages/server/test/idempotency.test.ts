import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";

import { memoryStore, processName, tool } from "undangle/agent";
import { scriptedModel } from "undangle/testing";
import { describe, expect, test, vi } from "vitest";

import { afterDeath } from "../../undangle/test/engine/after-death.ts";
import { createStoredResponses } from "../src/responses/stored-responses.ts";
import type { Claim } from "../src/responses/stored-responses.ts";
import type { Scope } from "../src/index.ts";
import { serve } from "./serve-fixture.ts";

const turns = [{ text: "One." }, { text: "Two." }];
const ask = { messages: [{ role: "user", content: "Count." }] };
const chat = "/v1/chat/completions";
const [place, pid, begin] = processName().split("/");
const ended = `${place}/4194305/${begin}/x`; // no process has so large an id
const pay = tool({ name: "pay", description: "Pays.", approval: true, execute: () => "paid" });

describe("a POST with an Idempotency-Key", () => {
  test.each([false, true])("is done once, and answered as often as it is sent (streamed: %s)", async (stream) => {
    const { call, model } = serve({ turns });
    const headers = { "idempotency-key": "k1" };
    const first = await call("POST", chat, { ...ask, stream }, headers);
    const again = await call("POST", chat, { ...ask, stream }, headers);
    expect(again.text).toBe(first.text);
    expect([again.status, again.headers["idempotency-replayed"], model.calls]).toEqual([200, "true", 1]);
    expect(again.headers["content-type"]).toBe(first.headers["content-type"]);
  });

  test("waits for the first when both come at once", async () => {
    const { call, model } = serve({ turns: [{ text: "Slow.", delay: 50 }] });
    const headers = { "idempotency-key": "k1" };
    const answers = await Promise.all([1, 2, 3].map(() => call("POST", chat, ask, headers)));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(model.calls).toBe(1);
  });

  test("is refused for another request, and tells keys and projects apart", async () => {
    const { call, model } = serve({ turns });
    await call("POST", chat, ask, { "idempotency-key": "k1" });
    const other = { messages: [{ role: "user", content: "Something else." }] };
    expect(await call("POST", chat, other, { "idempotency-key": "k1" })).toMatchObject({
      status: 422,
      body: { error: { code: "idempotency-conflict" } },
    });
    await call("POST", chat, ask, { "idempotency-key": "k2" });
    expect(model.calls).toBe(2);
  });

  test("may be sent again when it could not be done", async () => {
    const { call } = serve({ turns: [{ error: { status: 500, message: "away" } }, { text: "Now." }] });
    const headers = { "idempotency-key": "k1" };
    expect((await call("POST", chat, ask, headers)).status).toBeGreaterThanOrEqual(500);
    expect((await call("POST", chat, ask, headers)).status).toBe(200);
  });

  test.each([false, true])("is done once also when its first sender has left (streamed: %s)", async (stream) => {
    const { app, call, model } = serve({ turns: [{ text: "Slow but sure.", delay: 100 }] });
    const url = await app.listen({ port: 0, host: "127.0.0.1" });
    const body = { ...ask, stream };
    const headers = { "idempotency-key": "k1", accept: "*/*", "content-type": "application/json" };
    const leaving = new AbortController();
    const first = fetch(url + chat, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
      signal: leaving.signal,
    });
    while (model.calls === 0) await pause(5);
    leaving.abort();
    await expect(first.then((answer) => answer.text())).rejects.toThrow(/abort/u);
    const again = await call("POST", chat, body, headers);
    expect([again.status, again.headers["idempotency-replayed"], model.calls]).toEqual([200, "true", 1]);
    expect(again.text).toContain("sure.");
  });

  test("belongs to the key that has sent it", async () => {
    const { app, call } = serve({ turns });
    await app.ready();
    const make = async (scopes: readonly Scope[]): Promise<Record<string, string>> => {
      const { text } = await app.service.keys.create({ name: "k", scopes, project: "p" });
      return { authorization: `Bearer ${text}`, "idempotency-key": "k1" };
    };
    expect((await call("POST", chat, ask, await make(["chat"]))).status).toBe(200);
    expect((await call("POST", chat, ask, await make(["threads"]))).status).toBe(403);
  });

  describe("whose server is gone", () => {
    const who = { project: "default", by: "local" };
    const claim = (server: string, thread = "none"): Claim => ({
      request: hashOf([chat, ask]),
      ids: ["first"],
      thread,
      newThread: thread,
      server,
    });
    const key = hashOf(["default", "local", chat, "k1"]);
    const headers = { "idempotency-key": "k1" };

    test.each([
      ["another process of this machine", ended],
      ["an earlier process with the same process id", `${place}/${pid}/0/x`],
      ["a closed server of this process", `${processName()}/x`],
    ])("is free if the request had no effect in %s", async (_, server) => {
      const store = memoryStore();
      await createStoredResponses(store, who).claim(key, claim(server));
      const { call, model } = serve({ turns, options: { store } });
      const first = await call("POST", chat, ask, headers);
      const again = await call("POST", chat, ask, headers);
      expect([first.status, again.text, model.calls]).toEqual([200, first.text, 1]);
    });

    test.each([
      ["on this machine", `${place}/${process.ppid}//x`],
      ["on another machine", "elsewhere/1/x"],
      ["in a container with the same host name and process id", `elsewhere/${pid}/${begin}/x`],
    ])("is pending, with its thread, while a server %s may still start the run", async (_, server) => {
      const store = memoryStore();
      await createStoredResponses(store, who).claim(key, claim(server, "t 1"));
      const { call, model } = serve({ turns, options: { store } });
      expect(await call("POST", chat, ask, headers)).toMatchObject({
        status: 409,
        headers: { "retry-after": "2", "x-undangle-thread": "t%201" },
        body: { error: { code: "idempotency-pending" }, undangle: { thread_id: "t 1" } },
      });
      expect(model.calls).toBe(0);
    });

    test("is refused, with its thread, if the message may have been queued", async () => {
      const store = memoryStore();
      const before = serve({ turns: [{ calls: [{ name: "pay" }] }], agent: { tools: [pay] }, options: { store } });
      await before.call("POST", "/threads", { id: "a b" });
      const url = "/threads/a%20b/messages";
      const said = { content: "Pay.", onInput: "queue" };
      const own = hashOf(["default", "local", "/threads/:id/messages", "k1"]);
      await createStoredResponses(store, who).claim(own, {
        ...claim("elsewhere/1/x", "a b"),
        request: hashOf([url, said]),
      });
      await before.call("POST", url, said); // by the server that is gone
      expect(await before.call("POST", url, said, headers)).toMatchObject({
        status: 409,
        headers: { "x-undangle-thread": "a%20b" },
        body: { error: { code: "idempotency-unknown" }, undangle: { thread_id: "a b" } },
      });
    });

    test("is not served twice if the server was only slow", async () => {
      const store = memoryStore();
      const slow = Promise.withResolvers<void>();
      let isWaiting = false;
      const late: typeof store = {
        ...store,
        load: async (id) => {
          if (id === "t") {
            isWaiting = true;
            await slow.promise;
          }
          return store.load(id);
        },
      };
      const one = serve({ turns, options: { store: late } });
      const other = serve({ turns, options: { store } });
      await other.call("POST", "/threads", { id: "t" });
      const body = { ...ask, thread_id: "t" };
      const first = one.call("POST", chat, body, headers);
      await vi.waitUntil(() => isWaiting);
      const memory = createStoredResponses(store, who);
      const known = await memory.claim(key, claim("unused"));
      expect(await other.call("POST", chat, body, headers)).toMatchObject({
        status: 409,
        body: { error: { code: "idempotency-pending" }, undangle: { thread_id: "t" } },
      });
      if (known === undefined) throw new Error("The first request has no claim.");
      await memory.replace(key, known, { ...known, server: ended }); // as if its process were dead
      expect((await other.call("POST", chat, body, headers)).status).toBe(200);
      slow.resolve();
      expect((await first).status).toBe(409);
      expect([one.model.calls, other.model.calls]).toEqual([0, 1]);
    });
  });

  test.each([false, true])("has the texts of both runs after a crash between them (streamed: %s)", async (stream) => {
    const store = memoryStore();
    const look = tool({ name: "look", description: "Looks.", execute: () => "seen" });
    const asked = Promise.withResolvers<void>();
    const late = Promise.withResolvers<{ text: string }>();
    const call = { text: "I look.", calls: [{ name: "look" }] };
    const hanging = () => {
      asked.resolve();
      return late.promise;
    };
    const dying = serve({ turns: [call, hanging], agent: { tools: [look] }, options: { store } });
    const headers = { "idempotency-key": "k1" };
    const body = { ...ask, stream };
    const lost = dying.call("POST", chat, body, headers);
    await asked.promise;
    const next = serve({
      turns: [{ text: "A house." }],
      agent: { tools: [look] },
      options: { store: afterDeath(store) },
    });
    const again = await next.call("POST", chat, body, headers);
    expect([again.status, textIn(again.text)]).toEqual([200, "I look.\n\nA house."]);
    expect(again.text).not.toContain('"error"');
    late.resolve({ text: "Too late." });
    await lost;
  });

  test("of another project or API key cannot be pushed out", async () => {
    const store = memoryStore();
    const claim = { request: "r", ids: ["i"], thread: "t", newThread: "t", server: "s" };
    const own = createStoredResponses(store, { project: "p", by: "key:1" });
    await own.claim("0".repeat(64), claim);
    for (const who of [
      { project: "other", by: "key:1" },
      { project: "p", by: "key:2" },
    ])
      for (let i = 0; i < 40; i++) await createStoredResponses(store, who).claim(`00000000${i}`, claim);
    expect(await own.claim("0".repeat(64), claim)).toMatchObject(claim);
  });

  test("that was used for another request names the thread of the first", async () => {
    const { call } = serve({ turns });
    const headers = { "idempotency-key": "k1" };
    const { headers: first } = await call("POST", chat, ask, headers);
    expect(await call("POST", chat, { ...ask, stream: true }, headers)).toMatchObject({
      status: 422,
      headers: { "x-undangle-thread": first["x-undangle-thread"] },
      body: { error: { code: "idempotency-conflict" }, undangle: { thread_id: first["x-undangle-thread"] } },
    });
  });

  test("of a route without threads is free if its response was too long to be kept", async () => {
    const { call } = serve();
    const messages = [{ role: "user", content: "x".repeat(200_000) }];
    const headers = { "idempotency-key": "k1" };
    const send = () => call("POST", "/repair", { messages, format: "openai-chat" }, headers);
    expect([(await send()).status, (await send()).status]).toEqual([200, 200]);
  });

  test("whose answer was too long to be kept is answered from the thread", async () => {
    const text = "A long story. ".repeat(20_000);
    const { call, model } = serve({ turns: [{ text }] });
    for (const stream of [false, true]) {
      const headers = { "idempotency-key": `long ${stream}` };
      const first = await call("POST", chat, { ...ask, stream }, headers);
      const again = await call("POST", chat, { ...ask, stream }, headers);
      expect([again.status, again.headers["idempotency-replayed"]]).toEqual([200, "true"]);
      expect(textIn(again.text)).toBe(textIn(first.text));
    }
    expect(model.calls).toBe(2);
  });

  test("whose stream was too long to be kept gets the events of the thread again, with long results", async () => {
    const result = "A long result. ".repeat(20_000);
    const read = tool({ name: "read", description: "Reads.", execute: () => result });
    const { call } = serve({ turns: [{ calls: [{ name: "read" }] }, { text: "Done." }], agent: { tools: [read] } });
    await call("POST", "/threads", { id: "t" });
    const headers = { "idempotency-key": "k1", accept: "text/event-stream" };
    const send = () => call("POST", "/threads/t/messages", { content: "Go." }, headers);
    const endIn = (text: string): unknown =>
      JSON.parse(/^event: tool_call_end\ndata: (.*)$/mu.exec(text)?.[1] ?? "null");
    const first = await send();
    expect(endIn(first.text)).toMatchObject({ success: true, result });
    expect(endIn((await send()).text)).toEqual(endIn(first.text));
  });

  test.each([false, true])("continues in its thread after a failure (streamed: %s)", async (stream) => {
    const { call } = serve({ turns: [{ error: { status: 400, message: "away" } }, { text: "Now." }] });
    const headers = { "idempotency-key": "k1" };
    const body = { ...ask, stream };
    const failed = await call("POST", chat, body, headers);
    expect(failed.body["undangle"]).toEqual({ thread_id: failed.headers["x-undangle-thread"] });
    const again = await call("POST", chat, body, headers);
    expect([failed.status, again.status]).toEqual([502, 200]);
    expect(again.headers).not.toHaveProperty("idempotency-replayed");
    expect(again.headers["x-undangle-thread"]).toBe(failed.headers["x-undangle-thread"]);
    expect(await call("POST", chat, body, headers)).toMatchObject({
      text: again.text,
      headers: { "idempotency-replayed": "true" },
    });
    expect((await call("GET", "/threads")).body["data"]).toHaveLength(1);
  });

  test("continues after a stream that ended with an error, and no tool runs twice", async () => {
    let paid = 0;
    const charge = tool({ name: "charge", description: "Charges.", execute: () => `paid ${(paid += 1)}` });
    const { call, model } = serve({
      turns: [
        { text: "I pay.", calls: [{ name: "charge" }] },
        { text: "Half of", error: { status: 400, message: "away" } },
        { text: "All of it." },
      ],
      agent: { tools: [charge] },
    });
    const headers = { "idempotency-key": "k1" };
    const body = { ...ask, stream: true };
    const failed = await call("POST", chat, body, headers);
    expect([failed.status, failed.text.includes('"error"')]).toEqual([200, true]);
    const again = await call("POST", chat, body, headers);
    expect(again.text).not.toContain('"error"');
    expect(textIn(again.text)).toContain("All of it.");
    expect((await call("POST", chat, body, headers)).text).toBe(again.text);
    expect([paid, model.calls]).toEqual([1, 3]);
  });

  test("replays a response without the text that was discarded on the way", async () => {
    const model = scriptedModel([{ text: "Wrong." }, { discard: "broken" }, { text: "Right." }], { loop: true });
    const { call } = serve({ config: { agents: { helper: { model } } } });
    const headers = { "idempotency-key": "k1" };
    const body = { ...ask, stream: true };
    const first = await call("POST", chat, body, headers);
    expect(first.text).toContain("model/discarded");
    const again = await call("POST", chat, body, headers);
    expect([again.status, textIn(again.text)]).toEqual([200, "Right."]);
    expect(again.text).toContain("data: [DONE]");
    expect(model.calls).toBe(1);
  });
});

const hashOf = (value: unknown): string => createHash("sha256").update(JSON.stringify(value)).digest("hex");

/** The text of an answer, whole or streamed. */
const textIn = (body: string): string =>
  [...body.matchAll(/"content":("(?:[^"\\]|\\.)*")/gu)].map(([, text = '""']) => String(JSON.parse(text))).join("");
