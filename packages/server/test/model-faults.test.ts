import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import type { RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

import { tool } from "undangle/agent";
import { openaiCompatible } from "undangle/models";
import { wireServer } from "undangle/testing";
import { pino } from "pino";
import { describe, expect, onTestFinished, test } from "vitest";

import type { ServerOptions } from "../src/index.ts";
import { serve } from "./serve-fixture.ts";
import type { Answered, Served } from "./serve-fixture.ts";

const chat = "/v1/chat/completions";
const look = tool({
  name: "look",
  description: "Looks.",
  input: { type: "object", properties: { where: { type: "string" } } },
  execute: () => "seen",
});

/** A server whose model is asked over HTTP at this address, once and without much patience. */
function serveWith(baseURL: string, options: ServerOptions = {}): Served {
  const model = openaiCompatible({
    baseURL,
    apiKey: "sk-very-secret",
    retries: 0,
    timeouts: { connect: 1_000, firstByte: 1_000, idle: 1_000 },
  })("some-model");
  return serve({ config: { agents: { helper: { model, tools: [look] } } }, options });
}

/** A provider that does something else than answer, until it has recovered. */
async function brokenProvider(answer: RequestListener): Promise<{ readonly url: string; recover(): void }> {
  const healthy = await wireServer({ turns: () => ({ text: "Here I am." }) });
  let isBroken = true;
  const server = createHttpServer((request, response) => {
    if (isBroken) return answer(request, response);
    void (async () => {
      const pieces: Buffer[] = [];
      for await (const piece of request) pieces.push(piece as Buffer); // as requests have them
      const given = await fetch(healthy.url + (request.url ?? ""), {
        method: "POST",
        headers: { "content-type": "application/json", authorization: "Bearer x" },
        body: Buffer.concat(pieces),
      });
      response.writeHead(given.status, { "content-type": given.headers.get("content-type") ?? "" });
      response.end(await given.text());
    })();
    return undefined;
  }).listen(0, "127.0.0.1");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await healthy.close();
  });
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${new URL(healthy.baseUrl("openai-chat")).pathname}`,
    recover() {
      isBroken = false;
    },
  };
}

const chunk = (delta: object): string =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta }] })}\n\n`;
const stream = { "content-type": "text/event-stream" };
const halfACall = {
  role: "assistant",
  tool_calls: [{ index: 0, id: "call_x", type: "function", function: { name: "look", arguments: '{"where": "un' } }],
};

/** What providers do, and the status that a caller may get for it. */
const faults: readonly [what: string, answer: RequestListener, statuses: readonly number[]][] = [
  ["says nothing", () => undefined, [504]],
  ["sends headers and then nothing", (_, response) => response.writeHead(200, stream).flushHeaders(), [504]],
  ["resets the connection", (request) => void request.socket.resetAndDestroy(), [502]],
  [
    "has no more requests to give",
    (_, response) => void response.writeHead(429).end('{"error":{"message":"slow down"}}'),
    [429],
  ],
  ["sends an empty stream", (_, response) => void response.writeHead(200, stream).end(), [502]],
  [
    "sends an end and nothing else",
    (_, response) => void response.writeHead(200, stream).end("data: [DONE]\n\n"),
    [502],
  ],
  ["fails", (_, response) => void response.writeHead(500).end('{"error":{"message":"oops"}}'), [502, 503]],
  [
    "answers with a page",
    (_, response) => void response.writeHead(200, { "content-type": "text/html" }).end("<html>Welcome</html>"),
    [502, 503],
  ],
  [
    "answers an error with a page",
    (_, response) => void response.writeHead(502, { "content-type": "text/html" }).end("<html>Bad gateway</html>"),
    [502, 503],
  ],
  [
    "does not accept the key",
    (_, response) =>
      void response.writeHead(401).end('{"error":{"message":"Incorrect API key provided: sk-very-secret"}}'),
    [502],
  ],
  [
    "breaks off in the middle of arguments",
    (_, response) => {
      response.writeHead(200, stream).write(chunk(halfACall));
      setTimeout(() => response.destroy(), 50);
    },
    [502, 504],
  ],
  [
    "falls silent in the middle of arguments",
    (_, response) => void response.writeHead(200, stream).write(chunk(halfACall)),
    [502, 504],
  ],
];

const codeOf = ({ text }: Answered): unknown =>
  (JSON.parse(text.startsWith("data:") ? text.slice(5) : text) as { error?: { code?: unknown } }).error?.code;

describe.each([false, true])("a provider (streamed: %s)", (streamed) => {
  test.each(faults)("that %s is a clear error, and the thread goes on", async (_, answer, statuses) => {
    const provider = await brokenProvider(answer);
    const { call } = serveWith(provider.url);
    await call("POST", "/threads", { id: "t" });
    const ask = { messages: [{ role: "user", content: "Where?" }], thread_id: "t", stream: streamed };
    const failed = await call("POST", chat, ask);
    expect(statuses).toContain(failed.status);
    expect(codeOf(failed)).toMatch(/^model\//u);
    expect(failed.text).not.toMatch(/sk-very-secret|127\.0\.0\.1|<html/u);
    provider.recover();
    const { status, messages } = (await call("GET", "/threads/t")).body;
    expect([status, JSON.stringify(messages).includes("tool_calls")]).toEqual(["idle", false]);
    const again = await call("POST", "/threads/t/regenerate?wait=true");
    expect(again.body).toMatchObject({ status: "done", text: "Here I am." });
  });
});

test("what a model has said before it broke off is told to be void, in the stream", async () => {
  const provider = await brokenProvider((_, response) => {
    response.writeHead(200, stream).write(chunk({ role: "assistant", content: "I think" }));
    setTimeout(() => response.destroy(), 50);
  });
  const { call } = serveWith(provider.url);
  const answer = await call("POST", chat, { messages: [{ role: "user", content: "x" }], stream: true });
  expect(answer.status).toBe(200);
  expect(answer.text).toMatch(/"error":\{"message":.+"type":"server_error"/u);
  expect(answer.text).not.toContain("[DONE]");
});

test("a call without an id gets one, and a line in the log", async () => {
  const provider = await wireServer({
    turns: [{ calls: [{ name: "look", arguments: { where: "here" } }], faults: ["id-never"] }, { text: "Seen." }],
  });
  onTestFinished(() => provider.close());
  const lines: string[] = [];
  const logger = pino({}, { write: (line: string) => void lines.push(line) });
  const { call } = serveWith(provider.baseUrl("openai-chat"), { logger });
  const answer = await call("POST", chat, { messages: [{ role: "user", content: "x" }] });
  expect([answer.status, answer.text.includes("Seen.")]).toEqual([200, true]);
  expect(lines.filter((line) => line.includes('"level":40')).join("")).toContain("id");
});
