import { memoryStore, tool } from "undangle/agent";
import type { Store } from "undangle/agent";
import type { Config } from "undangle/config";
import { scriptedModel } from "undangle/testing";
import { describe, expect, test } from "vitest";

import { serve } from "./serve-fixture.ts";
import type { Served } from "./serve-fixture.ts";

const chat = "/v1/chat/completions";
const ran = (name: string) => tool({ name, description: "Does it.", execute: () => "done" });
const pay = tool({ name: "pay", description: "Pays.", approval: true, execute: () => "paid" });
const theirs = (name: string): object => ({ type: "function", function: { name, parameters: { type: "object" } } });
const say = (content: string, more: object = {}): object => ({ messages: [{ role: "user", content }], ...more });

/** Two personas; the model pays when it is told to, asks for the weather when it is asked, and is content otherwise. */
function config(more: { readonly helper?: readonly string[]; readonly models?: Config["models"] } = {}): Config {
  const model = scriptedModel(
    [
      ({ messages }) => {
        const last = messages.at(-1);
        const text = JSON.stringify(last);
        if (last?.role === "user" && text.includes("Pay")) return { calls: [{ name: "pay" }] };
        return last?.role === "user" && text.includes("Weather") ? { calls: [{ name: "weather" }] } : { text: "Well." };
      },
    ],
    { loop: true },
  );
  return {
    agents: {
      helper: { model, tools: [pay, ran("ls"), ...(more.helper ?? []).map(ran)] },
      clerk: { model, tools: [ran("weather")] },
    },
    models: more.models ?? { other: model },
  };
}

async function waiting(store: Store = memoryStore()): Promise<Served> {
  const served = serve({ config: config(), options: { store } });
  for (const id of ["victim", "other"]) {
    await served.call("POST", "/threads", { id });
    await served.call("POST", chat, say("Pay.", { thread_id: id, tools: [theirs("weather")] }));
  }
  return served;
}

const queued = async ({ call }: Pick<Served, "call">): Promise<readonly unknown[]> => {
  const { status, body } = await call("GET", "/queue");
  const data = body["data"] as readonly { id: string; pending: readonly unknown[] }[] | undefined;
  const rows = (data ?? []).toSorted((one, other) => one.id.localeCompare(other.id));
  return [status, ...rows.map(({ id, pending }) => [id, pending.length])];
};

const bothWait = [200, ["other", 1], ["victim", 1]];

describe("what is refused leaves the thread as it was", () => {
  test.each([
    [
      "a chat whose tool has the name of the persona's",
      "POST",
      chat,
      say("Hi.", { thread_id: "victim", tools: [theirs("ls")] }),
    ],
    [
      "a chat with another persona whose tool has the name of theirs",
      "POST",
      chat,
      say("Hi.", { thread_id: "victim", personality_id: "clerk" }),
    ],
    ["a persona whose tool has the name of theirs", "PATCH", "/threads/victim", { persona: "clerk", title: "x" }],
  ] as const)("%s", async (_, method, url, body) => {
    const served = await waiting();
    const { call } = served;
    const before = (await call("GET", "/threads/victim")).body;
    expect(await call(method, url, body)).toMatchObject({ status: 400, body: { error: { code: "tool/duplicate" } } });
    expect((await call("GET", "/threads/victim")).body).toEqual(before);
    expect(await queued(served)).toEqual(bothWait);
    for (const path of ["export", "allowances"])
      expect((await call("GET", `/threads/victim/${path}`)).status).toBe(200);
    expect(await call("POST", "/threads/victim/decisions?wait=true", { all: "approve" })).toMatchObject({
      body: { status: "done", text: "Well." },
    });
    expect((await call("DELETE", "/threads/victim")).status).toBe(204);
  });

  test("a run that goes on is not stopped by it", async () => {
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<{ text: string }>();
    const { call } = serve({
      agent: { tools: [ran("ls")] },
      turns: [
        () => {
          asked.resolve();
          return answer.promise;
        },
      ],
    });
    await call("POST", "/threads", { id: "t" });
    const first = call("POST", chat, say("Hi.", { thread_id: "t" }));
    await asked.promise;
    expect((await call("POST", chat, say("No.", { thread_id: "t", tools: [theirs("ls")] }))).status).toBe(400);
    answer.resolve({ text: "Hello." });
    expect(await first).toMatchObject({ status: 200, body: { choices: [{ message: { content: "Hello." } }] } });
  });

  test.each([
    ["its metadata is too long", { metadata: { big: "x".repeat(20_000) } }],
    ["its title is not well-formed", { title: "\ud800" }],
    ["its persona has tools with the names of theirs", { persona: "clerk" }],
  ])("a deleted thread stays deleted where %s", async (_, change) => {
    const { call } = await waiting();
    await call("DELETE", "/threads/victim");
    expect((await call("PATCH", "/threads/victim", { deleted: false, ...change })).status).toBe(400);
    expect((await call("GET", "/threads/victim")).status).toBe(410);
  });
});

