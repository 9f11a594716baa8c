// What a step of an agent costs over HTTP: `npm run bench -- engine [--rounds 7] [--own]`.
import { fork } from "node:child_process";
import { once } from "node:events";
import { parseArgs } from "node:util";
import { loadEntrants, soundRun } from "./engine/contenders.ts";
import type { Entrant, Setup } from "./engine/contenders.ts";
import { earlierMessages, stepsPerRun } from "./engine/workload.ts";
import { measureRounds } from "./measure/cpu-rounds.ts";
import type { Contender } from "./measure/cpu-rounds.ts";
import { textTable, threeDigits, times } from "./measure/text-table.ts";

const { values: options } = parseArgs({
  options: { rounds: { type: "string", default: "7" }, own: { type: "boolean", default: false } },
});

/** Columns: the calls of a step, and the messages before the run. */
const workloads = [
  { name: "1 call", calls: 1, earlier: 0 },
  { name: "16 calls", calls: 16, earlier: 0 },
  { name: "1 call, 100 earlier", calls: 1, earlier: 100 },
  { name: "1 call, 1,000 earlier", calls: 1, earlier: 1000 },
] as const;

/** These keep no messages between runs, so they take part only where there are none before. */
const isWithoutHistory = (name: string): boolean => /langchain|agents/u.test(name);

const provider = fork(new URL("engine/model-server.ts", import.meta.url), { execArgv: ["--no-warnings"] });
const [port] = (await once(provider, "message")) as [number]; // what it sends
const entrants = await loadEntrants(options.own);
const rows = entrants.map(({ name }) => [name]);
for (const { calls, earlier } of workloads) {
  const setup = { url: `http://127.0.0.1:${port}/${calls}/v1`, earlier: earlierMessages(earlier) };
  const taking = entrants.filter(({ name }) => earlier === 0 || !isWithoutHistory(name));
  const runs = Math.ceil(12 / Math.sqrt(calls));
  const contenders = taking.map((entrant) => contenderOf(entrant, setup, runs));
  await measureRounds(contenders, 2); // everything is compiled
  const costs = await measureRounds(contenders, Number(options.rounds));
  const base = costs.get("hand-written loop") ?? NaN;
  for (const row of rows) {
    const cost = costs.get(row[0] ?? "");
    row.push(cost === undefined ? "–" : `${threeDigits(1000 * cost)} µs ${times(cost / base)}`);
  }
}
console.log(
  `CPU time of the client per step, and × the hand-written loop (least of ${options.rounds} rounds), Node ${process.version}\n`,
);
console.log(textTable(["a step of", ...workloads.map(({ name }) => name)], rows));
provider.disconnect();
process.exit(); // connections that are kept alive

function contenderOf({ name, start, atMostRounds }: Entrant, setup: Setup, runs: number): Contender {
  return {
    name,
    ...(atMostRounds !== undefined && { atMostRounds }),
    async prepare() {
      const run = await start(setup, runs);
      const all = async (): Promise<void> => {
        for (let done = 0; done < runs; done++) await soundRun(name, run);
      };
      return { times: runs * stepsPerRun, run: all };
    },
  };
}
