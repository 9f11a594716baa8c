/**
 * A server to be measured, in a process of its own: `subject KIND [PLACE]`. It says where it is as a line of JSON, and for
 * each line on its input how much CPU time and memory it has used.
 */
import { createInterface } from "node:readline";

import Fastify from "fastify";
import { createServer } from "@undangle/server";
import { tool } from "undangle/agent";
import { scriptedModel } from "undangle/testing";

import { bareAnswer } from "./bare-answer.ts";

const [kind = "bare", place = "memory"] = process.argv.slice(2);

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

/** Of a bare handler `PLACE` is what it streams, as JSON. */
const chunks = kind === "bare" ? (JSON.parse(place) as readonly string[]) : [];

const limits = { rate: 1e9, connections: 20_000, runs: 20_000 };
const app =
  kind === "bare"
    ? Fastify()
    : createServer({ store: place, config: { agents: { clerk: { model, tools: [look] } } }, limits, env: {} });
if (kind === "bare") app.post("/v1/chat/completions", (_request, reply) => bareAnswer(reply, chunks));

say({ url: await app.listen({ port: 0, host: "127.0.0.1", backlog: 4096 }) });
for await (const _line of createInterface({ input: process.stdin })) {
  globalThis.gc?.();
  const { user, system } = process.cpuUsage();
  say({ cpu: user + system, memory: process.memoryUsage.rss() });
}
process.exit();
