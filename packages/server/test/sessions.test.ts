import { memoryStore, tool } from "undangle/agent";
import { createClient } from "undangle/client";
import type { RemoteSession } from "undangle/client";
import { describe, expect, test } from "vitest";

import { createSessions, mostSessions, sessionDuration } from "../src/access/sessions.ts";
import type { Scope } from "../src/index.ts";
import { serve } from "./serve-fixture.ts";
import type { Served, Stage } from "./serve-fixture.ts";

const scopes: readonly Scope[] = ["threads", "approve"];

interface Opened {
  readonly cookie: string;
  /** The headers of a change. */
  readonly headers: Readonly<Record<string, string>>;
  readonly session: RemoteSession;
}

async function withKey(stage?: Stage) {
  const served = serve(stage);
  await served.app.ready();
  const { key, text } = await served.app.service.keys.create({ name: "Ann", scopes, project: "shop" });
  return { ...served, key, text };
}

async function openSession({ call }: Pick<Served, "call">, key: string): Promise<Opened> {
  const { status, headers, body } = await call("POST", "/session", { key });
  expect(status).toBe(200);
  const cookie = String(headers["set-cookie"]).split(";")[0] ?? "";
  const session = body as unknown as RemoteSession; // the form that the route documents
  return { cookie, session, headers: { cookie, "x-undangle-csrf": session.csrf_token ?? "" } };
}

