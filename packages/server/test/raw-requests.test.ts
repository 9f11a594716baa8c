import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

import { describe, expect, onTestFinished, test } from "vitest";

import { serve } from "./serve-fixture.ts";

/** What comes back over a connection to a server, until that is closed. */
async function sent(write: (socket: ReturnType<typeof connect>) => unknown): Promise<string> {
  const { app } = serve({ options: { limits: { requestTime: 300, body: 10_000 } } });
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  let text = "";
  socket.on("data", (piece: Buffer) => {
    text += piece.toString();
  });
  socket.on("error", () => undefined); // it may be cut while something is written
  await once(socket, "connect");
  await write(socket);
  if (!socket.destroyed) await once(socket, "close");
  return text;
}

const head = "POST /threads HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n";

describe("over a bare connection", () => {
  test.each([
    ["what is no HTTP", "HELLO\r\n\r\n", 400, "not-http"],
    [
      "too many headers",
      `GET / HTTP/1.1\r\nhost: localhost\r\nx: ${"y".repeat(40_000)}\r\n\r\n`,
      431,
      "headers-too-large",
    ],
    ["two lengths", `${head}content-length: 2\r\ncontent-length: 3\r\n\r\n{}`, 400, "not-http"],
    ["a length and pieces", `${head}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`, 400, "not-http"],
    [
      "two hosts",
      "GET /healthz HTTP/1.1\r\nhost: localhost\r\nhost: example.com\r\nconnection: close\r\n\r\n",
      400,
      "host-ambiguous",
    ],
    [
      "an address of another host",
      "GET http://example.com/threads HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n",
      400,
      "host-ambiguous",
    ],
  ])("%s is refused", async (_, text, status, code) => {
    const answer = await sent((socket) => socket.write(text));
    expect(answer).toContain(`HTTP/1.1 ${status}`);
    expect(answer).toContain(`"code":"${code}"`);
  });

  test("an address of this host is answered as its path is", async () => {
    const answer = await sent((socket) =>
      socket.write("GET http://localhost/threads HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"),
    );
    expect(answer).toContain("HTTP/1.1 200");
  });

  test.each(["/healthz", "/readyz", "/"])("HEAD %s has the headers of GET, and no body", async (path) => {
    const answer = await sent((socket) =>
      socket.write(`HEAD ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`),
    );
    expect(answer).toContain("HTTP/1.1 200");
    expect(answer.split("\r\n\r\n")[1]).toBe("");
  });

  test("a body that comes byte by byte is not waited for for long", async () => {
    const answer = await sent(async (socket) => {
      socket.write(`${head}content-length: 5000\r\n\r\n`);
      while (!socket.destroyed) {
        socket.write(" ");
        await pause(50);
      }
    });
    expect(answer).toContain("HTTP/1.1 408");
    expect(answer).toContain('"code":"too-slow"');
  });

  test("headers that come byte by byte are not waited for for long", async () => {
    const answer = await sent(async (socket) => {
      socket.write("GET / HTTP/1.1\r\nx: ");
      while (!socket.destroyed) {
        socket.write("y");
        await pause(50);
      }
    });
    expect(answer).toContain("HTTP/1.1 408");
  });

  test("a body without end is cut off at its limit", async () => {
    const answer = await sent(async (socket) => {
      socket.write(`${head}transfer-encoding: chunked\r\n\r\n`);
      for (let i = 0; i < 1000 && !socket.destroyed; i++) {
        socket.write(`400\r\n${"x".repeat(1024)}\r\n`);
        await pause(0);
      }
      socket.end();
    });
    expect(answer).toContain("HTTP/1.1 413");
    expect(answer).toContain('"code":"body-too-large"');
  });
});
