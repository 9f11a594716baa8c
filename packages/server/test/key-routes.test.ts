import { memoryStore } from "undangle/agent";
import { createClient } from "undangle/client";
import { describe, expect, test } from "vitest";

import type { Scope } from "../src/index.ts";
import { serve } from "./serve-fixture.ts";

async function withAdmin(project = "shop") {
  const store = memoryStore();
  const served = serve({ options: { store } });
  await served.app.ready();
  const headersOf = async (scopes: readonly Scope[], owner = project) => {
    const { text, key } = await served.app.service.keys.create({ name: "admin", scopes, project: owner });
    return { id: key.id, headers: { authorization: `Bearer ${text}` } };
  };
  return { ...served, store, headersOf, admin: await headersOf(["admin"]) };
}

describe("keys over HTTP", () => {
  test("are created, listed without their text, and revoked", async () => {
    const { call, admin } = await withAdmin();
    const wish = { name: "App", scopes: ["chat", "threads"], expires_at: "2090-01-31T10:00:00+01:00" };
    const made = await call("POST", "/keys", wish, admin.headers);
    const { text, ...key } = made.body;
    expect([made.status, made.headers["cache-control"]]).toEqual([201, "no-store"]);
    expect(key).toEqual({
      id: expect.stringMatching(/^[\da-f]{12}$/u) as string,
      name: "App",
      scopes: ["chat", "threads"],
      project: "shop",
      created_at: expect.stringMatching(/^20.*Z$/u) as string,
      expires_at: "2090-01-31T09:00:00.000Z",
      revoked_at: null,
    });
    const own = { authorization: `Bearer ${String(text)}` };
    expect((await call("GET", "/threads", undefined, own)).status).toBe(200);
    const listed = await call("GET", "/keys", undefined, admin.headers);
    expect(listed.body).toMatchObject({ data: [{ id: admin.id }, key] });
    expect(listed.text).not.toMatch(/hash|"text"/u);

    expect((await call("DELETE", `/keys/${String(key["id"])}`, undefined, admin.headers)).status).toBe(204);
    expect((await call("GET", "/threads", undefined, own)).status).toBe(401);
    const { body } = await call("GET", "/keys", undefined, admin.headers);
    expect(body).toMatchObject({ data: [{}, { revoked_at: expect.stringMatching(/Z$/u) as string }] });
    expect((await call("DELETE", `/keys/${String(key["id"])}`, undefined, admin.headers)).status).toBe(404);
  });

  test("have names for people who read or decide, also after they are revoked", async () => {
    const { app, call, headersOf, admin } = await withAdmin("shop");
    await headersOf(["admin"], "bank");
    const person = await headersOf(["approve"]);
    await app.service.keys.revoke(admin.id);
    const { status, body } = await call("GET", "/key-names", undefined, person.headers);
    expect([status, body]).toEqual([200, { data: { [`key:${admin.id}`]: "admin", [`key:${person.id}`]: "admin" } }]);
  });

  test("of another project do not exist", async () => {
    const { call, admin, headersOf } = await withAdmin("shop");
    const other = await headersOf(["admin"], "bank");
    expect((await call("GET", "/keys", undefined, other.headers)).body).toMatchObject({ data: [{ id: other.id }] });
    const { status, body } = await call("DELETE", `/keys/${admin.id}`, undefined, other.headers);
    expect([status, body]).toMatchObject([404, { error: { code: "key-unknown" } }]);
    const made = await call("POST", "/keys", { name: "x", scopes: ["admin"] }, other.headers);
    expect(made.body["project"]).toBe("bank");
    expect((await call("GET", "/keys", undefined, admin.headers)).status).toBe(200);
  });

  test.each([
    [{ name: "x" }],
    [{ name: "", scopes: ["chat"] }],
    [{ name: "x", scopes: [] }],
    [{ name: "x", scopes: ["all"] }],
    [{ name: "x", scopes: ["chat"], project: "bank" }],
    [{ name: "x", scopes: ["chat"], expires_at: "tomorrow" }],
    [{ name: "x", scopes: ["chat"], expires_at: "2001-01-01T00:00:00Z" }],
    [{ name: "x", scopes: ["chat"], expires_at: "2090-02-31" }],
  ])("are not created from %j", async (wish) => {
    const { call, admin } = await withAdmin();
    expect((await call("POST", "/keys", wish, admin.headers)).status).toBe(400);
    expect((await call("GET", "/keys", undefined, admin.headers)).body).toMatchObject({ data: [{ id: admin.id }] });
  });

  test("are not stored with an idempotency key, which would store their text", async () => {
    const { call, admin } = await withAdmin();
    const headers = { ...admin.headers, "idempotency-key": "once" };
    const { status } = await call("POST", "/keys", { name: "x", scopes: ["chat"] }, headers);
    expect(status).toBe(400);
    expect((await call("GET", "/keys", undefined, admin.headers)).body["data"]).toHaveLength(1);
  });
});

test("the first key of a server is one of an admin, with which the page opens its session", async () => {
  const { app } = serve();
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  const client = createClient({ url });
  await expect(client.keys.create({ name: "app", scopes: ["chat"] })).rejects.toMatchObject({
    status: 409,
    code: "key-first",
  });
  expect(await client.keys.list()).toEqual([]);
  const { text } = await client.keys.create({ name: "Me", scopes: ["admin"] });
  await expect(client.keys.list()).rejects.toMatchObject({ status: 401, code: "key-missing" });
  expect(await client.session.open(text)).toMatchObject({ name: "Me", project: "default", needs_key: true });
  const other = await createClient({ url, key: text }).keys.create({ name: "app", scopes: ["chat"] });
  await createClient({ url, key: text }).keys.revoke(other.id);
  const left = await createClient({ url, key: text }).keys.list();
  expect(left.map(({ name, revoked_at }) => [name, revoked_at === null])).toEqual([
    ["Me", true],
    ["app", false],
  ]);
});
