// What a step costs that is saved: `npm run bench -- durable [--rounds 7] [--folder DIR]`. The databases are made in the folder.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import pg from "pg";
import { createAgent, memoryStore, tool } from "undangle/agent";
import type { Store } from "undangle/agent";
import { cyclingModel } from "./engine/cycling-model.ts";
import { postgresStore } from "undangle/store/postgres";
import { sqliteStore } from "undangle/store/sqlite";
import { startServer } from "../packages/undangle/test/postgres/start-server.ts";
import { earlierMessages, finalText, question, stepsPerRun, toolName, toolResult } from "./engine/workload.ts";
import { textTable, threeDigits } from "./measure/text-table.ts";

const { values: options } = parseArgs({
  options: { rounds: { type: "string", default: "7" }, folder: { type: "string", default: tmpdir() } },
});
const folder = mkdtempSync(join(options.folder, "undangle-bench-"));
const postgres = await startServer();
const pool = new pg.Pool({ connectionString: postgres.url });
const stores: Readonly<Record<string, Store>> = {
  memory: memoryStore(),
  SQLite: sqliteStore(join(folder, "threads.db")),
  Postgres: postgresStore(pool),
};

const earlierCounts = [0, 1000, 10_000];
const threadsPerRound = 2;
const runsPerThread = 4;

interface Cost {
  readonly cpu: number;
  readonly wall: number;
  readonly commits: number;
}

const costs = new Map<string, Cost>();
for (const earlier of earlierCounts) {
  for (let round = -1; round < Number(options.rounds); round++) {
    for (const [name, store] of Object.entries(stores)) {
      const cost = await costOf(store, earlier, `${name} ${earlier} ${round}`);
      const key = `${name} ${earlier}`;
      if (round >= 0) costs.set(key, lesser(cost, costs.get(key) ?? cost)); // the first round compiles
    }
  }
}
console.log(
  `A step with one call, least of ${options.rounds} rounds; CPU time of the client. SQLite and Postgres wait for the disk. Node ${process.version}\n`,
);
const cell = (name: string, earlier: number): string => {
  const { cpu, wall, commits } = costs.get(`${name} ${earlier}`) ?? { cpu: NaN, wall: NaN, commits: NaN };
  return `${threeDigits(cpu)} ms CPU, ${threeDigits(wall)} ms, ${commits.toFixed(2)} commits`;
};
console.log(
  textTable(
    ["store", ...earlierCounts.map((count) => `${count.toLocaleString("en")} earlier messages`)],
    Object.keys(stores).map((name) => [name, ...earlierCounts.map((count) => cell(name, count))]),
  ),
);
for (const store of Object.values(stores)) await store.close();
await pool.end();
await postgres.close();
rmSync(folder, { recursive: true });

async function costOf(store: Store, earlier: number, id: string): Promise<Cost> {
  let commits = 0;
  const counting: Store = {
    ...store,
    async commit(commit) {
      commits++;
      await store.commit(commit);
    },
  };
  const read = tool({
    name: toolName,
    description: "Reads a file.",
    input: {
      type: "object",
      properties: { path: { type: "string" }, limit: { type: "number" } },
      required: ["path", "limit"],
    } as const,
    execute: ({ path, limit }) => toolResult({ path, limit }),
  });
  const agent = createAgent({
    model: cyclingModel(),
    tools: [read],
    store: counting,
    limits: { steps: stepsPerRun + 1 },
  });
  const threads = Array.from({ length: threadsPerRound }, (_, place) => agent.thread(`${id} ${place}`));
  for (const thread of threads) {
    if (earlier > 0) await thread.import({ messages: earlierMessages(earlier) }, { format: "openai-chat" });
    await thread.pending(); // a thread is read once, before its first step
  }
  globalThis.gc?.();
  commits = 0;
  const begin = performance.now();
  const used = process.cpuUsage();
  for (const thread of threads) {
    for (let run = 0; run < runsPerThread; run++) {
      const { text, error } = await thread.send(question).result;
      if (text !== finalText) throw new Error("The run ended too early.", { cause: error });
    }
  }
  const { user, system } = process.cpuUsage(used);
  const wall = performance.now() - begin;
  await agent.close();
  const steps = stepsPerRun * threadsPerRound * runsPerThread;
  return { cpu: (user + system) / 1000 / steps, wall: wall / steps, commits: commits / steps };
}

function lesser(one: Cost, other: Cost): Cost {
  return { cpu: Math.min(one.cpu, other.cpu), wall: Math.min(one.wall, other.wall), commits: one.commits };
}
