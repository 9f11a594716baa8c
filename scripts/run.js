// Starts other programs from the root of the repository.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { delimiter } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** The absolute path of a file of the repository. */
export const inRoot = (/** @type {string} */ path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** The Node binary of the devDependency `node`. */
export const repositoryNode = inRoot(
  process.platform === "win32" ? "node_modules/node/bin/node.exe" : "node_modules/.bin/node",
);

/** How programs start: in the root, with the programs of the devDependencies on the PATH. */
const placeOf = (/** @type {NodeJS.ProcessEnv} */ env) => ({
  cwd: inRoot("."),
  env: { ...process.env, PATH: inRoot("node_modules/.bin") + delimiter + process.env["PATH"], ...env },
});

/** Runs a program, shows its output and returns its exit code. */
function run(
  /** @type {string} */ command,
  /** @type {readonly string[]} */ args,
  /** @type {NodeJS.ProcessEnv} */ env = {},
) {
  const { status, error } = spawnSync(command, args, { ...placeOf(env), stdio: "inherit" });
  if (error) console.error(String(error));
  return status ?? 1;
}

/** Runs a JavaScript or TypeScript program on the repository's Node and returns its exit code. */
export function node(/** @type {readonly string[]} */ args, /** @type {NodeJS.ProcessEnv} */ env = {}) {
  return run(existsSync(repositoryNode) ? repositoryNode : process.execPath, args, env);
}

/** The command line of npm, which sets this path for its scripts; otherwise `npm` must be on the PATH. */
const npmCommand = (/** @type {readonly string[]} */ args) => {
  const npmScript = process.env["npm_execpath"];
  return npmScript ? { command: process.execPath, args: [npmScript, ...args] } : { command: "npm", args };
};

/** Runs npm and returns its exit code. */
export function npm(/** @type {readonly string[]} */ args) {
  const started = npmCommand(args);
  return run(started.command, started.args);
}

/** Runs npm like `npm`, and also returns the output. */
export async function npmWithOutput(/** @type {readonly string[]} */ args) {
  const started = npmCommand(args);
  const child = spawn(started.command, started.args, { ...placeOf({}), stdio: ["inherit", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (/** @type {string} */ text) => {
      output += text;
      process.stdout.write(text);
    });
  }
  const hasClosed = once(child, "close");
  await once(child, "exit");
  await Promise.race([hasClosed, pause(2000)]); // a program that a test left running may hold the pipes open
  for (const stream of [child.stdout, child.stderr]) stream.destroy();
  return { status: child.exitCode ?? 1, output };
}
