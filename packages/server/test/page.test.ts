import { createHash } from "node:crypto";

import { memoryStore } from "undangle/agent";
import { expect, test } from "vitest";

import { createServer } from "../src/index.ts";
import { serve } from "./serve-fixture.ts";

test("the page has no script and nothing from elsewhere, and its policy allows just its own style", async () => {
  const { text, headers } = await serve().call("GET", "/");
  expect(text).not.toMatch(/<script|<link|<img|<iframe|\son\w+=|\ssrc=|\shref=|@import|url\(/iu);
  const style = /<style>(.*)<\/style>/su.exec(text)?.[1] ?? "";
  const hash = createHash("sha256").update(style).digest("base64");
  expect(headers["content-security-policy"]).toContain(`default-src 'none'; style-src 'sha256-${hash}'`);
  expect(headers["content-security-policy"]).not.toContain("unsafe");
});

test("every endpoint on the page is one of the server", async () => {
  const { app, call } = serve();
  const { text } = await call("GET", "/");
  const { paths } = (await app.inject("/openapi.json")).json<{ paths: Record<string, object> }>();
  const rows = [...text.matchAll(/<tr><td><code>(\w+)<\/code><\/td><td><code>([^<]+)<\/code>/gu)];
  expect(rows.length).toBeGreaterThan(15);
  for (const [, method = "", path = ""] of rows)
    expect(paths[path.replace(/\?.*/u, "").replace(":id", "{id}")]).toHaveProperty(method.toLowerCase());
});

test("it speaks the language of the browser, and shows names as they are", async () => {
  const { call } = serve({ config: { personas: [{ id: "a", name: "<b>&'", instructions: "Be brief." }] } });
  const chinese = (await call("GET", "/", undefined, { "accept-language": "zh-CN,zh;q=0.9" })).text;
  expect(chinese).toContain('<html lang="zh-CN">');
  expect(chinese).toContain("现在几点钟？");
  const { text } = await call("GET", "/", undefined, { "accept-language": "de,en;q=0.9" });
  expect(text).toContain('<html lang="en">');
  expect(text).toContain("&#60;b&#62;&#38;&#39;");
});

test("what it says about approvals works as it stands there", async () => {
  const app = createServer({ store: memoryStore(), folder: import.meta.dirname, env: {} });
  const { body } = await app.inject("/");
  const commands = [...body.matchAll(/<pre><code>(.*?)<\/code><\/pre>/gsu)].map(([, command = ""]) =>
    unescaped(command),
  );
  const answers: unknown[] = [];
  for (const command of commands.slice(1)) {
    const [, url = "", payload = ""] = /http:\/\/[^/]+(\/[^']*)'.* -d '(.*)'$/su.exec(command) ?? [];
    const answer = await app.inject({ method: "POST", url, payload, headers: { "content-type": "application/json" } });
    answers.push(answer.json());
  }
  await app.close();
  expect(answers).toMatchObject([
    { id: "bills" },
    { status: "waiting", pending: [{ id: "call_2" }, { id: "call_3" }, { id: "call_4" }] },
    { status: "done", text: expect.stringContaining("Invoice 12 is paid: 300 euros.") as string },
  ]);
});

test("where a key is wanted, it says so and names nobody", async () => {
  const { app, call } = serve();
  await app.ready();
  await app.service.keys.create({ name: "app", scopes: ["chat"], project: "default" });
  const { text } = await call("GET", "/");
  expect(text).toContain("This server requires a key");
  expect(text).toContain("Authorization: Bearer ud_…");
  expect(text).not.toContain("helper");
});

const unescaped = (text: string): string =>
  text.replaceAll(/&#(\d+);/gu, (_, code: string) => String.fromCharCode(Number(code)));
