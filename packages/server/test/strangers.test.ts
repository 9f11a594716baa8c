import { memoryStore, tool } from "undangle/agent";
import type { Config } from "undangle/config";
import { pino } from "pino";
import { describe, expect, test } from "vitest";

import { createServer } from "../src/index.ts";
import { serve } from "./serve-fixture.ts";

const chat = "/v1/chat/completions";
const say = (content: string, more: object = {}): object => ({ messages: [{ role: "user", content }], ...more });
const pay = tool({ name: "pay", description: "Pays.", approval: true, execute: () => "paid" });

describe("options that mean nothing are refused", () => {
  test.each([
    ["a name in the config", { config: { agents: { a: { modle: "x" } } } as unknown as Config }, /modle/u],
    ["an approval of no tool", { config: { agents: { a: { approvals: [{ tools: "pya" }] } } } }, /pya/u],
  ])("%s, when the server gets ready", async (_, options, message) => {
    const app = createServer({ store: memoryStore(), env: {}, ...options });
    await expect(app.ready()).rejects.toThrow(message);
    await app.close();
  });

  test.each([
    ["hosts", { hosts: ["example.com:80"] }],
    ["origins", { origins: ["https://example.com/page"] }],
    ["webhook.url", { webhook: { url: "file:///etc/passwd" } }],
    ["webhook.url", { webhook: { url: "https://me:hunter2@example.com/" } }],
    ["limits.rate", { limits: { rate: 0 } }],
  ])("%s, at once", (option, options) => {
    expect(() => createServer({ store: memoryStore(), ...options })).toThrow(option);
  });
});

describe("without keys", () => {
  test.each([
    ["what a proxy passes on", { "x-forwarded-for": "203.0.113.9" }, 403],
    ["what another proxy passes on", { "x-real-ip": "203.0.113.9" }, 403],
    ["what a third one passes on", { via: "1.1 somewhere" }, 403],
    ["a name with a port too many", { host: "localhost:80:80" }, 403],
    ["a page of nowhere", { origin: "null" }, 403],
    ["its own page", { host: "localhost:4111", origin: "http://localhost:4111" }, 200],
  ])("%s", async (_, headers, status) => {
    const { call } = serve();
    expect((await call("GET", "/v1/models", undefined, headers)).status).toBe(status);
  });

  test("this machine is answered by each of its addresses", async () => {
    const { app } = serve();
    const from = async (remoteAddress: string) => (await app.inject({ url: "/v1/models", remoteAddress })).statusCode;
    expect(await from("::1")).toBe(200);
    expect(await from("::ffff:127.0.0.1")).toBe(200);
    expect(await from("192.168.0.7")).toBe(403);
    expect(await from("::ffff:192.168.0.7")).toBe(403);
  });
});

test("pages of an origin that is allowed may send and read, and no others", async () => {
  const { app, call } = serve({ options: { origins: ["https://app.example.com"] } });
  const ask = (origin: string) =>
    app.inject({ method: "OPTIONS", url: "/threads/t/messages", headers: { host: "localhost", origin } });
  const preflight = await ask("https://app.example.com");
  expect([preflight.statusCode, preflight.headers["access-control-allow-origin"]]).toEqual([
    204,
    "https://app.example.com",
  ]);
  expect(preflight.headers["access-control-allow-headers"]).toMatch(/x-api-key, .*idempotency-key/u);
  expect((await ask("https://evil.example")).statusCode).toBe(403);
  const read = await call("GET", "/threads", undefined, { origin: "https://app.example.com" });
  expect([read.status, read.headers["access-control-allow-origin"], read.headers["vary"]]).toEqual([
    200,
    "https://app.example.com",
    "origin",
  ]);
  expect((await call("GET", "/openapi.json")).body["paths"]).not.toHaveProperty("/*");
});

