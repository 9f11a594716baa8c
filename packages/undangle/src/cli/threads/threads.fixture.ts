import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { openStore } from "#config";
import { createAgent, tool } from "#engine";
import type { Agent, AgentOptions } from "#engine";
import type { Store } from "#store";
import { scriptedModel } from "#testing";

import { runIn } from "../memory-io.fixture.ts";
import type { Outcome, World } from "../memory-io.fixture.ts";

/** A folder with a store in it, and the program that is run there. */
export interface Bench {
  readonly folder: string;
  /** `undangle threads …` in that folder. */
  readonly run: (...argv: readonly string[]) => Promise<Outcome>;
  readonly runAs: (world: Omit<World, "folder">, ...argv: readonly string[]) => Promise<Outcome>;
  /** Does something with the store of the folder, and closes it. */
  readonly inStore: <T>(work: (store: Store) => Promise<T>) => Promise<T>;
  /** Does something with an agent that is scripted. */
  readonly withAgent: <T>(options: Partial<AgentOptions>, work: (agent: Agent) => Promise<T>) => Promise<T>;
  readonly remove: () => void;
}

export function makeBench(): Bench {
  const folder = mkdtempSync(join(tmpdir(), "undangle-threads-"));
  const inStore: Bench["inStore"] = async (work) => {
    const store = await openStore(undefined, { folder });
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  };
  const runAs: Bench["runAs"] = (world, ...argv) => runIn({ stdin: "", ...world, folder }, "threads", ...argv);
  return {
    folder,
    run: (...argv) => runAs({}, ...argv),
    runAs,
    inStore,
    withAgent: (options, work) =>
      inStore(async (store) => {
        const agent = createAgent({ model: scriptedModel([{ text: "Hello." }], { loop: true }), ...options, store });
        const done = await work(agent);
        await agent.close();
        return done;
      }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A tool of the demo agent, by its name: the program has it too. */
export const payInvoice = tool({
  name: "pay_invoice",
  description: "Pays an invoice.",
  input: { type: "object", properties: { invoice: { type: "integer" }, amount: { type: "number" } } },
  approval: true,
  execute: () => "paid",
});

/** Begins a thread whose calls wait for a decision. */
export async function beginWaiting(bench: Bench, id: string, invoices: readonly number[] = [1]): Promise<void> {
  const calls = invoices.map((invoice) => ({ name: "pay_invoice", arguments: { invoice, amount: 10 } }));
  const model = scriptedModel([{ text: "I pay.", calls }]);
  await bench.withAgent({ model, tools: [payInvoice] }, (agent) => agent.thread(id).send("Pay them.").result);
}

/** A history of openai-chat with a call and its long result. */
export const longHistory = [
  { role: "user", content: "List." },
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "a", type: "function", function: { name: "ls", arguments: "{}" } }],
  },
  { role: "tool", tool_call_id: "a", content: Array.from({ length: 40 }, (_, i) => `line ${i + 1}`).join("\n") },
  { role: "assistant", content: "Done." },
];
