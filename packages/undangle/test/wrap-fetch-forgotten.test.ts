import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { wrapFetch } from "undangle";
import type { WrapFetchOptions } from "undangle";
import { afterAll, beforeAll, expect, test } from "vitest";

import { chunk, events } from "./clients/passed-through.ts";

/** A server that goes on until somebody leaves, and one that answers with a body that has no end. */
let running = 0;
const server = createServer((request, response) => {
  running += 1;
  request.resume();
  const type = request.url?.includes("whole") === true ? "application/json" : "text/event-stream";
  response.writeHead(200, { "content-type": type });
  response.write(type === "application/json" ? '{"choices":[' : events(chunk({ role: "assistant", content: "Hi." })));
  const timer = setInterval(() => response.write(type === "application/json" ? " " : ":\n\n"), 5);
  response.on("close", () => {
    clearInterval(timer);
    running -= 1;
  });
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
afterAll(() => new Promise<void>((resolve) => (server.closeAllConnections(), server.close(() => resolve()))));

async function collect(): Promise<void> {
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc") as () => void; // so Node gives it
  for (let i = 0; i < 5; i++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    gc();
  }
}

const ask = async (options: WrapFetchOptions, path: string, stream: boolean): Promise<Response> => {
  const body = JSON.stringify({ model: "m", stream, messages: [{ role: "user", content: "Hi." }] });
  const { port } = server.address() as AddressInfo; // it listens
  const send = wrapFetch({ ...options, logger: false });
  return send(`http://127.0.0.1:${port}${path}/v1/chat/completions`, { method: "POST", body });
};

const ways: readonly WrapFetchOptions[] = [{}, { toolCalls: "stream" }, { mode: "warn" }, { mode: "off" }];
const cases = ways.flatMap((way) => [[way, "", true] as const, [way, "/whole", false] as const]);

test.each(cases)("a response that is forgotten unread ends at the server, as without: %o %s", async (...asked) => {
  const look = async (): Promise<number> => (await ask(...asked)).status;
  for (let i = 0; i < 3; i++) expect(await look()).toBe(200);
  await expect.poll(async () => (await collect(), running), { timeout: 10_000 }).toBe(0);
});

test.each(ways)("one that somebody still has does not: %o", async (way) => {
  const response = await ask(way, "", true);
  await collect();
  const reader = (response.body as ReadableStream<Uint8Array>).getReader(); // that of an answer
  const { value } = await reader.read();
  expect(new TextDecoder().decode(value)).toContain("Hi.");
  await reader.cancel();
});
