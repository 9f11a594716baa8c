import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";

import { expect, onTestFinished, test, vi } from "vitest";

import { serve } from "./serve-fixture.ts";

/** A request as it is written to a socket. */
function written(method: string, path: string, body = ""): string {
  const type = body === "" ? "" : "content-type: application/json\r\n";
  return `${method} ${path} HTTP/1.1\r\nhost: localhost\r\n${type}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

test.each([
  ["GET", "/threads"],
  ["GET", "/healthz"],
  ["POST", "/v1/chat/completions"],
  ["GET", "/nowhere"],
])("%s %s that arrives while the server shuts down is refused as errors are", async (method, path) => {
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<{ text: string }>();
  const { app } = serve({
    turns: [
      () => {
        asked.resolve();
        return answer.promise;
      },
    ],
  });
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  let text = "";
  socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
  const body = JSON.stringify({ messages: [{ role: "user", content: "Hi." }] });
  socket.write(written("POST", "/v1/chat/completions", body));
  await asked.promise; // the connection is at work, and is not closed as an idle one
  const closed = app.close();
  await once(app.service.closing.signal, "abort");
  const seen = new Promise<void>((resolve) => app.server.once("request", () => resolve()));
  socket.write(written(method, path, method === "POST" ? body : ""));
  await seen;
  answer.resolve({ text: "Hello." });
  await Promise.all([closed, once(socket, "close")]);
  const [, first = "", second = ""] = text.split("HTTP/1.1 ");
  expect(first).toMatch(/^200 [^]*Hello\./u);
  expect(second).toMatch(/^503 /u);
  expect(second).toMatch(/^x-request-id: [\da-f-]{36}\r$/imu);
  expect(second).toMatch(/^retry-after: \d+\r$/imu);
  expect(JSON.parse(second.slice(second.indexOf("\r\n\r\n")))).toEqual({
    error: { message: expect.any(String) as string, type: "server_error", param: null, code: "shutting-down" },
  });
});

const beginning = "POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\n";

test.each([
  ["that never sent a request", ""],
  ["with half of the headers", beginning],
  ["with half of a body", `${beginning}content-type: application/json\r\ncontent-length: 100\r\n\r\n{"messages"`],
  ["that has had a response", written("GET", "/healthz")],
  ["with half of a second request", written("GET", "/healthz") + beginning],
])("a connection %s does not keep the server open", async (_, text) => {
  const { app } = serve({ options: { limits: { requestTime: 200 } } });
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  const accepted = new Promise<Socket>((resolve) => app.server.once("connection", resolve));
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  const closed = once(socket, "close");
  socket.on("error", () => undefined).resume(); // a reset is fine, too
  if (text !== "") socket.write(text);
  await vi.waitUntil(async () => (await accepted).bytesRead === Buffer.byteLength(text), { interval: 5 });
  await app.close();
  await closed;
  expect(app.server.listening).toBe(false);
});

test("a request whose body is still sent when the server begins to close is served", async () => {
  const { app } = serve({ turns: [{ text: "Hello." }] });
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  let text = "";
  socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
  const closed = once(socket, "close");
  const request = written(
    "POST",
    "/v1/chat/completions",
    JSON.stringify({ messages: [{ role: "user", content: "Hi." }] }),
  );
  const seen = once(app.server, "request");
  socket.write(request.slice(0, -10));
  await seen;
  const closing = app.close();
  await once(app.service.closing.signal, "abort");
  socket.write(request.slice(-10));
  await Promise.all([closing, closed]);
  expect(text).toMatch(/^HTTP\/1\.1 200 [^]*Hello\./u);
});
