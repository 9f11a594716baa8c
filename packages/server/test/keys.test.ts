import { createAgent, subagents, tool } from "undangle/agent";
import type { ModelRequest } from "undangle/agent";
import { scriptedModel } from "undangle/testing";
import type { ScriptedTurn } from "undangle/testing";
import { describe, expect, test } from "vitest";

import type { Scope } from "../src/index.ts";
import { serve } from "./serve-fixture.ts";
import type { Method } from "./serve-fixture.ts";

const said = { messages: [{ role: "user", content: "Hi." }] };

/** Every route that is not open to everybody, and the scopes of which it wants one; `any` wants a key, whatever that may do. */
const routes: [method: Method, url: string, scope: Scope | readonly Scope[] | "any", payload?: object][] = [
  ["GET", "/v1/models", "chat"],
  ["GET", "/v1/models/helper", "chat"],
  ["POST", "/v1/chat/completions", "chat", said],
  ["GET", "/personas", ["chat", "threads"]],
  ["POST", "/threads", "threads", {}],
  ["GET", "/threads", "threads"],
  ["GET", "/threads/t", "threads"],
  ["PATCH", "/threads/t", "threads", { title: "x" }],
  ["POST", "/threads/t/messages", "threads", { content: "Hi." }],
  ["POST", "/threads/t/decisions", "approve", { all: "approve" }],
  ["GET", "/threads/t/allowances", "approve"],
  ["DELETE", "/threads/t/allowances/x", "approve"],
  ["POST", "/threads/t/stop", "threads"],
  ["POST", "/threads/t/regenerate", "threads"],
  ["POST", "/threads/t/fork", "threads", {}],
  ["GET", "/threads/t/events?after=x", "threads"], // whoever may read them is told that there is no such place
  ["GET", "/threads/t/files", "threads"],
  ["GET", "/threads/t/files/x", "threads"],
  ["PUT", "/threads/t/files/x", "threads"],
  ["DELETE", "/threads/t/files/x", "threads"],
  ["GET", "/threads/t/export", "threads"],
  ["GET", "/threads/t/entries", "threads"],
  ["GET", "/threads/t/state", "threads"],
  ["GET", "/threads/t/trace", "threads"],
  ["GET", "/threads/t/repairs", "threads"],
  ["GET", "/threads/t/responses/1/request", "admin"],
  ["GET", "/threads/t/responses/1/response", "admin"],
  ["POST", "/threads/import", "threads", { history: [{ role: "user", content: "x" }] }],
  ["GET", "/queue", "approve"],
  ["GET", "/allowances", "approve"],
  ["DELETE", "/allowances/x", "approve"],
  ["GET", "/keys", "admin"],
  ["GET", "/key-names", ["threads", "approve"]],
  ["POST", "/keys", "admin", { name: "app", scopes: ["chat"] }],
  ["DELETE", "/keys/x", "admin"],
  ["GET", "/session", "any"],
  ["DELETE", "/session", "any"],
  ["GET", "/metrics", "admin"],
  ["DELETE", "/threads/t", "threads"],
  ["POST", "/check", "any", said],
  ["POST", "/repair", "any", said],
  ["POST", "/convert", "any", { history: said, to: "anthropic" }],
  ["POST", "/explain", "any", { text: "tool_use ids were found without tool_result blocks" }],
];

const all: readonly Scope[] = ["chat", "threads", "approve", "admin"];

async function withKeys() {
  const served = serve({ turns: [{ text: "Yes." }] });
  await served.app.ready();
  const ring = served.app.service.keys;
  const make = async (scopes: readonly Scope[], project = "p1") =>
    ring
      .create({ name: "test", scopes, project })
      .then(({ text, key }) => ({ id: key.id, headers: { authorization: `Bearer ${text}` } }));
  return { ...served, ring, make };
}

