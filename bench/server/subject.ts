/**
 * A server to be measured, in a process of its own: `subject KIND [PLACE]`. It says where it is as a line of JSON, and for
 * each line on its input how much CPU time and memory it has used.
 */
import { createServer as createHttpServer } from "node:http";
import { createInterface } from "node:readline";

import Fastify from "fastify";
import { createServer } from "@undangle/server";
import { tool } from "undangle/agent";
import { scriptedModel } from "undangle/testing";

import { bareAnswer } from "./bare-answer.ts";

const [kind = "plain", place = "memory"] = process.argv.slice(2);

const say = (value: object): void => void process.stdout.write(`${JSON.stringify(value)}\n`);

const look = tool({ name: "look", description: "Looks.", idempotent: true, execute: () => "seen" });
const words = "It is a fine day, and there is nothing more to be said about it.";

/** With `paced`, a piece of a text every 400 ms; otherwise all at once. */
const pace = kind === "paced" ? { pace: 400 } : {};
const hasTools = kind !== "plain";

const model = scriptedModel(
  [
    ({ messages }) =>
      messages.at(-1)?.role === "user" && hasTools
        ? { text: "I look.", calls: [{ name: "look" }], ...pace }
        : { text: words, ...pace },
  ],
  { loop: true },
);

const limits = { rate: 1e9, connections: 20_000, runs: 20_000 };
const address = { port: 0, host: "127.0.0.1", backlog: 4096 };

say({ url: await listen() });
for await (const _line of createInterface({ input: process.stdin })) {
  globalThis.gc?.();
  const { user, system } = process.cpuUsage();
  say({ cpu: user + system, memory: process.memoryUsage.rss() });
}
process.exit();

/** Starts the server of this kind. Those that only stream get their chunks as `PLACE`, in JSON. */
async function listen(): Promise<string> {
  if (kind === "http") return await listenBare(JSON.parse(place) as readonly string[]); // the benchmark's own
  if (kind === "fastify") {
    const chunks = JSON.parse(place) as readonly string[]; // the benchmark's own
    const app = Fastify();
    app.post("/v1/chat/completions", (_request, reply) => bareAnswer(reply, chunks));
    return await app.listen(address);
  }
  return await createServer({
    store: place,
    config: { agents: { clerk: { model, tools: [look] } } },
    limits,
    env: {},
  }).listen(address);
}

/** node:http: reads the body, parses it, and writes the chunks. */
async function listenBare(chunks: readonly string[]): Promise<string> {
  const server = createHttpServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      JSON.parse(Buffer.concat(parts).toString());
      response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
      for (const chunk of chunks) response.write(chunk);
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(address, resolve));
  const bound = server.address();
  return `http://127.0.0.1:${typeof bound === "object" && bound !== null ? bound.port : 0}`;
}
