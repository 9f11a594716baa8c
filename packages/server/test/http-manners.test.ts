import { once } from "node:events";
import { Agent, request as httpRequest } from "node:http";
import type { IncomingMessage } from "node:http";

import { describe, expect, onTestFinished, test } from "vitest";

import { findJsonFault } from "../src/responses/json-fault.ts";
import { createRateLimit } from "../src/access/rate-limit.ts";
import { serve } from "./serve-fixture.ts";

const turns = [{ text: "Yes." }];
const chat = "/v1/chat/completions";
const say = { messages: [{ role: "user", content: "Hello." }] };

const describedPaths = async (): Promise<Readonly<Record<string, Readonly<Record<string, unknown>>>>> =>
  (await serve().call("GET", "/openapi.json")).body["paths"] as Record<string, Record<string, unknown>>; // as OpenAPI has it

describe("methods", () => {
  test("every route refuses other methods with 405, and lists its own in Allow", async () => {
    const { app } = serve();
    for (const [path, operations] of Object.entries(await describedPaths())) {
      const own = Object.keys(operations).map((method) => method.toUpperCase());
      const methods = own.includes("GET") ? [...own, "HEAD"] : own;
      const url = path.replaceAll(/\{\w+\}/gu, "some");
      for (const method of ["GET", "HEAD", "POST", "PATCH", "PUT", "DELETE"] as const) {
        if (methods.includes(method)) continue;
        const { statusCode, headers } = await app.inject({ method, url });
        // `GET /threads/import` is the thread "import"
        const allow = [...methods, ...(url === "/threads/import" ? ["DELETE", "GET", "HEAD", "PATCH"] : [])].sort();
        if (allow.includes(method)) continue;
        expect([method, url, statusCode, headers["allow"]]).toEqual([
          method,
          url,
          405,
          [...allow, "OPTIONS"].join(", "),
        ]);
      }
    }
  });

  test("the error of a wrong method names the path and the methods that it takes", async () => {
    const { call } = serve();
    const { body } = await call("GET", chat);
    expect(body).toEqual({
      error: {
        message: "/v1/chat/completions does not support GET. Allowed: POST, OPTIONS.",
        type: "invalid_request_error",
        param: null,
        code: "method-not-allowed",
      },
    });
    expect((await call("GET", "/nowhere")).body).toMatchObject({ error: { code: "route-unknown" } });
  });

  test("HEAD has the status and the headers of GET, and no body", async () => {
    const { app, call } = serve({ turns });
    await call("POST", "/threads", { id: "some" });
    for (const [path, operations] of Object.entries(await describedPaths())) {
      if (!("get" in operations) || path.endsWith("/events")) continue;
      const url = path.replaceAll(/\{\w+\}/gu, path.startsWith("/v1") ? "helper" : "some");
      const [head, get] = [await app.inject({ method: "HEAD", url }), await app.inject({ url })];
      expect([url, head.statusCode, head.headers["content-type"], head.body]).toEqual([
        url,
        get.statusCode,
        get.headers["content-type"],
        "",
      ]);
    }
  });

  test("HEAD of a stream of events ends", async () => {
    const { app, call } = serve();
    await call("POST", "/threads", { id: "t" });
    const { statusCode, headers, body } = await app.inject({ method: "HEAD", url: "/threads/t/events" });
    expect([statusCode, headers["content-type"], body]).toEqual([200, "text/event-stream; charset=utf-8", ""]);
  });

  test("OPTIONS without an origin lists the methods of a path", async () => {
    const { app } = serve();
    const ask = async (url: string) => {
      const { statusCode, headers } = await app.inject({ method: "OPTIONS", url });
      return [statusCode, headers["allow"]];
    };
    expect(await ask("/threads")).toEqual([204, "GET, HEAD, POST, OPTIONS"]);
    expect(await ask("/healthz")).toEqual([204, "GET, HEAD, OPTIONS"]);
    expect(await ask("/nowhere")).toEqual([404, undefined]);
  });
});

test("the preflight of an origin that is not listed is a refusal that says how to list it", async () => {
  const { app } = serve();
  const answer = await app.inject({
    method: "OPTIONS",
    url: chat,
    headers: { host: "localhost", origin: "http://localhost:3000", "access-control-request-method": "POST" },
  });
  expect(answer.statusCode).toBe(403);
  expect(answer.headers).not.toHaveProperty("access-control-allow-origin");
  expect(answer.json()).toMatchObject({
    error: { code: "origin-unknown", message: expect.stringContaining("http://localhost:3000") as string },
  });
});