describe("the authorisation of every route", () => {
  test.each(routes)("%s %s", async (method, url, needed, payload) => {
    const { call, make } = await withKeys();
    const owner = await make(["threads"]);
    await call("POST", "/threads", { id: "t" }, owner.headers);
    expect((await call(method, url, payload)).status).toBe(401);
    expect(
      (await call(method, url, payload, { authorization: `Bearer ud_${"0".repeat(12)}_${"x".repeat(43)}` })).status,
    ).toBe(401);
    for (const scope of all) {
      const { status } = await call(method, url, payload, (await make([scope])).headers);
      const isEnough = scope === "admin" || needed === "any" || [needed].flat().includes(scope);
      expect([scope, status !== 403]).toEqual([scope, isEnough]);
    }
  });

  test.each(routes.filter(([, url]) => url.startsWith("/threads/t")))(
    "%s %s finds nothing of another project",
    async (method, url, _, payload) => {
      const { call, make } = await withKeys();
      const owner = await make(all, "p1");
      await call("POST", "/threads", { id: "t" }, owner.headers);
      const other = await make(all, "p2");
      expect((await call(method, url, payload, other.headers)).status).toBe(404);
      expect((await call("GET", "/threads", undefined, other.headers)).body).toEqual({ data: [], next_cursor: null });
    },
  );
});

test.each([
  ["plan", ["threads"], 200],
  ["accept-edits", ["threads"], 403],
  ["accept-edits", ["threads", "approve"], 200],
] as const)("a message with the mode %s and the scopes %j gets %i", async (mode, scopes, expected) => {
  const { call, make } = await withKeys();
  const { headers } = await make(scopes);
  await call("POST", "/threads", { id: "t" }, headers);
  const sent = await call("POST", "/threads/t/messages?wait=true", { content: "Hi.", mode }, headers);
  expect(sent.status).toBe(expected);
});

describe("a run with accept-edits that another caller started", () => {
  /** A thread after such a run, whose last call waits, and the start of the next run. */
  async function accepting() {
    const edit = tool({
      name: "edit",
      description: "Edits.",
      annotations: { edits: true },
      approval: true,
      execute: () => "edited",
    });
    const weather = { type: "function", function: { name: "weather", parameters: { type: "object" } } };
    const { app, call } = serve({
      agent: { tools: [edit] },
      turns: [{ text: "Hello." }, { calls: [{ name: "edit" }] }, { calls: [{ name: "weather" }] }],
    });
    await app.ready();
    const headersOf = async (...scopes: readonly Scope[]) => {
      const { text } = await app.service.keys.create({ name: "k", scopes, project: "p" });
      return { authorization: `Bearer ${text}` };
    };
    const [approver, caller] = [await headersOf("chat", "threads", "approve"), await headersOf("chat", "threads")];
    const chat = (messages: readonly object[], headers: Readonly<Record<string, string>>) =>
      call("POST", "/v1/chat/completions", { thread_id: "t", tools: [weather], messages }, headers);
    await call("POST", "/threads", { id: "t" }, caller);
    expect((await chat([{ role: "user", content: "Hi." }], caller)).status).toBe(200);
    const message = { content: "Edit.", mode: "accept-edits" };
    const sent = await call("POST", "/threads/t/messages?wait=true", message, approver);
    expect(sent.body).toMatchObject({ status: "waiting", pending: [{ id: "call_2", name: "weather" }] });
    const modeOf = async () => (await call("GET", "/threads/t/entries?limit=1", undefined, caller)).body["mode"];
    return { call, chat, approver, caller, modeOf };
  }

  const refusal = { status: 403, body: { error: { code: "scope-missing" } } };

  test("is not joined by a queued message without the scope approve", async () => {
    const { call, approver, caller } = await accepting();
    const queued = { content: "And this.", onInput: "queue" };
    expect(await call("POST", "/threads/t/messages", queued, caller)).toMatchObject(refusal);
    const { body } = await call("GET", "/threads/t/entries", undefined, caller);
    expect(JSON.stringify(body)).not.toContain("And this.");
    expect((await call("POST", "/threads/t/messages", queued, approver)).status).toBe(202);
  });

  test("is not joined by a message of a chat, which may send the results of its tools", async () => {
    const { chat, caller } = await accepting();
    const result = { role: "tool", tool_call_id: "call_2", content: "Rain." };
    expect(await chat([result, { role: "user", content: "Edit more." }], caller)).toMatchObject(refusal);
    expect((await chat([result], caller)).status).toBe(200);
  });

  test.each([
    ["caller", "ask"],
    ["approver", "accept-edits"],
  ] as const)("is requested again by the %s with the mode %s", async (who, mode) => {
    const { call, modeOf, ...keys } = await accepting();
    expect((await call("POST", "/threads/t/regenerate?wait=true", undefined, keys[who])).status).toBe(200);
    expect(await modeOf()).toBe(mode);
  });

  test("gives its mode to a fork, and not to what a caller requests there again", async () => {
    const { call, caller } = await accepting();
    await call("POST", "/threads/t/fork", { id: "f" }, caller);
    await call("POST", "/threads/f/regenerate?wait=true", undefined, caller);
    expect((await call("GET", "/threads/f/entries", undefined, caller)).body).toMatchObject({ mode: "ask" });
  });
});

