// What an import costs: `npm run bench -- import [--rounds 15] [--json FILE]`.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { textTable } from "./measure/text-table.ts";
import { type Verdict, verdictLines } from "./measure/verdict.ts";

const { values: options } = parseArgs({
  options: { rounds: { type: "string", default: "15" }, json: { type: "string" } },
});

/** What `import "undangle"` may add to an empty process, in milliseconds. */
const limit = 20;

interface Cost {
  /** Milliseconds from the start of the process to the end of the import. */
  readonly wall: number;
  /** CPU milliseconds of the process up to there, all threads. */
  readonly cpu: number;
}

const empty = "(empty process)";
const contenders = [empty, "undangle", "ai", "langchain", "deepagents"];
const costs = measure(Number(options.rounds));

const baseline = summary(empty);
const rows = contenders.map((name) => {
  const { wall, medianWall, cpu, medianCpu } = summary(name);
  const added = name === empty ? [0, 0] : [wall - baseline.wall, cpu - baseline.cpu];
  return [name, ...[wall, medianWall, cpu, medianCpu, ...added].map((value) => value.toFixed(1))];
});
console.log(`Milliseconds on Node ${process.version}, ${options.rounds} processes each, in turns\n`);
console.log(textTable(["import of", "wall", "median", "CPU", "median", "wall added", "CPU added"], rows));

const own = summary("undangle");
const loaded = loadedModules("undangle");
const dist = new URL("../packages/undangle/dist/", import.meta.url).href;
const foreign = loaded.filter((url) => !url.startsWith(dist));
const added = { wall: own.wall - baseline.wall, cpu: own.cpu - baseline.cpu };
const verdicts: readonly Verdict[] = [
  {
    figure: `import "undangle": at most ${limit} ms over an empty process`,
    reached: Math.max(added.wall, added.cpu) <= limit,
    numbers: `${added.wall.toFixed(1)} ms wall, ${added.cpu.toFixed(1)} ms CPU`,
  },
  {
    figure: "no dependency is loaded",
    reached: foreign.length === 0,
    numbers: `${loaded.length} modules, ${foreign.length === 0 ? "all of them its own" : `foreign: ${foreign.join(", ")}`}`,
  },
];
console.log(`\n${verdictLines(verdicts)}`);
if (options.json !== undefined) {
  const imports = Object.fromEntries(contenders.map((name) => [name, summary(name)]));
  writeFileSync(options.json, `${JSON.stringify({ node: process.version, imports, verdicts }, null, 2)}\n`);
}

/** Starts a process for each contender in turn, round after round. The first round only fills the disk's cache. */
function measure(rounds: number): ReadonlyMap<string, readonly Cost[]> {
  const costs = new Map(contenders.map((name): [string, Cost[]] => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const name of contenders) {
      const cost = costOf(name);
      if (round > 0) costs.get(name)?.push(cost);
    }
  }
  return costs;
}

function costOf(name: string): Cost {
  const load = name === empty ? "" : `await import(${JSON.stringify(name)});`;
  return JSON.parse(
    runModule(`${load}
      const wall = performance.now();
      const { user, system } = process.cpuUsage();
      console.log(JSON.stringify({ wall, cpu: (user + system) / 1000 }));`),
  ) as Cost; // printed by the line above
}

/** The files that an import loads, apart from Node's own. */
function loadedModules(name: string): readonly string[] {
  return JSON.parse(
    runModule(`
      import { registerHooks } from "node:module";
      const urls = [];
      registerHooks({ load: (url, context, next) => { urls.push(url); return next(url, context); } });
      await import(${JSON.stringify(name)});
      console.log(JSON.stringify(urls.filter((url) => !url.startsWith("node:"))));`),
  ) as readonly string[]; // printed by the line above
}

/** Runs a module in a new process, in this folder, so that packages are found, and returns what it printed. */
function runModule(source: string): string {
  const cwd = fileURLToPath(new URL(".", import.meta.url));
  const env = { ...process.env, NODE_OPTIONS: "", NODE_COMPILE_CACHE: "" };
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", source], {
    cwd,
    env,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

function summary(name: string) {
  const all = costs.get(name) ?? [];
  const [wall, cpu] = [all.map((cost) => cost.wall), all.map((cost) => cost.cpu)];
  return { wall: Math.min(...wall), medianWall: median(wall), cpu: Math.min(...cpu), medianCpu: median(cpu) };
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? NaN;
}
