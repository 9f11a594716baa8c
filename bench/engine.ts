// What a step of an agent costs: `npm run bench -- engine [--rounds 9] [--only loop|durable] [--own] [--folder DIR] [--markdown] [--json FILE]`.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { durableMarkdown, durableTable } from "./engine/durable-table.ts";
import { measureDurable } from "./engine/durable.ts";
import { measureLoops } from "./engine/loop.ts";
import { loopMarkdown, loopTable } from "./engine/measured.ts";
import { loadToolInput } from "./engine/tool-input.ts";
import { durableVerdicts, loopVerdicts } from "./engine/verdicts.ts";
import type { Workload } from "./engine/workload.ts";
import { verdictLines } from "./measure/verdict.ts";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "9" },
    only: { type: "string", default: "" }, // one of the two tables: loop or durable
    own: { type: "boolean", default: false }, // without the other libraries
    folder: { type: "string" }, // where the databases are made: on the disk that is to be measured
    markdown: { type: "boolean", default: false }, // the tables for a document
    json: { type: "string" },
  },
});
const rounds = Number(options.rounds);
if (!Number.isInteger(rounds) || rounds < 1) throw new Error("Rounds are a whole number.");
if (!["", "loop", "durable"].includes(options.only)) throw new Error("There are two tables: loop and durable.");

const workloads: readonly Workload[] = [
  { name: "1 call", callsPerTurn: 1, priorMessages: 0 },
  { name: "4 calls", callsPerTurn: 4, priorMessages: 0 },
  { name: "16 calls", callsPerTurn: 16, priorMessages: 0 },
  { name: "1 call, 100 before", callsPerTurn: 1, priorMessages: 100 },
  { name: "1 call, 1,000 before", callsPerTurn: 1, priorMessages: 1000 },
];
const durableWorkloads: readonly Workload[] = [
  { name: "1 call", callsPerTurn: 1, priorMessages: 0 },
  { name: "16 calls", callsPerTurn: 16, priorMessages: 0 },
  { name: "1 call, 100 before", callsPerTurn: 1, priorMessages: 100 },
  { name: "1 call, 1,000 before", callsPerTurn: 1, priorMessages: 1000 },
  { name: "1 call, 10,000 before", callsPerTurn: 1, priorMessages: 10_000 },
];

const input = await loadToolInput();
console.log(`The least of all rounds, on Node ${process.version}\n`);

// First, as long as the heap is that of a small program: the other libraries fill it.
const durable =
  options.only === "loop"
    ? undefined
    : await measureDurable({ input, rounds, workloads: durableWorkloads, folder: options.folder });
if (durable !== undefined) console.log(`On SQLite, every commit waits for the disk\n${durableTable(durable)}\n`);

const loop =
  options.only === "durable" ? undefined : await measureLoops({ input, rounds, isOwnOnly: options.own, workloads });
if (loop !== undefined)
  console.log(`CPU microseconds, × the loop by hand with JSON and validation\n${loopTable(loop)}\n`);

const verdicts = [
  ...(loop === undefined ? [] : loopVerdicts(loop)),
  ...(durable === undefined ? [] : durableVerdicts(durable)),
];
console.log(verdictLines(verdicts));
if (options.markdown) {
  if (loop !== undefined) console.log(`\n${loopMarkdown(loop)}`);
  if (durable !== undefined) console.log(`\n${durableMarkdown(durable)}`);
}
if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(reportData(), null, 2)}\n`);

function reportData() {
  return {
    node: process.version,
    loop: loop?.workloads.map(({ workload, costs }) => ({ ...workload, cpuMilliseconds: Object.fromEntries(costs) })),
    durable,
    verdicts,
  };
}