describe("bodies", () => {
  const post = (body: string | Buffer, headers: Readonly<Record<string, string>> = {}) =>
    serve().app.inject({
      method: "POST",
      url: "/threads",
      payload: body,
      headers: { "content-type": "application/json", ...headers },
    });

  test.each([
    ["nested without end", "[".repeat(100_000), 400, "too-deep"],
    ["nested in keys", `${'{"a":'.repeat(1000)}1${"}".repeat(1000)}`, 400, "too-deep"],
    ["no JSON", '{"title": ', 400, "not-json"],
    ["no UTF-8", Buffer.from([0x22, 0xff, 0xfe, 0x22]), 400, "not-utf-8"],
    ["that reach into prototypes", '{"metadata": {"__proto__": {"a": 1}}}', 400, "key-forbidden"],
    ["that reach there by a detour", '{"metadata": {"constructor": {"prototype": 1}}}', 400, "key-forbidden"],
    ["larger than allowed", `{"title": "${"x".repeat(11 * 1024 * 1024)}"}`, 413, "body-too-large"],
  ])("%s are refused", async (_, body, status, code) => {
    const answer = await post(body);
    expect([answer.statusCode, answer.json<{ error: { code: string } }>().error.code]).toEqual([status, code]);
  });

  test("brackets in texts are no depth", async () => {
    expect((await post(JSON.stringify({ metadata: { a: `\\"${"[{".repeat(500)}` } }))).statusCode).toBe(201);
  });

  test.each([
    ["compressed", { "content-encoding": "gzip" }, 415],
    ["a form", { "content-type": "application/x-www-form-urlencoded" }, 415],
    ["plain text", { "content-type": "text/plain" }, 415],
  ])("%s is not read", async (_, headers, status) => {
    expect((await post("{}", headers)).statusCode).toBe(status);
  });

  test("of very many messages or tools do not hold others up", async () => {
    const { call } = serve({ turns: [{ text: "Yes." }] });
    await call("POST", "/threads", { id: "t" });
    const many = Array.from({ length: 20_000 }, () => ({ role: "user", content: "x" }));
    expect((await call("POST", chat, { messages: many, thread_id: "t" })).status).toBe(200);
    const tools = Array.from({ length: 5000 }, (_, i) => ({ type: "function", function: { name: `t${i}` } }));
    expect((await call("POST", chat, say("x", { tools }))).body).toMatchObject({ error: { param: "tools" } });
    const long = [{ type: "function", function: { name: "t", description: "x".repeat(200_000) } }];
    expect((await call("POST", chat, say("x", { tools: long }))).body).toMatchObject({ error: { param: "tools" } });
    expect((await call("POST", chat, { messages: [...many, ...many] })).body).toMatchObject({
      error: { param: "messages" },
    });
    const system = { role: "system", content: "x".repeat(300_000) };
    expect((await call("POST", chat, { messages: [system, { role: "user", content: "x" }] })).status).toBe(400);
    const metadata = { note: "x".repeat(20_000) };
    expect((await call("POST", "/threads", { metadata })).body).toMatchObject({ error: { param: "metadata" } });
    expect((await call("PATCH", "/threads/t", { metadata })).body).toMatchObject({ error: { param: "metadata" } });
  });
});

test.each([
  "a b",
  "漢".repeat(200),
  "x%2Fy",

  "ünï\u0007",
  "'; DROP TABLE threads; --",
  "😀",
  "__proto__",
  "constructor",
])("a thread may be called %j", async (id) => {
  const { call } = serve({ turns: [{ text: "Yes." }] });
  expect((await call("POST", "/threads", { id })).status).toBe(201);
  const path = `/threads/${encodeURIComponent(id).replaceAll(".", "%2E")}`;
  expect((await call("POST", `${path}/messages?wait=true`, { content: "x" })).body).toMatchObject({ text: "Yes." });
  expect((await call("GET", path)).body).toMatchObject({ id });
  expect((await call("GET", "/threads")).body["data"]).toMatchObject([{ id }]);
});

test("one id is given away once, also to those who ask at the same time", async () => {
  const { call } = serve();
  const made = await Promise.all([1, 2, 3].map(() => call("POST", "/threads", { id: "t" })));
  expect(made.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(made.filter(({ status }) => status === 409)).toHaveLength(2);
  expect((await call("POST", "/threads/t/fork", { id: "t" })).status).toBe(409);
});

test("what is imported says nothing of what the server knows of threads", async () => {
  const { call, app } = serve({ turns: [{ text: "Yes." }] });
  const history = {
    undangle: 1,
    id: "x",
    entries: [],
    state: { "undangle/server/settings": { system: 7 } },
    queue: [],
    meta: { "undangle/server": { persona: "helper", model: "openai/secret", clientTools: 7 }, metadata: 7 },
  };
  expect((await call("POST", "/threads/import", { id: "t", history })).status).toBe(201);
  expect((await call("POST", "/threads/t/messages?wait=true", { content: "x" })).body).toMatchObject({ text: "Yes." });
  expect((await app.service.projectThreads.open("default", "t")).note).toEqual({ persona: "helper" });
});

test("an import that is refused leaves nothing, and its id is free", async () => {
  const { call } = serve({ turns: [{ text: "Yes." }] });
  const send = (history: unknown) => call("POST", "/threads/import", { id: "t", history });
  expect((await send([7, "x"])).status).toBe(400);
  expect((await send(Array.from({ length: 20_001 }, () => ({ role: "user", content: "x" })))).status).toBe(400);
  const queue = [{ type: "input", at: 1, parts: [{ type: "zzz" }] }];
  const refused = await send({ undangle: 1, entries: [], queue });
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("queue[0].parts[0].type")]);
  expect((await call("GET", "/threads/t")).status).toBe(404);
  expect(await send([{ role: "user", content: "x" }])).toMatchObject({ status: 201, body: { title: "x" } });
});

