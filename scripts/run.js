// Starts other programs from the root of the repository.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter } from "node:path";
import { fileURLToPath } from "node:url";

/** The absolute path of a file of the repository. */
export const inRoot = (/** @type {string} */ path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** The Node binary of the devDependency `node`. */
export const repositoryNode = inRoot(
  process.platform === "win32" ? "node_modules/node/bin/node.exe" : "node_modules/.bin/node",
);

/** Runs a program, shows its output and returns its exit code. */
function run(
  /** @type {string} */ command,
  /** @type {readonly string[]} */ args,
  /** @type {NodeJS.ProcessEnv} */ env = {},
) {
  const { status, error } = spawnSync(command, args, {
    cwd: inRoot("."),
    stdio: "inherit",
    env: { ...process.env, PATH: inRoot("node_modules/.bin") + delimiter + process.env["PATH"], ...env },
  });
  if (error) console.error(String(error));
  return status ?? 1;
}

/** Runs a JavaScript or TypeScript program on the repository's Node and returns its exit code. */
export function node(/** @type {readonly string[]} */ args, /** @type {NodeJS.ProcessEnv} */ env = {}) {
  return run(existsSync(repositoryNode) ? repositoryNode : process.execPath, args, env);
}

/** Runs npm and returns its exit code. */
export function npm(/** @type {readonly string[]} */ args) {
  // npm sets this path for its scripts; otherwise `npm` must be on the PATH.
  const npmScript = process.env["npm_execpath"];
  return npmScript ? run(process.execPath, [npmScript, ...args]) : run("npm", args);
}