describe("a request that a browser sends for a page of another site", () => {
  const origins = ["https://app.example.com"];
  const statusOf = async (url: string, headers: Readonly<Record<string, string>>) => {
    const { app } = serve({ options: { origins } });
    const { statusCode, headers: sent } = await app.inject({ url, headers: { host: "localhost", ...headers } });
    expect(sent["cross-origin-resource-policy"]).toBe("same-origin");
    return statusCode;
  };

  test.each(["/threads", "/threads/t/events", "/queue/events", "/v1/models", "/session", "/openapi.json"])(
    "reaches no route of the API: %s",
    async (url) => {
      for (const site of ["cross-site", "same-site"])
        for (const [mode, dest] of [
          ["no-cors", "image"],
          ["navigate", "iframe"],
        ] as const) {
          const headers = { "sec-fetch-site": site, "sec-fetch-mode": mode, "sec-fetch-dest": dest };
          expect(await statusOf(url, headers)).toBe(403);
        }
    },
  );

  test.each<[string, Readonly<Record<string, string>>]>([
    ["of a page of an allowed origin", { origin: "https://app.example.com", "sec-fetch-site": "cross-site" }],
    ["of its own page", { "sec-fetch-site": "same-origin" }],
    ["of a person who types the address", { "sec-fetch-site": "none", "sec-fetch-mode": "navigate" }],
    ["of fetch in Node", { "sec-fetch-mode": "cors" }],
    ["of curl", {}],
  ])("is not one %s", async (_, headers) => {
    expect(await statusOf("/threads", headers)).toBe(200);
  });

  test("may open the studio, which has no data", async () => {
    const headers = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
    for (const url of ["/", "/t/a", "/settings"]) expect(await statusOf(url, headers)).toBe(200);
  });
});

describe("location", () => {
  test("leads from a run that was begun to its thread", async () => {
    const { call } = serve({ turns });
    await call("POST", "/threads", { id: "a b" });
    const begun = await call("POST", "/threads/a%20b/messages", { content: "Hello." });
    expect([begun.status, begun.headers["location"]]).toEqual([202, "/threads/a%20b"]);
    expect((await call("GET", String(begun.headers["location"]))).body).toMatchObject({ id: "a b" });
  });

  test("leads to a thread that was made, forked or imported, also when the response is replayed", async () => {
    const { call } = serve();
    const key = { "idempotency-key": "k" };
    const made = await call("POST", "/threads", { id: "t" }, key);
    const again = await call("POST", "/threads", { id: "t" }, key);
    const forked = await call("POST", "/threads/t/fork", { id: "u" });
    const imported = await call("POST", "/threads/import", { id: "v", history: [{ role: "user", content: "x" }] });
    const locations = [made, again, forked, imported].map(({ status, headers }) => [status, headers["location"]]);
    expect(locations).toEqual([
      [201, "/threads/t"],
      [201, "/threads/t"],
      [201, "/threads/u"],
      [201, "/threads/v"],
    ]);
  });
});

describe("bodies that are not JSON", () => {
  test.each([
    ["not-json", "Unexpected token 'o'", 1, 2],
    ['{"title": nope}', "Unexpected token 'o'", 1, 12],
    ['{"title": "x",}', "Expected double-quoted property name", 1, 15],
    ['{\n  "title": "x"\n  "id": "y"}', "Expected ',' or '}' after property value", 3, 3],
    ['{"title":\n tru e}', "Unexpected token ' '", 2, 5],
    ['{"title": "x', "Unterminated string", 1, 13],
    ['{"title"', "Expected ':' after property name", 1, 9],
    ["[1, 2", "Expected ',' or ']' after array element", 1, 6],
    ["tru", "Unexpected end of JSON input", 1, 4],
    ['"\\x"', "Bad escaped character", 1, 3],
  ])("%s: the error names the place", async (text, what, line, column) => {
    expect(findJsonFault(text)).toEqual({ what, line, column });
    const { app } = serve();
    const answer = await app.inject({
      method: "POST",
      url: "/threads",
      payload: text,
      headers: { "content-type": "application/json" },
    });
    expect(answer.json()).toMatchObject({
      error: {
        code: "not-json",
        param: "body",
        message: `The body is not valid JSON: ${what} (line ${line}, column ${column}).`,
      },
    });
  });

  test("an unexpected token at the end of a long text is found", () => {
    const text = `[${"1,".repeat(100_000)}x]`;
    expect(findJsonFault(text)).toMatchObject({ line: 1, column: text.length - 1 });
  });
});

/** Sends a body over a connection of an agent, and returns the response. */
async function post(url: string, body: string | Buffer, agent: Agent): Promise<{ status: number; code: unknown }> {
  const sent = httpRequest(url, {
    method: "POST",
    agent,
    headers: { "content-type": "application/json", "content-length": Buffer.byteLength(body) },
  });
  sent.end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage]; // by its name
  let text = "";
  for await (const piece of response) text += String(piece);
  const { error } = JSON.parse(text) as { error?: { code: unknown } };
  return { status: response.statusCode ?? 0, code: error?.code };
}