test("the table has every route that wants a scope", async () => {
  const { app } = serve();
  const { paths } = (await app.inject("/openapi.json")).json<{ paths: Record<string, object> }>();
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const open = ["GET /healthz", "GET /readyz", "GET /openapi.json", "POST /session"];
  const endless = ["GET /queue/events"]; // queue-events.test.ts reads it over a connection
  const known = routes.map(([method, url]) => {
    const path = url.replace(/\?.*$/u, "").replace("/threads/t", "/threads/{id}").replace("/helper", "/{id}");
    const named = path
      .replace("/allowances/x", "/allowances/{allowance}")
      .replace("/files/x", "/files/{path}")
      .replace("/keys/x", "/keys/{key}")
      .replace("/responses/1/", "/responses/{n}/");
    return `${method} ${named}`;
  });
  expect([...known, ...open, ...endless].sort()).toEqual(described.sort());
});

const pay = tool({ name: "pay", description: "Pays.", approval: true, execute: () => "paid" });
const calling =
  (name: string, args = {}) =>
  ({ messages }: ModelRequest): ScriptedTurn =>
    messages.at(-1)?.role === "user" ? { calls: [{ name, arguments: args }] } : { text: "Done." };
const clerk = () => {
  const model = scriptedModel([calling("pay")], { loop: true });
  const agent = createAgent({ name: "clerk", model, tools: [pay] });
  return subagents({ agents: [{ name: "clerk", description: "Pays.", agent }] });
};
const delegating = calling("task", { description: "Pay.", subagent_type: "clerk" });

test.each([
  ["an agent", { agent: { tools: [pay] }, turns: [calling("pay")] }, "call_1"],
  ["a ready-made sub-agent", { agent: { middleware: [clerk()] }, turns: [delegating] }, "call_1/call_1"],
])("what is allowed from now on for %s in one project is not in another", async (_, stage, pending) => {
  const { app, call } = serve(stage);
  await app.ready();
  const statuses: unknown[] = [];
  for (const project of ["p1", "p2", "p1"]) {
    const { text } = await app.service.keys.create({ name: "k", scopes: ["admin"], project });
    const headers = { authorization: `Bearer ${text}` };
    const { id } = (await call("POST", "/threads", {}, headers)).body;
    const sent = await call("POST", `/threads/${String(id)}/messages?wait=true`, { content: "Pay." }, headers);
    statuses.push(sent.body["status"]);
    if (project === "p2" || sent.body["status"] !== "waiting") continue;
    const decisions = { [pending]: { type: "approve", always: { scope: "agent" } } };
    await call("POST", `/threads/${String(id)}/decisions?wait=true`, { decisions }, headers);
  }
  expect(statuses).toEqual(["waiting", "waiting", "done"]);
  for (const [project, count] of [
    ["p1", 1],
    ["p2", 0],
  ] as const) {
    const { text } = await app.service.keys.create({ name: "k", scopes: ["approve"], project });
    const { body } = await call("GET", "/allowances", undefined, { authorization: `Bearer ${text}` });
    expect(body["data"]).toHaveLength(count);
  }
});

