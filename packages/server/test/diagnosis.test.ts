import { createAgent, memoryStore, tool } from "undangle/agent";
import { anthropic, openaiCompatible } from "undangle/models";
import { scriptedModel, wireServer } from "undangle/testing";
import type { ScriptedTurn, WireServer } from "undangle/testing";
import { describe, expect, onTestFinished, test } from "vitest";

import { createExchangeRecords } from "../src/projects/store/exchange-records.ts";
import type { Commit } from "../src/projects/store/watched-store.ts";
import type { Scope, ServerOptions } from "../src/index.ts";
import { serve } from "./serve-fixture.ts";
import type { Served } from "./serve-fixture.ts";

const broken = [
  { role: "user", content: "Pay." },
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "a", type: "function", function: { name: "pay", arguments: "{}" } }],
  },
  { role: "user", content: "Well?" },
];
const key = "sk-test-abcdefgh12345678";

interface Wired extends Served {
  readonly provider: WireServer;
}

/** A server whose model asks a provider over HTTP. */
async function wired(turns: readonly ScriptedTurn[], options: ServerOptions = {}): Promise<Wired> {
  const provider = await wireServer({ turns });
  onTestFinished(() => provider.close());
  const model = openaiCompatible({ baseURL: provider.baseUrl("openai-chat"), apiKey: key, env: {}, retryDelay: 1 })(
    "m",
  );
  const config = { agents: { helper: { model, instructions: "Be brief." } } };
  return { ...serve({ config, options }), provider };
}

const send = (served: Served, content: string) => served.call("POST", "/threads/t/messages?wait=true", { content });

describe("GET /threads/:id/repairs", () => {
  test("has the edits of the import, with the error that they avoid", async () => {
    const { call } = serve();
    const imported = await call("POST", "/threads/import", { history: broken, id: "t" });
    const { status, body } = await call("GET", "/threads/t/repairs");
    const repairs = body["data"] as readonly { readonly edit: unknown }[];
    expect(status).toBe(200);
    expect(repairs.map(({ edit }) => edit)).toStrictEqual(imported.body["edits"]);
    expect(repairs[0]).toMatchObject({
      source: "import",
      rule: "unanswered-call",
      edit: { lossless: true, reconstructed: false },
      avoided: { provider: "openai" },
      entry: 2,
    });
  });

  test("is empty for a new thread", async () => {
    const { call } = serve();
    await call("POST", "/threads", { id: "t" });
    expect((await call("GET", "/threads/t/repairs")).body).toStrictEqual({ data: [] });
  });
});