describe("a connection outlives a body that is refused", () => {
  test.each([
    ["no JSON", "not-json", 400],
    ["no UTF-8", Buffer.from([0x22, 0xff, 0x22]), 400],
    ["nested too deeply", "[".repeat(1000), 400],
    ["too long", Buffer.alloc(1_000_000, " "), 413],
  ])("%s", async (_, body, status) => {
    const { app } = serve({ turns, options: { limits: { body: 10_000 } } });
    const connections = new Set<unknown>();
    app.server.on("connection", (socket) => connections.add(socket));
    const url = await app.listen({ port: 0, host: "127.0.0.1" });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    expect((await post(`${url}/threads`, body, agent)).status).toBe(status);
    expect((await post(`${url}/threads`, "{}", agent)).status).toBe(201);
    expect(connections.size).toBe(1);
  });
});

test("a client that sends more than is allowed always reads the 413", async () => {
  const { app } = serve();
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  const body = Buffer.alloc(11 * 1024 * 1024, "x");
  for (let i = 0; i < 10; i++) {
    const agent = new Agent();
    expect(await post(`${url}/threads`, body, agent)).toEqual({ status: 413, code: "body-too-large" });
    agent.destroy();
  }
});

describe("the rate", () => {
  test("is in the headers of every response, before and with the 429", async () => {
    const { call } = serve({ options: { limits: { rate: 2 } } });
    const asked = [await call("GET", "/v1/models"), await call("GET", "/nowhere"), await call("GET", "/threads")];
    const read = ({ status, headers }: (typeof asked)[number]) => [
      status,
      headers["x-ratelimit-limit-requests"],
      headers["x-ratelimit-remaining-requests"],
    ];
    expect(asked.map(read)).toEqual([
      [200, "2", "1"],
      [404, undefined, undefined], // a path that does not exist is not counted
      [200, "2", "0"],
    ]);
    const refused = await call("GET", "/threads");
    expect([...read(refused), refused.headers["retry-after"]]).toEqual([429, "2", "0", "30"]);
  });

  test("comes back with time", () => {
    let now = 0;
    const rate = createRateLimit(60, () => now);
    expect(rate.take("a")).toEqual({ limit: 60, remaining: 59, reset: 1, wait: 0 });
    for (let i = 0; i < 59; i++) rate.take("a");
    expect(rate.take("a")).toEqual({ limit: 60, remaining: 0, reset: 60, wait: 1 });
    now = 30_000;
    expect(rate.take("a")).toEqual({ limit: 60, remaining: 29, reset: 31, wait: 0 });
  });
});

test("the same request with another Accept is the same request to an Idempotency-Key", async () => {
  const { call } = serve({ turns: [{ text: "One." }, { text: "Two." }] });
  const first = await call("POST", chat, say, { "idempotency-key": "k", accept: "application/json" });
  const again = await call("POST", chat, say, { "idempotency-key": "k", accept: "*/*" });
  expect([again.status, again.text, again.headers["idempotency-replayed"]]).toEqual([200, first.text, "true"]);
});

describe("without keys a request that a proxy passes on is refused", () => {
  test.each([
    "forwarded",
    "forwarded-for",
    "via",
    "cdn-loop",
    "x-forwarded",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-proto",
    "x-forwarded-server",
    "x-original-forwarded-for",
    "x-vercel-forwarded-for",
    "x-real-ip",
    "x-client-ip",
    "client-ip",
    "x-cluster-client-ip",
    "cf-connecting-ip",
    "cf-connecting-ipv6",
    "true-client-ip",
    "fastly-client-ip",
    "fly-client-ip",
    "x-azure-clientip",
    "x-appengine-user-ip",
    "x-envoy-external-address",
    "x-remote-addr",
    "x-original-host",
  ])("%s", async (name) => {
    const { call } = serve();
    expect((await call("GET", "/v1/models", undefined, { [name]: "203.0.113.9" })).status).toBe(403);
  });

  test.each(["user-agent", "x-request-id", "x-stainless-os", "referer", "sec-fetch-user", "x-api-key"])(
    "%s is no sign of a proxy",
    async (name) => {
      const { call } = serve();
      expect((await call("GET", "/v1/models", undefined, { [name]: "203.0.113.9" })).status).toBe(200);
    },
  );
});

test("an error is not cached, so that a restored thread can be read", async () => {
  const { call } = serve();
  await call("POST", "/threads", { id: "t" });
  await call("DELETE", "/threads/t");
  const { status, headers } = await call("GET", "/threads/t");
  expect([status, headers["cache-control"]]).toEqual([410, "no-store"]);
});

test.each(["/threads", "/threads/t", "/queue", "/personas", "/metrics", "/session"])(
  "no cache keeps the data of %s",
  async (url) => {
    const { call } = serve();
    await call("POST", "/threads", { id: "t" });
    const { status, headers } = await call("GET", url);
    expect([status, headers["cache-control"]]).toEqual([200, "no-store"]);
  },
);
