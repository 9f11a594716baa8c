import { once } from "node:events";
import { connect } from "node:net";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

import Fastify from "fastify";
import { describe, expect, onTestFinished, test } from "vitest";

import { sendStream } from "../src/responses/event-stream.ts";
import type { StreamOptions } from "../src/responses/event-stream.ts";
import { serve } from "./serve-fixture.ts";

/** A server that streams without end, and what it has produced. */
async function endless(options: StreamOptions) {
  const app = Fastify();
  onTestFinished(() => app.close());
  const produced = { bytes: 0, isOver: false };
  async function* texts(): AsyncGenerator<string> {
    try {
      for (;;) {
        const text = `data: ${"x".repeat(10_000)}\n\n`;
        produced.bytes += text.length;
        yield text;
        await pause(0);
      }
    } finally {
      produced.isOver = true;
    }
  }
  app.get("/", (_request, reply) => sendStream(reply, texts(), options));
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as AddressInfo;
  return { port, produced };
}

describe("a stream", () => {
  test("waits for somebody who reads nothing, holds little for them, and lets them go at last", async () => {
    const { port, produced } = await endless({ every: 20, patience: 300 });
    const socket = connect(port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    socket.pause();
    socket.write("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n");
    while (!produced.isOver) await pause(10);
    expect(produced.bytes).toBeLessThan(20 * 1024 * 1024); // what sockets hold on both sides, and 64 KB
  });

  test("ends when it is not wanted any more", async () => {
    let isWanted = true;
    const { port, produced } = await endless({ every: 10, isWanted: () => Promise.resolve(isWanted) });
    const answer = await fetch(`http://127.0.0.1:${port}/`);
    const read = answer.text();
    await pause(50);
    expect(produced.isOver).toBe(false);
    isWanted = false;
    await expect(read).rejects.toThrow(/terminated/u); // it is cut, so that nobody takes it for whole
    expect(produced.isOver).toBe(true);
  });
});

test("a client that leaves in the middle of an answer does not stop it", async () => {
  const { app, call, model } = serve({ turns: [{ text: "One two three four five six.", pace: 20 }] });
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  await call("POST", "/threads", { id: "t" });
  const body = JSON.stringify({ messages: [{ role: "user", content: "Count." }], stream: true, thread_id: "t" });
  const { port } = new URL(url);
  const socket = connect(Number(port), "127.0.0.1");
  const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n`;
  socket.write(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  await once(socket, "data");
  socket.destroy();
  const read = async () => (await call("GET", "/threads/t")).body;
  while ((await read())["status"] !== "idle") await pause(20);
  expect((await read())["messages"]).toMatchObject([{}, { content: "One two three four five six." }]);
  expect(model.calls).toBe(1);
  expect((await call("GET", "/metrics")).text).toContain('status="left"');
});

test("events of a thread end where the thread ends: its stream is asked whether it is wanted", async () => {
  const { app, call } = serve({ turns: [{ text: "Yes." }] });
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  await call("POST", "/threads", { id: "t" });
  const answer = await fetch(`${url}/threads/t/events`);
  await call("DELETE", "/threads/t");
  await answer.body?.cancel();
  expect((await call("GET", "/threads/t/events")).status).toBe(410);
});