test("an export with very many names does not hold the server up", async () => {
  const { call } = serve();
  const state = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`name${i}`, i]));
  expect((await call("POST", "/threads/import", { history: { undangle: 1, entries: [], state } })).status).toBe(201);
});

test("a decision that is imported was made by nobody here", async () => {
  const { call } = serve({ agent: { tools: [pay] }, turns: [{ calls: [{ name: "pay" }] }, { text: "Done." }] });
  await call("POST", "/threads", { id: "t" });
  await call("POST", "/threads/t/messages?wait=true", { content: "Pay." });
  await call("POST", "/threads/t/decisions?wait=true", { all: "approve" });
  const by = async (id: string) => {
    const [made] = (await call("GET", `/threads/${id}`)).body["calls"] as { decision: { by: string } }[];
    return made?.decision.by;
  };
  expect(await by("t")).toBe("local");
  for (const [id, from] of [
    ["copy", "t"],
    ["copy-of-it", "copy"],
  ] as const) {
    const { body: history } = await call("GET", `/threads/${from}/export`);
    expect(history["id"]).toBe(from);
    expect((await call("POST", "/threads/import", { id, history })).status).toBe(201);
    expect(await by(id)).toBe("imported:local");
  }
});

/** A model that throws what a program of somebody might. */
const broken = (message: string) => (): never => {
  throw new Error(message);
};

test("no stack, path, host or key stands in an answer or in the log", async () => {
  const lines: string[] = [];
  const logger = pino({ level: "trace" }, { write: (line: string) => void lines.push(line) });
  const secret = "connect ECONNREFUSED 10.1.2.3:5432 /home/somebody/secret.key";
  const { call, app } = serve({
    agent: { tools: [pay] },
    config: { agents: { helper: { model: { name: "broken", stream: broken(secret) } } } },
    options: { logger },
  });
  await app.ready();
  const { text: key } = await app.service.keys.create({ name: "k", scopes: ["admin"], project: "p" });
  const headers = { authorization: `Bearer ${key}` };
  const answers = [
    await call("POST", chat, say("x"), headers),
    await call("POST", chat, say("x", { stream: true }), headers),
    await call("POST", "/threads", { id: "t" }, headers),
    await call("POST", "/threads/t/messages?wait=true", { content: "x" }, headers),
    await call("POST", "/threads/t/messages", { content: "x" }, { ...headers, accept: "text/event-stream" }),
    await call("GET", `/nothing?key=${key}`, undefined, headers),
    await call("GET", "/threads/%zz", undefined, headers),
  ];
  expect(answers.map(({ status }) => status)).toEqual([502, 502, 201, 200, 200, 404, 400]);
  for (const { text } of answers) {
    expect(text).not.toContain("10.1.2.3");
    expect(text).not.toContain("/home/");
    expect(text).not.toMatch(/\bat .+:\d+:\d+/u);
  }
  expect(lines.join("")).not.toContain(key.slice(16));
  expect(lines.join("")).toContain("10.1.2.3");
});

test("names that callers choose are counted together, and those who leave are counted", async () => {
  const { call } = serve({
    agent: { tools: [pay] },
    turns: [{ calls: [{ name: 'x"\n} evil', raw: "{}" }] }, { text: "No." }],
  });
  await call("POST", chat, say("x"));
  const { text } = await call("GET", "/metrics");
  expect(text).toContain('undangle_tool_calls_total{tool="other"');
  expect(text).not.toContain("evil");
  expect(text).toMatch(/undangle_http_requests_total\{method="POST",route="\/v1\/chat\/completions",status="200"\} 1/u);
  expect(text).toMatch(/undangle_http_requests_open 1\n/u);
  expect(text).toContain("undangle_first_byte_seconds_count 1");
});
