import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";

import { tool } from "undangle/agent";
import { expect, onTestFinished, test } from "vitest";

import { serve } from "./serve-fixture.ts";

test("a webhook is told when a thread begins to wait, again when it did not answer, and signed", async () => {
  const got: { readonly signature: unknown; readonly body: string }[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const hook = createHttpServer((request, answer) => {
    void (async () => {
      let body = "";
      for await (const piece of request) body += String(piece);
      got.push({ signature: request.headers["x-undangle-signature"], body });
      answer.writeHead(got.length === 1 ? 500 : 204).end();
      if (got.length === 2) resolve();
    })();
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void hook.close());
  await once(hook, "listening");
  const url = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/`;
  const pay = tool({ name: "pay", description: "Pays.", approval: true, execute: () => "paid" });
  const { call } = serve({
    turns: [{ calls: [{ name: "pay" }] }],
    agent: { tools: [pay] },
    options: { webhook: { url, secret: "s" } },
  });
  await call("POST", "/threads", { id: "t" });
  await call("POST", "/threads/t/messages?wait=true", { content: "Pay." });
  await promise;
  const [, second] = got;
  expect(JSON.parse(second?.body ?? "")).toMatchObject({
    type: "thread.waiting",
    thread_id: "t",
    pending: [{ id: "call_1" }],
  });
  expect(second?.signature).toBe(
    `sha256=${createHmac("sha256", "s")
      .update(second?.body ?? "")
      .digest("hex")}`,
  );
});
