import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

import { describe, expect, onTestFinished, test } from "vitest";

import { serve } from "./serve-fixture.ts";

const document = '<!doctype html><script type="module" src="/assets/index-B2x.js"></script>';
const script = `console.log("${"studio ".repeat(200)}");`;

function builtStudio(): string {
  const folder = mkdtempSync(join(tmpdir(), "undangle-studio-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "assets"));
  writeFileSync(join(folder, "index.html"), document);
  writeFileSync(join(folder, "assets", "index-B2x.js"), script);
  writeFileSync(join(folder, "assets", "secret.pem"), "not a file of a page");
  return folder;
}

const withStudio = (studio: string | boolean = builtStudio()) => serve({ options: { studio } });

describe("the studio", () => {
  test.each(["/", "/t/bills", "/t/bills/timeline", "/t/a%2Fb", "/doctor", "/settings", "/settings/keys", "/?lang=zh"])(
    "is the document at %s",
    async (url) => {
      const { status, text, headers } = await withStudio().call("GET", url);
      expect([status, text, headers["content-type"]]).toEqual([200, document, "text/html; charset=utf-8"]);
    },
  );

  test.each(["/threads", "/threads/t", "/queue", "/session", "/keys", "/tx", "/doctors", "/settingsx", "/nothing"])(
    "is not at %s, which belongs to the API",
    async (url) => {
      const { headers } = await withStudio().call("GET", url);
      expect(headers["content-type"]).toBe("application/json; charset=utf-8");
    },
  );

  test("runs only its own files, and no other page can show it in a frame", async () => {
    const { call } = withStudio();
    for (const url of ["/", "/t/x", "/assets/index-B2x.js"]) {
      const { headers } = await call("GET", url);
      expect(headers).toMatchObject({
        "content-security-policy":
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        "referrer-policy": "no-referrer",
        "x-frame-options": "DENY",
        "x-content-type-options": "nosniff",
        "cross-origin-opener-policy": "same-origin",
        "permissions-policy": expect.stringContaining("camera=()") as string,
      });
    }
  });

  test("is cached by the names of its assets; its document is asked for again", async () => {
    const { call } = withStudio();
    const asset = await call("GET", "/assets/index-B2x.js");
    expect(asset.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
    const { headers } = await call("GET", "/");
    expect(headers["cache-control"]).toBe("no-cache");
    const again = await call("GET", "/", undefined, { "if-none-match": String(headers["etag"]) });
    expect([again.status, again.text]).toEqual([304, ""]);
  });

  test.each([
    ["gzip, deflate, br", "gzip"],
    ["br", undefined],
    ["gzip;q=0", undefined],
    ["", undefined],
  ])("is compressed for a client that accepts %j", async (accepted, encoding) => {
    const { app } = withStudio();
    const answer = await app.inject({ url: "/assets/index-B2x.js", headers: { "accept-encoding": accepted } });
    expect(answer.headers["content-encoding"]).toBe(encoding);
    const content = encoding === undefined ? answer.rawPayload : gunzipSync(answer.rawPayload);
    expect(content.toString()).toBe(script);
  });

  test.each([
    "/assets/",
    "/assets/none.js",
    "/assets/secret.pem",
    "/assets/../index.html",
    "/assets/%2e%2e/%2e%2e/package.json",
    "/assets/..%2f..%2fpackage.json",
    "/assets/..\\package.json",
    "/assets/index-B2x.js%00",
    "/assets//etc/passwd",
  ])("has no file %s", async (url) => {
    const { status, body } = await withStudio().call("GET", url);
    expect([status, body]).toMatchObject([404, { error: { code: "route-unknown" } }]);
  });

  test("needs no key, on a server that requires one, under any host name", async () => {
    const { app, call } = withStudio();
    await app.ready();
    await app.service.keys.create({ name: "app", scopes: ["chat"], project: "default" });
    const host = { host: "agents.example.com" };
    for (const url of ["/", "/t/bills", "/assets/index-B2x.js"])
      expect([url, (await call("GET", url, undefined, host)).status]).toEqual([url, 200]);
    expect((await call("GET", "/threads", undefined, host)).status).toBe(401);
  });

  test("is not there if it is switched off", async () => {
    const { call } = withStudio(false);
    for (const url of ["/", "/t/x", "/doctor", "/assets/index-B2x.js"])
      expect([url, (await call("GET", url)).status]).toEqual([url, 404]);
  });

  test("is no part of the description of the API", async () => {
    const { app } = withStudio();
    const { paths } = (await app.inject("/openapi.json")).json<{ paths: object }>();
    expect(Object.keys(paths).filter((path) => /^\/(?:$|t\/|doctor|settings|assets)/u.test(path))).toEqual([]);
  });

  test.each([
    ["en", "The studio is not built"],
    ["zh-CN", "工作台尚未构建"],
  ])("says how to build it where it is not built (%s), and is there once it is", async (language, title) => {
    const folder = mkdtempSync(join(tmpdir(), "undangle-studio-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const { call } = withStudio(join(folder, "later"));
    const { status, text, headers } = await call("GET", "/t/bills", undefined, { "accept-language": language });
    expect([status, headers["cache-control"], headers["x-frame-options"]]).toEqual([200, "no-store", "DENY"]);
    expect(text).toContain(`<html lang="${language}">`);
    expect(text).toContain(title);
    expect(text).toContain("npm run build");
    expect(text).not.toMatch(/<script|<style|<link|\sstyle=/iu);
    mkdirSync(join(folder, "later"));
    writeFileSync(join(folder, "later", "index.html"), document);
    expect((await call("GET", "/")).text).toBe(document);
  });
});