test("what is allowed in a project named like a persona is not for sub-agents of that persona", async () => {
  const model = (turn: (request: ModelRequest) => ScriptedTurn) => scriptedModel([turn], { loop: true });
  const agents = {
    support: { model: model(delegating), middleware: [clerk()] },
    clerk: { model: model(calling("pay")), tools: [pay] },
  };
  const { app, call } = serve({ config: { agents } });
  await app.ready();
  const statusOf = async (project: string, persona: string, decisions?: object) => {
    const { text } = await app.service.keys.create({ name: "k", scopes: ["admin"], project });
    const headers = { authorization: `Bearer ${text}` };
    await call("POST", "/threads", { id: "t", persona }, headers);
    const { body } = await call("POST", "/threads/t/messages?wait=true", { content: "Pay." }, headers);
    if (decisions !== undefined) await call("POST", "/threads/t/decisions?wait=true", { decisions }, headers);
    return body["status"];
  };
  await statusOf("support", "clerk", { call_1: { type: "approve", always: { scope: "agent" } } });
  expect(await statusOf("default", "support")).toBe("waiting");
});

describe("a key", () => {
  test("reads what a persona is told with the scope admin only, and its own instructions with any", async () => {
    const { app, call } = serve({ agent: { instructions: "Hidden words." }, turns: [{ text: "Yes." }] });
    await app.ready();
    const headersOf = async (scopes: readonly Scope[]) => {
      const { text } = await app.service.keys.create({ name: "test", scopes, project: "p" });
      return { authorization: `Bearer ${text}` };
    };
    const own = await headersOf(["threads"]);
    const history = [
      { role: "system", content: "Own words." },
      { role: "user", content: "Hi." },
    ];
    await call("POST", "/threads/import", { id: "t", history }, own);
    const formats = ["openai-chat", "openai-responses", "anthropic", "gemini", "bedrock", "ai-sdk", "langchain"];
    for (const url of ["/threads/t", ...formats.map((format) => `/threads/t/export?format=${format}`)]) {
      const { status, text } = await call("GET", url, undefined, own);
      expect([url, status, text.includes("Own words."), text.includes("Hidden words.")]).toEqual([
        url,
        200,
        true,
        false,
      ]);
      const { text: shown } = await call("GET", url, undefined, await headersOf(["admin"]));
      expect([url, shown.includes("Hidden words.")]).toEqual([url, url === "/threads/t"]); // exports have them for nobody
    }
    expect((await call("GET", "/threads/t/export", undefined, own)).text).not.toContain("Hidden words.");
  });

  test("does not hold any more when it is revoked or over", async () => {
    const { call, ring, make } = await withKeys();
    const { id, headers } = await make(["chat"]);
    expect((await call("GET", "/v1/models", undefined, headers)).status).toBe(200);
    expect(await ring.revoke(id)).toBe(true);
    const { text } = await ring.create({ name: "old", scopes: ["chat"], project: "p1", expiresAt: 1 });
    expect((await call("GET", "/v1/models", undefined, headers)).status).toBe(401);
    expect((await call("GET", "/v1/models", undefined, { authorization: `Bearer ${text}` })).status).toBe(401);
  });

  test("is counted for itself: behind a proxy all have one address", async () => {
    const { call, app } = serve({ options: { limits: { rate: 3 } } });
    await app.ready();
    const { text } = await app.service.keys.create({ name: "k", scopes: ["chat"], project: "p1" });
    const ask = async (key: string) =>
      (await call("GET", "/v1/models", undefined, { authorization: `Bearer ${key}` })).status;
    const strangers = [];
    for (let n = 0; n < 4; n++) strangers.push(await ask("ud_of_nobody"));
    const own = [];
    for (let n = 0; n < 4; n++) own.push(await ask(text));
    expect([strangers, own]).toEqual([
      [401, 401, 401, 429],
      [200, 200, 200, 429],
    ]);
  });

  test("is kept as a hash, and stands in no answer", async () => {
    const { call, ring, make, app } = await withKeys();
    const { headers } = await make(["admin"]);
    const secret = headers.authorization.slice(7);
    expect(JSON.stringify(await ring.list())).not.toContain(secret.slice(16));
    expect(JSON.stringify(await app.service.store.read("undangle/server/keys"))).not.toContain(secret.slice(16));
    expect((await call("GET", "/nothing", undefined, headers)).text).not.toContain(secret.slice(16));
  });
});
