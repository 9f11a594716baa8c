// What an import and a start of the program cost: `npm run bench -- import [--rounds 15]`.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { conversation } from "./histories/conversation.ts";
import { dangling } from "./histories/damage.ts";
import { formats } from "./histories/formats.ts";
import { median, textTable } from "./measure/text-table.ts";

const { values: options } = parseArgs({ options: { rounds: { type: "string", default: "15" } } });
const rounds = Number(options.rounds);
const here = fileURLToPath(new URL(".", import.meta.url));
const packageFolder = fileURLToPath(new URL("../packages/undangle/", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "undangle-bench-"));
const cacheFolder = join(folder, "cache");

const empty = "(empty process)";
const { exports } = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8")) as {
  readonly exports: object;
};
const entries = Object.keys(exports).flatMap((name) => (name.endsWith(".json") ? [] : `undangle${name.slice(1)}`));
const imports = [empty, ...entries, "ai", "@openai/agents", "langchain", "deepagents"];

const history = join(folder, "history.json");
writeFileSync(history, JSON.stringify(formats["openai-chat"](dangling(conversation(20)))));
const program = join(packageFolder, "bin/undangle.js");
const withoutCache = { NODE_DISABLE_COMPILE_CACHE: "1" };
const withCache = { XDG_CACHE_HOME: cacheFolder };
const starts: readonly (readonly [name: string, args: readonly string[], env: NodeJS.ProcessEnv])[] = [
  ["undangle --help", [program, "--help"], withCache],
  ["undangle --help, without the compile cache", [program, "--help"], withoutCache],
  ["undangle doctor FILE", [program, "doctor", history], withCache],
  ["undangle doctor FILE, without the compile cache", [program, "doctor", history], withoutCache],
];

// In turns, so that other work on the machine disturbs all alike. The first round only fills caches.
const costs = new Map<string, number[]>();
for (let round = 0; round <= rounds; round++) {
  for (const name of imports) note(round, name, () => importCost(name));
  for (const [name, args, env] of starts) note(round, name, () => startCost(args, env));
}
rmSync(folder, { recursive: true });

console.log(`CPU milliseconds, ${rounds} processes each, in turns, Node ${process.version}\n`);
console.log(
  textTable(
    ["import of", "least", "median", "added, least", "added, median", "files", "kB"],
    imports.map((name) => [name, ...numbersOf(name), ...addedBy(name), ...loadedBy(name)]),
  ),
);
console.log(
  `\n${textTable(
    ["start of", "least", "median"],
    starts.map(([name]) => [name, ...numbersOf(name)]),
  )}`,
);

function note(round: number, name: string, measure: () => number): void {
  const cost = measure();
  if (round > 0) costs.set(name, [...(costs.get(name) ?? []), cost]);
}

/** CPU time of a process up to the end of an import. */
function importCost(name: string): number {
  const load = name === empty ? "" : `await import(${JSON.stringify(name)});`;
  return Number(evaluate(`${load} const { user, system } = process.cpuUsage(); console.log((user + system) / 1000);`));
}

/** CPU time of a whole process, as it reports it at its end. */
function startCost(args: readonly string[], env: NodeJS.ProcessEnv): number {
  const report = `data:text/javascript,process.on("exit", () => {
    const { user, system } = process.cpuUsage(); process.stderr.write("\\n" + (user + system) / 1000); });`;
  const { stderr } = spawnSync(process.execPath, ["--import", report, ...args], {
    env: { ...process.env, NODE_OPTIONS: "", ...env },
    encoding: "utf8",
  });
  return Number(stderr.split("\n").at(-1));
}

function evaluate(source: string): string {
  const env = { ...process.env, NODE_OPTIONS: "", NODE_COMPILE_CACHE: "" };
  const args = ["--input-type=module", "--eval", source];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: here, env, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

/** How many files an import loads, apart from Node's own, and their size. */
function loadedBy(name: string): readonly string[] {
  if (name === empty) return ["", ""];
  const urls = JSON.parse(
    evaluate(`
      import { registerHooks } from "node:module";
      const urls = [];
      registerHooks({ load: (url, context, next) => { urls.push(url); return next(url, context); } });
      await import(${JSON.stringify(name)});
      console.log(JSON.stringify(urls.filter((url) => url.startsWith("file:"))));`),
  ) as readonly string[]; // printed by the line above
  const bytes = urls.reduce((sum, url) => sum + statSync(new URL(url)).size, 0);
  return [urls.length.toLocaleString("en"), Math.round(bytes / 1000).toLocaleString("en")];
}

function numbersOf(name: string): readonly string[] {
  const all = costs.get(name) ?? [];
  return [Math.min(...all).toFixed(1), median(all).toFixed(1)];
}

function addedBy(name: string): readonly string[] {
  if (name === empty) return ["", ""];
  const [all, base] = [costs.get(name) ?? [], costs.get(empty) ?? []];
  return [(Math.min(...all) - Math.min(...base)).toFixed(1), (median(all) - median(base)).toFixed(1)];
}
