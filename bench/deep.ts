// What the stack of a deep agent adds to a step: `npm run bench -- deep [--rounds 5] [--own]`.
import { fork } from "node:child_process";
import { once } from "node:events";
import { parseArgs } from "node:util";
import { baseName, loadEntrants } from "./deep/contenders.ts";
import type { Entrant, Setup } from "./deep/contenders.ts";
import { earlierMessages, finalText, stepsPerRun } from "./engine/workload.ts";
import { measureRounds } from "./measure/cpu-rounds.ts";
import type { Contender } from "./measure/cpu-rounds.ts";
import { textTable, threeDigits, times } from "./measure/text-table.ts";

const { values: options } = parseArgs({
  options: { rounds: { type: "string", default: "5" }, own: { type: "boolean", default: false } },
});

const threads = 2;
const runsPerThread = 4;

const provider = fork(new URL("engine/model-server.ts", import.meta.url), { execArgv: ["--no-warnings"] });
const [port] = (await once(provider, "message")) as [number]; // what it sends
const entrants = await loadEntrants(options.own);

for (const url of [undefined, `http://127.0.0.1:${port}/1/v1`]) {
  const rows = entrants.map(({ name }) => [name]);
  const counts = [0, 1000, 5000];
  for (const earlier of counts) {
    const setup = { url, earlier: earlierMessages(earlier) };
    const contenders = entrants.flatMap((entrant) => (entrant.takesPart(setup) ? [contenderOf(entrant, setup)] : []));
    await measureRounds(contenders, 2); // everything is compiled
    const costs = await measureRounds(contenders, Number(options.rounds));
    const base = costs.get(baseName) ?? NaN;
    for (const row of rows) {
      const cost = costs.get(row[0] ?? "");
      row.push(cost === undefined ? "–" : `${threeDigits(1000 * cost)} µs ${times(cost / base)}`);
    }
  }
  const where = url === undefined ? "a model without a network" : "a provider in another process, over HTTP";
  console.log(
    `\nCPU time per step, and × ${baseName}: ${where}; least of ${options.rounds} rounds, ${process.version}\n`,
  );
  console.log(textTable(["a step of", ...counts.map((count) => `${count.toLocaleString("en")} earlier`)], rows));
}
provider.disconnect();
process.exit(); // connections that are kept alive

/** The first run of a thread is not measured: a process reads and counts the earlier messages once. */
function contenderOf({ name, start, atMostRounds }: Entrant, setup: Setup): Contender {
  return {
    name,
    ...(atMostRounds !== undefined && { atMostRounds }),
    async prepare() {
      const run = await start(setup, threads);
      const onAll = async (): Promise<void> => {
        for (let thread = 0; thread < threads; thread++) {
          const text = await run();
          if (text !== finalText) throw new Error(`${name}: the run ended with ${JSON.stringify(text)}.`);
        }
      };
      await onAll();
      const all = async (): Promise<void> => {
        for (let done = 0; done < runsPerThread; done++) await onAll();
      };
      return { times: threads * runsPerThread * stepsPerRun, run: all };
    },
  };
}
