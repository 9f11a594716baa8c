/**
 * A program for tests that kill it: a server whose model can write slowly and whose tool can take very long. Every
 * execution of a tool is a line of `executions.log`. With `die-after-result` the process kills itself as soon as a
 * result is saved, before it reports it.
 */
import { appendFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

import { subagents, tool } from "undangle/agent";
import { sqliteStore } from "undangle/store/sqlite";
import { scriptedModel } from "undangle/testing";
import type { ScriptedCall, ScriptedTurn } from "undangle/testing";

import { createServer } from "../../server/src/index.ts";

const [, , port = "0", mode] = process.argv;

const pay = (minutes: number): ScriptedCall => ({ name: "pay", arguments: { minutes } });
const rounds = 5;
const round: ScriptedTurn = { text: "I look and pay.", calls: [{ name: "look" }, pay(0.005), pay(0)] };

/** What the model does after `step` responses to a message, by a word of the message. */
const scripts: Readonly<Record<string, (step: number) => ScriptedTurn | undefined>> = {
  Write: (step) =>
    step === 0
      ? { calls: [{ name: "look" }] }
      : { text: "One two three four five six seven eight nine ten. ".repeat(3), pace: 120 },
  Settle: (step) => (step < rounds ? round : undefined),
  Pay: (step) => (step === 0 ? { text: "I pay.", calls: [pay(0.002)] } : undefined),
  Delegate: (step) =>
    step === 0 ? { calls: [{ name: "task", arguments: { description: "Wait.", subagent_type: "clerk" } }] } : undefined,
  Both: (step) => (step === 0 ? { text: "I pay both.", calls: [pay(10), pay(0)] } : undefined),
  Wait: (step) => (step === 0 ? { text: "I pay slowly.", calls: [pay(10)] } : undefined),
};

const model = scriptedModel(
  [
    ({ messages }) => {
      const start = messages.findLastIndex(({ role }) => role === "user");
      const words = JSON.stringify(messages[start]);
      const step = messages.slice(start).filter(({ role }) => role === "assistant").length;
      const [, script] = Object.entries(scripts).find(([word]) => words.includes(word)) ?? [];
      return script?.(step) ?? { text: "It is over." };
    },
  ],
  { name: "slow", loop: true },
);

const record = (callId: string): void => appendFileSync("executions.log", `${callId}\n`);

const lookAtBills = tool({
  name: "look",
  description: "Looks.",
  execute: async (_args, { callId }) => {
    record(callId);
    await pause(50);
    return "seen";
  },
});

const payBills = tool({
  name: "pay",
  description: "Pays.",
  input: { type: "object", properties: { minutes: { type: "number" } }, required: ["minutes"] } as const,
  approval: true,
  execute: async ({ minutes }, { callId, signal }) => {
    record(callId);
    await pause(minutes * 60_000, undefined, { signal });
    return "paid";
  },
});

const clerk = {
  name: "clerk",
  description: "Pays bills.",
  instructions: "Pay.",
  model,
  tools: [payBills],
};

const store = sqliteStore("threads.db");

const app = createServer({
  store: {
    ...store,
    async commit(commit) {
      await store.commit(commit);
      const isResult = commit.events.some(({ type }) => type === "tool_call_end");
      if (isResult && mode === "die-after-result") process.kill(process.pid, "SIGKILL");
    },
  },
  config: {
    agents: {
      helper: {
        model,
        tools: [lookAtBills, payBills],
        middleware: [subagents({ agents: [clerk], generalPurpose: false })],
      },
    },
  },
  env: {},
});
const url = await app.listen({ port: Number(port), host: "127.0.0.1" });
process.stdout.write(`It runs at ${url}\n`);
