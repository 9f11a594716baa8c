/** A program for tests that kill it: a server whose model writes slowly and whose tool does not end by itself. */
import { setTimeout as pause } from "node:timers/promises";

import { tool } from "undangle/agent";
import { sqliteStore } from "undangle/store/sqlite";
import { scriptedModel } from "undangle/testing";

import { createServer } from "../../server/src/index.ts";

const model = scriptedModel(
  [
    ({ messages }) => {
      const words = JSON.stringify(messages.findLast(({ role }) => role === "user"));
      if (words.includes("Write"))
        return { text: "One two three four five six seven eight nine ten. ".repeat(6), pace: 400 };
      const isFirst = messages.at(-1)?.role === "user";
      return isFirst ? { text: "I pay.", calls: [{ name: "pay" }] } : { text: "It is over." };
    },
  ],
  { name: "slow", loop: true },
);

const pay = tool({
  name: "pay",
  description: "Pays.",
  approval: true,
  execute: async (_args, { signal }) => {
    await pause(600_000, undefined, { signal });
    return "paid";
  },
});

const app = createServer({
  store: sqliteStore("threads.db"),
  config: { agents: { helper: { model, tools: [pay] } } },
  env: {},
});
const url = await app.listen({ port: Number(process.argv[2] ?? 0), host: "127.0.0.1" });
process.stdout.write(`It runs at ${url}\n`);
