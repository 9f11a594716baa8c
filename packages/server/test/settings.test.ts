import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { memoryStore } from "undangle/agent";
import type { ServerConfig } from "undangle/config";
import { describe, expect, onTestFinished, test } from "vitest";

import { createServer } from "../src/index.ts";
import { serve as serveFolder } from "../src/serve.ts";
import { settingsOf } from "../src/server-options.ts";
import { serve } from "./serve-fixture.ts";

const withSection = (server: ServerConfig) => serve({ config: { agents: { helper: { model: "demo" } }, server } });

describe("the section server of the config", () => {
  test("allows origins and hosts", async () => {
    const { call } = withSection({ origins: ["http://localhost:3000"], hosts: ["box.local"] });
    const ask = async (headers: Readonly<Record<string, string>>) =>
      (await call("GET", "/v1/models", undefined, headers)).status;
    expect(await ask({ origin: "http://localhost:3000" })).toBe(200);
    expect(await ask({ origin: "http://localhost:3001" })).toBe(403);
    expect(await ask({ host: "box.local" })).toBe(200);
    expect(await ask({ host: "evil.example" })).toBe(403);
  });

  test("sets limits", async () => {
    const { app, call } = withSection({ limits: { rate: 2, body: 100, connections: 7, requestTime: 500 } });
    expect((await call("POST", "/threads", { title: "x".repeat(100) })).status).toBe(413);
    expect((await call("POST", "/threads", {})).headers["x-ratelimit-limit-requests"]).toBe("2");
    expect((await call("POST", "/threads", {})).status).toBe(429);
    expect([app.server.maxConnections, app.server.requestTimeout]).toEqual([7, 500]);
  });

  test("is less than an option, one by one", () => {
    const section = { hosts: ["a"], origins: ["https://a.example"], limits: { rate: 1, runs: 2 }, timeZone: "UTC" };
    expect(
      settingsOf({ hosts: ["b"], limits: { rate: 3, body: undefined }, origins: undefined }, section),
    ).toMatchObject({
      hosts: ["b"],
      origins: ["https://a.example"],
      limits: { rate: 3, runs: 2, body: 10 * 1024 * 1024 },
      timeZone: "UTC",
    });
  });

  test("of a file holds for a server in its folder", async () => {
    const folder = mkdtempSync(join(tmpdir(), "undangle-settings-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(
      join(folder, "undangle.config.mjs"),
      `export default { server: { origins: ["http://localhost:3000"], limits: { body: 50 } } };`,
    );
    const serving = await serveFolder({
      port: 0,
      host: "127.0.0.1",
      folder,
      store: "memory",
      env: { UNDANGLE_LOG: "silent" },
    });
    onTestFinished(() => serving.close());
    const post = async (body: string) => {
      const response = await fetch(`${serving.url}/threads`, {
        method: "POST",
        headers: { "content-type": "application/json", origin: "http://localhost:3000" },
        body,
      });
      return response.status;
    };
    expect([await post("{}"), await post(`{"title":"${"x".repeat(60)}"}`)]).toEqual([201, 413]);
  });
});

test.each([
  [
    "origin-unknown",
    { host: "localhost", origin: "http://localhost:3000" },
    "undangle serve --allow-origin http://localhost:3000",
  ],
  ["host-unknown", { host: "box.local:4111" }, "undangle serve --allow-host box.local"],
])("%s names the option of the command that allows it", async (code, headers, advice) => {
  const { call } = serve();
  const { body } = await call("GET", "/v1/models", undefined, headers);
  expect(body).toMatchObject({ error: { code, message: expect.stringContaining(advice) as string } });
  expect(JSON.stringify(body)).toMatch(/server\.(?:origins|hosts) in undangle\.config\.ts/u);
});

test.each([
  ["origins[0]", { origins: ["localhost:3000"] }],
  ["hosts", { hosts: "example.com" }],
  ["limits.rate", { limits: { rate: -1 } }],
  ["limits.rates", { limits: { rates: 1 } }],
  ["timeZone", { timeZone: "Mars/Olympus" }],
  ["webhook.url", { webhook: {} }],
  ["studio", { studio: "" }],
])("the option %s is refused by its name", (option, options) => {
  expect(() => createServer({ store: memoryStore(), ...(options as ServerConfig) })).toThrow(
    expect.objectContaining({ data: expect.objectContaining({ option }) as object }) as Error,
  );
});