describe("GET /threads/:id/responses/:n/request and /response", () => {
  test("show the exchange of a turn, written again", async () => {
    const served = await wired([{ text: "Hello." }]);
    await served.call("POST", "/threads", { id: "t" });
    await send(served, `Hi, I am ${key}.`);
    const request = await served.call("GET", "/threads/t/responses/1/request");
    expect(request.body).toMatchObject({
      source: "reconstructed",
      format: "openai-chat",
      body: {
        model: "m",
        messages: [
          { role: "system", content: "Be brief." },
          { role: "user", content: "Hi, I am ***." },
        ],
      },
    });
    const response = await served.call("GET", "/threads/t/responses/1/response");
    expect(response.body).toMatchObject({
      source: "reconstructed",
      body: { choices: [{ message: { content: "Hello." }, finish_reason: "stop" }] },
    });
  });

  test("show a call as the model wrote it, although a person edited it", async () => {
    const input = { type: "object", properties: { amount: { type: "number" } } } as const;
    const pay = tool({ name: "pay", description: "Pays.", input, approval: true, execute: () => "paid" });
    const served = serve({
      agent: { tools: [pay] },
      turns: [{ calls: [{ name: "pay", arguments: { amount: 300 } }] }, { text: "Paid." }],
    });
    await served.call("POST", "/threads", { id: "t" });
    await send(served, "Pay.");
    const edit = { type: "edit", arguments: { amount: 250 } };
    await served.call("POST", "/threads/t/decisions?wait=true", { decisions: { call_1: edit } });
    const response = await served.call("GET", "/threads/t/responses/1/response");
    expect(response.text).toContain("300");
    expect(response.text).not.toContain("250");
    const request = await served.call("GET", "/threads/t/responses/2/request");
    expect(request.text).toContain("250"); // the model is informed of what ran
  });

  test("name the address and the headers, without the key", async () => {
    const served = await wired([{ text: "Hello." }]);
    await served.call("POST", "/threads", { id: "t" });
    await send(served, "Hi.");
    const request = await served.call("GET", "/threads/t/responses/1/request");
    expect(request.body["target"]).toStrictEqual({
      url: `${served.provider.baseUrl("openai-chat")}/chat/completions`,
      headers: { "content-type": "application/json", authorization: "Bearer $API_KEY" },
      variables: ["API_KEY"],
    });
  });

  test("are in the format of the model that wrote the turn, if the thread has another one by now", async () => {
    const provider = await wireServer({ turns: [{ text: "Hello." }] });
    onTestFinished(() => provider.close());
    const claude = anthropic("claude-sonnet-4-5", { baseURL: provider.baseUrl("anthropic"), apiKey: key, env: {} });
    const broken = "nowhere/m"; // cannot be opened
    const { call } = serve({
      config: {
        models: { claude, broken },
        agents: { helper: { model: scriptedModel([{ text: "Hi." }], { loop: true }) } },
      },
    });
    await call("POST", "/threads", { id: "t", model: "claude" });
    await call("POST", "/threads/t/messages?wait=true", { content: "Hi." });
    await call("PATCH", "/threads/t", { model: null });
    const { body } = await call("GET", "/threads/t/responses/1/request");
    expect(body).toMatchObject({ format: "anthropic", body: { model: "claude-sonnet-4-5" } });
  });

  test.each(["0", "9"])("refuse entry %s, which is not a response", async (n) => {
    const { call } = serve({ turns: [{ text: "Hi." }] });
    await call("POST", "/threads", { id: "t" });
    await call("POST", "/threads/t/messages?wait=true", { content: "Hi." });
    const { status, body } = await call("GET", `/threads/t/responses/${n}/request`);
    expect(status).toBe(404);
    expect(body).toMatchObject({ error: { code: "thread/no-response", param: "n" } });
    expect(JSON.stringify(body)).toContain(`Entry ${n} of the thread`);
  });

  test("refuse an imported turn", async () => {
    const { call } = serve();
    await call("POST", "/threads/import", { history: broken, id: "t" });
    expect((await call("GET", "/threads/t/responses/2/response")).status).toBe(404);
  });

  test.each(["x", "-1", "1.5"])("refuse the number %s", async (n) => {
    const { call } = serve();
    await call("POST", "/threads", { id: "t" });
    expect((await call("GET", `/threads/t/responses/${n}/request`)).status).toBe(400);
  });

  test("are for callers with the scope admin", async () => {
    const served = serve({ turns: [{ text: "Hi." }] });
    await served.app.ready();
    const headersOf = async (...scopes: readonly Scope[]) => {
      const { text } = await served.app.service.keys.create({ name: "k", scopes, project: "p" });
      return { authorization: `Bearer ${text}` };
    };
    const threads = await headersOf("threads", "approve");
    const admin = await headersOf("threads", "admin");
    await served.call("POST", "/threads", { id: "t" }, threads);
    await served.call("POST", "/threads/t/messages?wait=true", { content: "Hi." }, threads);
    for (const side of ["request", "response"]) {
      expect((await served.call("GET", `/threads/t/responses/1/${side}`, undefined, threads)).status).toBe(403);
      expect((await served.call("GET", `/threads/t/responses/1/${side}`, undefined, admin)).status).toBe(200);
    }
  });
});

