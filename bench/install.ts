// What an install brings: `npm run bench -- install`.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { textTable } from "./measure/text-table.ts";

const folder = mkdtempSync(join(tmpdir(), "undangle-bench-"));
try {
  compare();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function compare(): void {
  const { dependencies } = readJson(new URL("package.json", import.meta.url)) as Manifest;
  const peers = ["ai", "langchain", "deepagents"].map((name) => `${name}@${dependencies[name] ?? "latest"}`);
  const contenders = [{ name: "undangle", what: pack() }, ...peers.map((name) => ({ name, what: name }))];
  const installed = contenders.map(({ name, what }) => ({ name, ...install(what) }));
  const rows = installed.map(({ name, packages, bytes, files }) => [
    name,
    String(packages),
    (bytes / 1e6).toFixed(2),
    files.toLocaleString("en"),
  ]);
  console.log("What `npm install` brings into an empty folder, peer dependencies included\n");
  console.log(textTable(["install of", "packages", "MB", "files"], rows));
}

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
}

/** Packs the built package as for a release and returns the archive's path. */
function pack(): string {
  const source = fileURLToPath(new URL("../packages/undangle", import.meta.url));
  npm(["pack", source, "--pack-destination", folder, "--silent"], folder);
  const archive = readdirSync(folder).find((name) => name.endsWith(".tgz"));
  if (archive === undefined) throw new Error("`npm pack` made no archive.");
  return join(folder, archive);
}

interface Installed {
  readonly packages: number;
  /** The sum of the files' sizes. */
  readonly bytes: number;
  readonly files: number;
}

function install(what: string): Installed {
  const project = mkdtempSync(join(folder, "project-"));
  writeFileSync(join(project, "package.json"), '{ "name": "empty", "private": true }');
  npm(["install", what, "--no-audit", "--no-fund", "--loglevel=error"], project);
  const modules = join(project, "node_modules");
  const { packages } = readJson(join(modules, ".package-lock.json")) as { readonly packages: object };
  const files = readdirSync(modules, { recursive: true, encoding: "utf8" })
    .map((name) => statSync(join(modules, name)))
    .filter((status) => status.isFile());
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  return { packages: Object.keys(packages).length, bytes, files: files.length };
}

/** Runs npm in a folder; ends in an error that says what npm said. */
function npm(args: readonly string[], cwd: string): void {
  // `npm run` tells its scripts where npm is, and settings of this repository that must not reach another project.
  const { npm_execpath: npmScript, ...inherited } = process.env;
  const env = Object.fromEntries(
    Object.entries(inherited).filter(([name]) => !/^npm_(?!config_(?:registry|cache)$)/iu.test(name)),
  );
  const [command, ...first] = npmScript === undefined ? ["npm"] : [process.execPath, npmScript];
  const { status, stderr, error } = spawnSync(command, [...first, ...args], { cwd, env, encoding: "utf8" });
  if (status !== 0) throw new Error(`npm ${args.join(" ")} failed: ${error?.message ?? stderr}`);
}

function readJson(path: string | URL): unknown {
  return JSON.parse(readFileSync(path, "utf8"));
}
