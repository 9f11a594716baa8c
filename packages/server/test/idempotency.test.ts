import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";

import { memoryStore } from "undangle/agent";
import { describe, expect, test } from "vitest";

import { createAnswerMemory } from "../src/answers/answer-memory.ts";
import type { Scope } from "../src/index.ts";
import { serve } from "./serve-fixture.ts";

const turns = [{ text: "One." }, { text: "Two." }];
const ask = { messages: [{ role: "user", content: "Count." }] };
const chat = "/v1/chat/completions";

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

  test("is not done again by a process that comes after one that died in the middle", async () => {
    const store = memoryStore();
    const dead = createAnswerMemory(store);
    const key = hashOf(["default", "local", chat, "k1"]);
    await dead.claim(key, hashOf([chat, ask]));
    const { call, model } = serve({ turns, options: { store } });
    expect(await call("POST", chat, ask, { "idempotency-key": "k1" })).toMatchObject({
      status: 409,
      body: { error: { code: "idempotency-pending" } },
    });
    expect(model.calls).toBe(0);
  });
});

const hashOf = (value: unknown): string => createHash("sha256").update(JSON.stringify(value)).digest("hex");
