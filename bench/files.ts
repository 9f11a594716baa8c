// Searches of a tree of files on a disk, beside ripgrep and fd: `npm run bench -- files [--rounds 5] [--files 100000]`.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { diskFiles } from "undangle/files";
import { median, textTable, threeDigits, times } from "./measure/text-table.ts";

const { values: options } = parseArgs({
  options: { rounds: { type: "string", default: "5" }, files: { type: "string", default: "100000" } },
});
const rounds = Number(options.rounds);
const count = Number(options.files);

const rare = "rarestring";
const root = mkdtempSync(join(tmpdir(), "undangle-bench-"));
process.on("exit", () => rmSync(root, { recursive: true, force: true }));
const megabytes = makeTree();
console.log(`${count} files, ${megabytes.toFixed(0)} MB, median of ${rounds} rounds, wall time in ms\n`);

const files = diskFiles(root);
const query = { path: "/", context: 0, maxCount: 1000 };
const find = isOnPath("fdfind") ? "fdfind" : "fd";
const unfiltered = ["--no-config", "--no-ignore", "--hidden"];

interface Row {
  readonly name: string;
  readonly own: () => Promise<unknown>;
  readonly other?: readonly [command: string, ...args: string[]];
}

const rows: readonly Row[] = [
  { name: "list a directory of 50 files", own: () => files.list("/p0/m0/d0") },
  {
    name: "glob `*.md`",
    own: () => files.glob({ pattern: "*.md", path: "/" }),
    other: [find, "-u", "-t", "f", String.raw`\.md$`, root],
  },
  {
    name: "glob `p1/**/*.ts`",
    own: () => files.glob({ pattern: "p1/**/*.ts", path: "/" }),
    other: [find, "-u", "-t", "f", String.raw`\.ts$`, join(root, "p1")],
  },
  {
    name: "grep, a rare text",
    own: () => files.grep({ ...query, pattern: rare, isRegex: false }),
    other: ["rg", ...unfiltered, "-F", "-n", rare, root],
  },
  {
    name: "grep, a text of every file, 1,000 matches",
    own: () => files.grep({ ...query, pattern: "const", isRegex: false }),
    other: ["rg", ...unfiltered, "-F", "-l", "const", root],
  },
  {
    name: "grep, a regular expression",
    own: () => files.grep({ ...query, pattern: "rare[s]tring", isRegex: true }),
    other: ["rg", ...unfiltered, "-n", "rare[s]tring", root],
  },
];

const delays = monitorEventLoopDelay({ resolution: 1 });
const table: string[][] = [];
for (const { name, own, other } of rows) {
  const isThere = other !== undefined && isOnPath(other[0]);
  const ownTimes: number[] = [];
  const otherTimes: number[] = [];
  let block = 0;
  await own(); // fills the caches of the system
  for (let round = 0; round < rounds; round++) {
    delays.reset();
    delays.enable();
    const start = performance.now();
    await own();
    ownTimes.push(performance.now() - start);
    delays.disable();
    block = Math.max(block, delays.max / 1e6);
    if (isThere) otherTimes.push(timeOf(other));
  }
  table.push([
    name,
    threeDigits(median(ownTimes)),
    isThere ? `${threeDigits(median(otherTimes))} (${other[0]})` : "–",
    isThere ? times(median(ownTimes) / median(otherTimes)) : "–",
    threeDigits(block),
  ]);
}
console.log(textTable(["operation", "diskFiles", "other", "ratio", "longest block of the event loop"], table));

function timeOf([command, ...args]: readonly [string, ...string[]]): number {
  const start = performance.now();
  spawnSync(command, args, { stdio: ["ignore", "pipe", "ignore"], maxBuffer: 1e9 });
  return performance.now() - start;
}

function isOnPath(command: string): boolean {
  try {
    execFileSync(command, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Directories of 50 files with 10 to 50 lines each. Returns the size in megabytes. */
function makeTree(): number {
  let seed = 1;
  const random = (): number => {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff;
    return seed / 0x7fffffff;
  };
  const words = "const let function return import export value index path file read write error result line".split(" ");
  const lines = Array.from({ length: 200 }, () =>
    Array.from({ length: 8 }, () => words[Math.floor(random() * words.length)]).join(" "),
  );
  let bytes = 0;
  for (let index = 0; index < count; index++) {
    const directory = Math.floor(index / 50);
    const folder = join(root, `p${directory % 20}`, `m${Math.floor(directory / 20) % 10}`, `d${directory}`);
    if (index % 50 === 0) mkdirSync(folder, { recursive: true });
    const from = Math.floor(random() * 150);
    const text = lines.slice(from, from + 10 + Math.floor(random() * 40)).join("\n");
    const content = index % 997 === 0 ? `${text}\nconst here is a ${rare}\n` : `${text}\nconst\n`;
    writeFileSync(join(folder, `f${index % 50}.${index % 5 === 0 ? "md" : "ts"}`), content);
    bytes += content.length;
  }
  return bytes / 1e6;
}
