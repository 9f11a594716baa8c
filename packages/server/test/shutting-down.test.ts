import { once } from "node:events";
import { connect } from "node:net";

import { expect, onTestFinished, test } from "vitest";

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
