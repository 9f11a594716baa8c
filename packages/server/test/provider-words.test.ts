import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import type { RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

import { openaiCompatible } from "undangle/models";
import { pino } from "pino";
import { describe, expect, onTestFinished, test } from "vitest";

import { serve } from "./serve-fixture.ts";
import type { Served } from "./serve-fixture.ts";

const chat = "/v1/chat/completions";
const secret = "oops internal 10.0.0.3";
const ask = { messages: [{ role: "user", content: "Where?" }] };

/** A server whose provider does this, and what it logs. */
async function serveWith(answer: RequestListener, retries = 0): Promise<Served & { readonly log: string[] }> {
  const provider = createHttpServer((request, response) => {
    request.resume();
    answer(request, response);
  }).listen(0, "127.0.0.1");
  onTestFinished(() => {
    provider.closeAllConnections();
    provider.close();
  });
  await once(provider, "listening");
  const { port } = provider.address() as AddressInfo; // it listens
  const log: string[] = [];
  const logger = pino({}, { write: (line: string) => void log.push(line) });
  const baseURL = `http://127.0.0.1:${port}/v1`;
  const model = openaiCompatible({ baseURL, apiKey: "sk-very-secret", retries, retryDelay: 1 })("some-model");
  return { ...serve({ config: { agents: { helper: { model } } }, options: { logger } }), log };
}

const refusing =
  (status: number, headers: Readonly<Record<string, string>> = {}): RequestListener =>
  (_, response) =>
    void response.writeHead(status, headers).end(JSON.stringify({ error: { message: secret } }));

const streamed = { "content-type": "text/event-stream" };
const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

describe("what a provider says in an error is in the log, and in no response", () => {
  test.each([
    ...[400, 401, 403, 404, 408, 409, 413, 418, 422, 429, 500, 502, 503, 529].map(
      (status) => [`status ${status}`, refusing(status)] as const,
    ),
    [
      "a quota",
      (_, response) =>
        void response.writeHead(429).end(`{"error":{"code":"insufficient_quota","message":"${secret}"}}`),
    ],
    [
      "too long",
      (_, response) =>
        void response.writeHead(400).end(`{"error":{"code":"context_length_exceeded","message":"${secret}"}}`),
    ],
    [
      "filtered",
      (_, response) => void response.writeHead(400).end(`{"error":{"code":"content_filter","message":"${secret}"}}`),
    ],
    [
      "a redirect",
      (_, response) =>
        void response.writeHead(302, { location: `http://10.0.0.3/${encodeURIComponent(secret)}` }).end(),
    ],
    [
      "an event",
      (_, response) =>
        void response.writeHead(200, streamed).end(`data: {"error":{"message":"${secret}","code":500}}\n\n`),
    ],
    [
      "an event behind a text",
      (_, response) =>
        void response
          .writeHead(200, streamed)
          .end(
            `${chunk({ role: "assistant", content: "Well" })}data: {"error":{"message":"${secret}","code":500}}\n\n`,
          ),
    ],
  ] as readonly (readonly [string, RequestListener])[])("%s", async (_, answer) => {
    const { app, call, log } = await serveWith(answer);
    const texts = [
      (await call("POST", chat, ask)).text,
      (await call("POST", chat, { ...ask, stream: true })).text,
      (await call("POST", "/threads", { id: "t" })).text,
      (await call("POST", "/threads/t/messages?wait=true", { content: "Where?" })).text,
      (await call("POST", "/threads/t/regenerate", undefined, { accept: "text/event-stream" })).text,
      (await call("GET", "/threads/t")).text,
    ];
    for (const text of texts) expect(text).not.toMatch(/oops|10\.0\.0\.3|127\.0\.0\.1|sk-very|<html/u);
    expect(log.join("")).toContain("10.0.0.3");
    await app.close();
  });
});

test("a warning that a provider is requested again has none of its words", async () => {
  let asked = 0;
  const { call } = await serveWith((request, response) => {
    asked += 1;
    if (asked === 1) refusing(429, { "retry-after": "2" })(request, response);
    else
      response
        .writeHead(200, streamed)
        .end(`${chunk({ role: "assistant", content: "Here." })}${chunk({}, "stop")}data: [DONE]\n\n`);
  }, 1);
  await call("POST", "/threads", { id: "t" });
  const { text } = await call("POST", "/threads/t/messages", { content: "Where?" }, { accept: "text/event-stream" });
  expect(text).toMatch(/event: warning\ndata: .*limits the request rate/u);
  expect([text.includes("oops"), text.includes("Here.")]).toEqual([false, true]);
});

describe("a provider's rate limit", () => {
  test.each([false, true])("is a 429 that passes on Retry-After (streamed: %s)", async (stream) => {
    const { call } = await serveWith(refusing(429, { "retry-after": "7" }));
    const { status, headers, body } = await call("POST", chat, { ...ask, stream });
    expect([status, headers["retry-after"], body]).toMatchObject([
      429,
      "7",
      { error: { type: "rate_limit_error", code: "model/rate-limit" } },
    ]);
  });

  test("that is a used-up quota is a 503: a caller cannot wait for it", async () => {
    const { call } = await serveWith(
      (_, response) => void response.writeHead(429).end('{"error":{"code":"insufficient_quota","message":"Pay."}}'),
    );
    const { status, headers, body } = await call("POST", chat, ask);
    expect([status, headers["retry-after"], body]).toMatchObject([503, undefined, { error: { type: "server_error" } }]);
  });

  test("an overloaded provider is a 503 that passes on Retry-After", async () => {
    const { call } = await serveWith(refusing(503, { "retry-after": "3" }));
    const { status, headers } = await call("POST", chat, ask);
    expect([status, headers["retry-after"]]).toEqual([503, "3"]);
  });
});

describe("a stream whose provider broke off and was requested again", () => {
  const breakingOff = (then: RequestListener): RequestListener =>
    (() => {
      let asked = 0;
      return (request, response) => {
        asked += 1;
        if (asked > 1) return then(request, response);
        response.writeHead(200, streamed).write(chunk({ role: "assistant", content: "I think" }));
        setTimeout(() => response.destroy(), 20);
        return undefined;
      };
    })();

  test("ends with an error that points to the thread, once that has the response", async () => {
    const { call } = await serveWith(
      breakingOff(
        (_, response) =>
          void response
            .writeHead(200, streamed)
            .end(`${chunk({ role: "assistant", content: "Here." })}${chunk({}, "stop")}data: [DONE]\n\n`),
      ),
      1,
    );
    const { text, headers } = await call("POST", chat, { ...ask, stream: true });
    expect(text).toContain("The thread has the complete response.");
    expect([text.includes("Here."), text.includes("[DONE]")]).toEqual([false, false]);
    const { body } = await call("GET", `/threads/${String(headers["x-undangle-thread"])}`);
    expect(JSON.stringify(body["messages"])).toContain("Here.");
  });

  test("ends with the error of the last attempt where that failed too", async () => {
    const { call } = await serveWith(breakingOff(refusing(500)), 1);
    const { text } = await call("POST", chat, { ...ask, stream: true });
    expect(text).not.toContain("right response");
    expect(text).toContain('"code":"model/overloaded"');
  });
});