describe("threads live on when the config changes", () => {
  test("a tool of the persona takes the place of theirs with the same name", async () => {
    const store = memoryStore();
    const { app } = await waiting(store);
    await app.close();
    const served = serve({ config: config({ helper: ["weather"] }), options: { store } });
    const { call } = served;
    expect(await queued(served)).toEqual(bothWait);
    expect((await call("PATCH", "/threads/victim", { title: "Bills" })).body).toMatchObject({ title: "Bills" });
    await call("POST", "/threads/victim/decisions?wait=true", { all: "approve" });
    await call("POST", chat, say("Weather?", { thread_id: "victim" }));
    const { calls } = (await call("GET", "/threads/victim")).body as { calls: readonly object[] };
    expect(calls).toMatchObject([{ name: "pay" }, { name: "weather", status: "succeeded", result: "done" }]);
    expect((await call("DELETE", "/threads/other")).status).toBe(204);
  });

  test("nobody can give the result of the persona's tool in its place", async () => {
    const store = memoryStore();
    const before = serve({ config: config(), options: { store } });
    await before.call("POST", "/threads", { id: "t" });
    await before.call("POST", chat, say("Weather?", { thread_id: "t", tools: [theirs("weather")] }));
    await before.app.close();
    const { call } = serve({ config: config({ helper: ["weather"] }), options: { store } });
    const result = { role: "tool", tool_call_id: "call_1", content: "30" };
    expect(await call("POST", chat, { messages: [result], thread_id: "t" })).toMatchObject({
      status: 403,
      body: { error: { code: "call-not-yours" } },
    });
  });

  test("a model that is gone leaves the thread to the persona's own", async () => {
    const store = memoryStore();
    const before = serve({ config: config(), options: { store } });
    await before.call("POST", "/threads", { id: "t" });
    await before.call("POST", chat, say("Hi.", { thread_id: "t", model: "other" }));
    expect((await before.call("GET", "/threads")).body).toMatchObject({ data: [{ model: "other" }] });
    await before.app.close();
    const { call } = serve({ config: config({ models: {} }), options: { store } });
    expect(await call("GET", "/threads/t")).toMatchObject({ status: 200, body: { model: null } });
    expect(await call("GET", "/threads")).toMatchObject({ body: { data: [{ model: null }] } });
    expect((await call("POST", chat, say("Hi.", { thread_id: "t" }))).status).toBe(200);
  });
});

test("one thread that cannot be read does not take the queue down", async () => {
  const own = memoryStore();
  const store: Store = {
    ...own,
    entries(id, range) {
      if (id === "victim") throw new SyntaxError("Unexpected end of JSON input at /home/somebody");
      return own.entries(id, range);
    },
  };
  await (await waiting(own)).app.close();
  const { call } = serve({ config: config(), options: { store } });
  const { status, body } = await call("GET", "/queue");
  const data = (body["data"] as readonly { id: string }[]).toSorted((one, other) => one.id.localeCompare(other.id));
  expect(status).toBe(200);
  expect(data).toMatchObject([
    { id: "other", pending: [{ name: "pay" }] },
    { id: "victim", pending: [], error: { code: "internal" } },
  ]);
  expect(JSON.stringify(body)).not.toContain("somebody");
  expect((await call("DELETE", "/threads/victim")).status).toBe(204);
});

describe("decisions about many unknown calls", () => {
  const about = (count: number): object => ({
    decisions: Object.fromEntries(Array.from({ length: count }, (_, n) => [`none_${n}`, { type: "approve" }])),
  });

  test("are refused before the thread is read if there are more than 500", async () => {
    const { call } = await waiting();
    expect(await call("POST", "/threads/victim/decisions", about(501))).toMatchObject({
      status: 400,
      body: { error: { code: "parameter-invalid", param: "decisions" } },
    });
  });

  test("are refused with each call", async () => {
    const { call } = await waiting();
    const { status, body } = await call("POST", "/threads/victim/decisions", about(500));
    expect(status).toBe(409);
    expect(body).toMatchObject({
      error: { code: "decision/refused", message: expect.stringMatching(/; and 490 more\.$/u) as unknown },
      undangle: { calls: { length: 500 } },
    });
  });
});