describe("the option record", () => {
  test("shows the texts that were sent and received, without keys", async () => {
    const served = await wired([{ text: "One." }, { error: { status: 503, message: "busy" } }, { text: "Two." }], {
      record: true,
    });
    const { call, provider } = served;
    await call("POST", "/threads", { id: "t" });
    await send(served, `Hi, I am ${key}.`);
    await send(served, "Again.");
    const request = await call("GET", "/threads/t/responses/3/request");
    expect(request.body).toMatchObject({
      source: "recorded",
      format: "openai-chat",
      target: { variables: ["API_KEY"] },
    });
    expect(JSON.stringify(request.body["body"])).toBe(
      JSON.stringify(provider.requests.at(-1)?.body).replace(key, "***"),
    );
    const response = await call("GET", "/threads/t/responses/3/response");
    expect(response.body["source"]).toBe("recorded");
    expect(response.body["body"]).toMatch(/^data: .*"Two\.".*\[DONE\]\s*$/su);
    const first = await call("GET", "/threads/t/responses/1/response");
    expect(first.body["body"]).toContain("One.");
    expect(JSON.stringify([request.body, response.body])).not.toContain("sk-test");
  });

  test("keeps all digits of numbers", async () => {
    const message = { role: "assistant", content: "Hello." };
    const choices = [{ index: 0, message, finish_reason: "stop" }];
    const body = JSON.stringify({ id: "r", object: "chat.completion", created: 1, model: "m", choices });
    const sent = body.replace('"created":1', '"created":12345678901234567890');
    const fetch = () => Promise.resolve(new Response(sent, { headers: { "content-type": "application/json" } }));
    const model = openaiCompatible({ baseURL: "http://localhost:1/v1", apiKey: key, env: {}, fetch })("m");
    const { call } = serve({ config: { agents: { helper: { model } } }, options: { record: true } });
    await call("POST", "/threads", { id: "t" });
    await call("POST", "/threads/t/messages?wait=true", { content: "Hi." });
    const { text, headers } = await call("GET", "/threads/t/responses/1/response");
    expect(headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(text).toMatch(/^\{"source":"recorded",/u);
    expect(text).toContain(`,"body":${sent}}`);
  });

  test("keeps a bounded amount of what no run has saved", async () => {
    const { app } = serve();
    const turn = { text: "Hello." };
    const provider = await wireServer({ turns: [turn, turn, turn] });
    onTestFinished(() => provider.close());
    const model = openaiCompatible({ baseURL: provider.baseUrl("openai-chat"), apiKey: key, env: {} })("m");
    const records = createExchangeRecords(memoryStore(), app.log, { most: 25_000 });
    const agent = createAgent({ model, store: memoryStore(), middleware: [records.middleware] });
    onTestFinished(() => agent.close());
    for (const id of ["a", "b", "c"]) await agent.thread(id).send("x".repeat(10_000)).result; // without `saved`
    const event = { type: "model_end", data: { entry: 1 } };
    for (const thread of ["a", "b", "c"]) records.saved({ thread, events: [event], at: 1 } as unknown as Commit); // what it reads
    const read = await Promise.all(["a", "b", "c"].map(async (id) => (await records.read(id, 1)) !== undefined));
    expect(read).toEqual([false, true, true]);
  });

  test("survives a restart, stays out of lists, files and exports, and goes with its thread", async () => {
    const store = memoryStore();
    const first = await wired([{ text: "One." }], { record: true, store });
    await first.call("POST", "/threads", { id: "t" });
    await send(first, "Hi.");
    await first.app.close();
    const { call } = await wired([], { record: true, store });
    expect((await call("GET", "/threads/t/responses/1/request")).body["source"]).toBe("recorded");
    expect((await call("GET", "/threads")).body["data"]).toHaveLength(1);
    expect((await call("GET", "/threads/t/files")).body["data"]).toStrictEqual([]);
    expect((await call("GET", "/threads/t/export")).text).not.toContain("data: ");
    const place = "t/undangle:exchanges";
    expect(await store.files(place)).toHaveLength(1);
    await call("DELETE", "/threads/t?purge=true");
    expect(await store.load(place)).toBeUndefined();
    expect(await store.files(place)).toHaveLength(0);
  });

  test("writes nothing into a thread of another project with the id of a record", async () => {
    const store = memoryStore();
    await createAgent({ model: scriptedModel([{ text: "Theirs." }]), store })
      .thread("acme/undangle:exchanges") // the thread `undangle:exchanges` of the project `acme`
      .send("Hi.").result;
    const before = await store.load("acme/undangle:exchanges");
    const served = await wired([{ text: "One." }], { record: true, store });
    await served.call("POST", "/threads", { id: "acme" });
    await served.call("POST", "/threads/acme/messages?wait=true", { content: "Hi." });
    await served.app.close();
    expect(await store.load("acme/undangle:exchanges")).toEqual(before);
    expect(await store.files("acme/undangle:exchanges")).toEqual([]);
  });

  test("is off by default, and must be true or false", async () => {
    const store = memoryStore();
    const served = await wired([{ text: "One." }], { store });
    await served.call("POST", "/threads", { id: "t" });
    await send(served, "Hi.");
    expect(await store.list({ parent: "t" })).toStrictEqual([]);
    const options = { record: "yes" } as unknown as ServerOptions; // a program without types
    expect(() => serve({ options })).toThrow('"yes" is not a value of the option record');
  });
});