describe("a session", () => {
  test("is opened with a key, and has its rights and its name", async () => {
    const served = await withKey();
    const { headers, body, status } = await served.call("POST", "/session", { key: served.text });
    expect([status, headers["cache-control"]]).toEqual([200, "no-store"]);
    expect(headers["set-cookie"]).toMatch(
      /^undangle_session=[\w-]{12}\.[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/u,
    );
    expect(body).toEqual({
      project: "shop",
      scopes,
      by: `key:${served.key.id}`,
      name: "Ann",
      needs_key: true,
      csrf_token: expect.stringMatching(/^[\w-]{43}$/u) as string,
    });
    const { cookie } = await openSession(served, served.text);
    const shown = await served.call("GET", "/session", undefined, { cookie: `a=b; ${cookie}; c=d` });
    expect(shown.body).toEqual({
      ...body,
      csrf_token: expect.not.stringMatching(String(body["csrf_token"])) as string,
    });
    expect((await served.call("GET", "/threads", undefined, { cookie })).status).toBe(200);
    expect((await served.call("GET", "/metrics", undefined, { cookie })).status).toBe(403);
  });

  test.each([
    ["x-forwarded-proto", { "x-forwarded-proto": "https" }, /^__Host-undangle_session=.*; SameSite=Strict; Secure$/u],
    ["a list of proxies", { "x-forwarded-proto": "https, http" }, /^__Host-.*; Secure$/u],
    ["http at the proxy", { "x-forwarded-proto": "http" }, /^undangle_session=.*; SameSite=Strict$/u],
  ])("has a secure cookie behind TLS: %s", async (_, proxy, expected) => {
    const { call, text } = await withKey();
    const { headers } = await call("POST", "/session", { key: text }, proxy);
    expect(headers["set-cookie"]).toMatch(expected);
    const cookie = String(headers["set-cookie"]).split(";")[0] ?? "";
    expect((await call("GET", "/session", undefined, { ...proxy, cookie })).status).toBe(200);
  });

  test("is that of one port: browsers send cookies to every port of a host", async () => {
    const { call, text } = await withKey();
    const { headers } = await call("POST", "/session", { key: text }, { host: "localhost:4111" });
    expect(headers["set-cookie"]).toMatch(/^undangle_session_4111=/u);
    const cookie = String(headers["set-cookie"]).split(";")[0] ?? "";
    expect((await call("GET", "/session", undefined, { host: "localhost:4111", cookie })).status).toBe(200);
    const other = await call("GET", "/session", undefined, { host: "localhost:4112", cookie });
    expect([other.status, other.body, other.headers["set-cookie"]]).toMatchObject([
      401,
      { error: { code: "key-missing" } },
      undefined,
    ]);
  });

  test("needs its token for a change, not for reading", async () => {
    const served = await withKey();
    const { cookie, headers } = await openSession(served, served.text);
    const other = await openSession(served, served.text);
    const tokens = [{}, { "x-undangle-csrf": "" }, { "x-undangle-csrf": other.session.csrf_token ?? "" }];
    for (const token of tokens)
      for (const [method, url] of [
        ["POST", "/threads"],
        ["PATCH", "/threads/t"],
        ["PUT", "/threads/t/files/x"],
        ["DELETE", "/threads/t"],
        ["DELETE", "/session"],
      ] as const) {
        const { status, body } = await served.call(method, url, undefined, { cookie, ...token });
        expect([url, status, body]).toMatchObject([url, 403, { error: { code: "csrf-missing" } }]);
      }
    expect((await served.call("POST", "/threads", { id: "t" }, headers)).status).toBe(201);
    expect((await served.call("GET", "/threads/t", undefined, { cookie })).status).toBe(200);
  });

  test("is not needed with a key, even if there is a cookie", async () => {
    const served = await withKey();
    const { cookie } = await openSession(served, served.text);
    for (const key of [{ authorization: `Bearer ${served.text}` }, { "x-api-key": served.text }]) {
      expect((await served.call("POST", "/threads", {}, { cookie, ...key })).status).toBe(201);
      const { body } = await served.call("GET", "/session", undefined, key);
      expect(body).toMatchObject({ name: "Ann", needs_key: true, csrf_token: null });
    }
  });

  test("cannot be used by a page of another origin", async () => {
    const served = await withKey();
    const { headers } = await openSession(served, served.text);
    const foreign = { ...headers, origin: "https://evil.example" };
    const { status, body } = await served.call("POST", "/threads", {}, foreign);
    expect([status, body]).toMatchObject([403, { error: { code: "origin-unknown" } }]);
    const { status: opened } = await served.call("POST", "/session", { key: served.text }, foreign);
    expect(opened).toBe(403);
  });

  test("is closed for good", async () => {
    const served = await withKey();
    const { cookie, headers } = await openSession(served, served.text);
    const other = await openSession(served, served.text);
    const closed = await served.call("DELETE", "/session", undefined, headers);
    expect([closed.status, closed.headers["set-cookie"]]).toEqual([
      204,
      "undangle_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict",
    ]);
    const { status, body, headers: ended } = await served.call("GET", "/threads", undefined, { cookie });
    expect([status, body]).toMatchObject([401, { error: { code: "session-ended" } }]);
    expect(ended).not.toHaveProperty("set-cookie"); // the response may be late, and the browser has a new session
    expect((await served.call("GET", "/threads", undefined, { cookie: other.cookie })).status).toBe(200);
  });

  test("ends with its key at once, when it is revoked and when it expires", async () => {
    const served = await withKey();
    const { keys } = served.app.service;
    const { cookie } = await openSession(served, served.text);
    const short = await keys.create({ name: "short", scopes, project: "shop", expiresAt: Date.now() + 300 });
    const { cookie: brief } = await openSession(served, short.text);
    const status = async (given: string) => (await served.call("GET", "/threads", undefined, { cookie: given })).status;
    expect([await status(cookie), await status(brief)]).toEqual([200, 200]);
    await keys.revoke(served.key.id);
    expect(await status(cookie)).toBe(401);
    await expect.poll(() => status(brief), { timeout: 5000 }).toBe(401);
  });

  test("survives a restart, and is stored as a hash", async () => {
    const store = memoryStore();
    const before = await withKey({ options: { store } });
    const { cookie, headers } = await openSession(before, before.text);
    const [id = "", secret = ""] = cookie.replace("undangle_session=", "").split(".");
    const kept = JSON.stringify(await store.read("undangle/server/sessions"));
    expect([kept.includes(id), kept.includes(secret), kept.includes(headers["x-undangle-csrf"] ?? "")]).toEqual([
      true,
      false,
      false,
    ]);
    await before.app.close();
    const after = serve({ options: { store } });
    expect((await after.call("POST", "/threads", {}, headers)).status).toBe(201);
  });

  test.each(["", "x", `${"a".repeat(12)}.${"b".repeat(43)}`, "..", "%00"])(
    "does not begin with the cookie %j",
    async (text) => {
      const { call } = await withKey();
      const { status } = await call("GET", "/session", undefined, { cookie: `undangle_session=${text}` });
      expect(status).toBe(401);
    },
  );

  test("with the id of another and a wrong secret is refused", async () => {
    const served = await withKey();
    const { cookie } = await openSession(served, served.text);
    const forged = cookie.replace(/\..*$/u, `.${"b".repeat(43)}`);
    expect((await served.call("GET", "/session", undefined, { cookie: forged })).status).toBe(401);
  });
});

describe("the sessions of a store", () => {
  test("end after twelve hours, and the oldest of a key makes room", async () => {
    let now = 1_000_000;
    const store = memoryStore();
    const sessions = createSessions(store, { now: () => now });
    const other = await sessions.open("other");
    const texts: string[] = [];
    for (let n = 0; n < mostSessions + 2; n++) texts.push(await sessions.open("key"));
    const found = await Promise.all(texts.map(async (text) => (await sessions.find(text)) !== undefined));
    expect(found).toEqual(texts.map((_, n) => n >= 2));
    expect(await sessions.find(other)).toMatchObject({ key: "other" });
    now += sessionDuration;
    expect(await sessions.find(other)).toBeUndefined();
    await sessions.open("key");
    expect((await store.read("undangle/server/sessions"))?.value).toHaveLength(1);
  });

  test("are known to another process at once", async () => {
    const store = memoryStore();
    const [one, two] = [createSessions(store), createSessions(store)];
    await two.find(await one.open("warm up")); // it has read the list just now
    expect(await two.find(await one.open("key"))).toMatchObject({ key: "key" });
  });
});

test("a wrong key is refused, and counts for the address", async () => {
  const { call, text } = await withKey({ options: { limits: { rate: 3 } } });
  const tried = [];
  for (let n = 0; n < 4; n++) tried.push((await call("POST", "/session", { key: `ud_wrong_${n}` })).status);
  expect(tried).toEqual([401, 401, 401, 429]);
  expect((await call("POST", "/session", { key: text })).status).toBe(200);
});

test.each([{}, { key: 1 }, { key: "" }, { key: "x", more: 1 }])("the body %j opens nothing", async (body) => {
  const { call } = await withKey();
  expect((await call("POST", "/session", body)).status).toBe(400);
});

test("without keys the session is that of this machine", async () => {
  const { call } = serve();
  const local = { project: "default", by: "local", name: null, needs_key: false, csrf_token: null };
  expect((await call("GET", "/session")).body).toMatchObject(local);
  const opened = await call("POST", "/session", { key: "ud_any" });
  expect([opened.status, opened.body, opened.headers["set-cookie"]]).toMatchObject([200, local, undefined]);
  expect((await call("DELETE", "/session")).status).toBe(204);
});

test("with keys and without any, the caller is asked for one", async () => {
  const { call } = await withKey();
  const { status, body } = await call("GET", "/session");
  expect([status, body]).toMatchObject([401, { error: { code: "key-missing" } }]);
});

test(
  "a browser decides and reads events with its cookie; its stream ends when the key is revoked",
  { timeout: 40_000 },
  async () => {
    const pay = tool({ name: "pay", description: "Pays.", approval: true, execute: () => "paid" });
    const { app, key, text } = await withKey({
      agent: { tools: [pay] },
      turns: [{ calls: [{ name: "pay" }] }, { text: "Paid." }],
    });
    const url = await app.listen({ port: 0, host: "127.0.0.1" });
    let cookie = "";
    const browser: typeof fetch = async (input, init) => {
      const response = await fetch(input, { ...init, headers: { ...(init?.headers as object), cookie } });
      cookie = response.headers.get("set-cookie")?.split(";")[0] ?? cookie;
      return response;
    };
    const client = createClient({ url, fetch: browser });
    await expect(client.session.get()).rejects.toMatchObject({ status: 401, code: "key-missing" });
    await client.session.open(text);
    const { id } = await client.threads.create();
    await client.threads.send(id, "Pay.");
    const reloaded = createClient({ url, fetch: browser });
    await expect(reloaded.threads.decide(id, { call_1: { type: "approve" } })).rejects.toMatchObject({
      code: "csrf-missing",
    });
    await reloaded.session.get();
    expect(await reloaded.threads.decide(id, { call_1: { type: "approve" } })).toMatchObject({ status: "done" });
    const { calls } = await client.threads.get(id);
    expect(calls).toMatchObject([{ decision: { by: `key:${key.id}` } }]);

    const stream = await browser(`${url}/threads/${id}/events`, { headers: { accept: "text/event-stream" } });
    expect(stream.status).toBe(200);
    const read = stream.text().then(
      () => "ended",
      () => "ended",
    );
    await app.service.keys.revoke(key.id);
    await expect(client.threads.list()).rejects.toMatchObject({ status: 401, code: "session-ended" });
    expect(await read).toBe("ended");
  },
);
