// Prepares a checkout: installs and builds what is missing or stale. Plain JavaScript without dependencies, because on a
// fresh clone it runs on any Node from version 20 on, before anything is installed.
import { existsSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { buildPackages, isBuilt } from "./build.js";
import { installIfNeeded } from "./install.js";
import { npm, repositoryNode } from "./run.js";

const oldestNode = { major: 22, minor: 18 };

installIfNeeded({
  folder: ".",
  manifests: [
    "package.json",
    "package-lock.json",
    ".npmrc",
    "packages/undangle/package.json",
    "packages/server/package.json",
    "packages/studio/package.json",
  ],
  announcement: "Installing the development dependencies (a few minutes on the first run) …",
});
checkNode();
if (!process.argv.includes("--no-build") && !isBuilt()) buildPackages();

/**
 * Scripts run on the binary of the `node` package. npm can be configured not to run the install script that downloads
 * it.
 */
function checkNode() {
  if (runsWell(repositoryNode)) return;
  console.log("The repository's own Node did not install; trying once more …");
  npm(["rebuild", "node", "--loglevel=error"]);
  if (runsWell(repositoryNode)) return;
  if (!existsSync(repositoryNode) && runsWell(process.execPath)) {
    console.log(`Continuing with this machine's Node ${process.version}.`);
    return;
  }
  console.error(
    [
      `The repository's own Node (devDependency "node") does not run or is older than ${oldestNode.major}.${oldestNode.minor}.`,
      "Its install script fetches the binary. Is `ignore-scripts` set? Then allow it: npm rebuild node --ignore-scripts=false",
      `Or put Node ${oldestNode.major}.${oldestNode.minor} or newer on the PATH, delete node_modules/.bin/node, and start again.`,
    ].join("\n"),
  );
  process.exit(1);
}

function runsWell(/** @type {string} */ binary) {
  try {
    const version = execFileSync(binary, ["-p", "process.versions.node"], { encoding: "utf8", stdio: "pipe" });
    const [major = 0, minor = 0] = version.trim().split(".").map(Number);
    return major > oldestNode.major || (major === oldestNode.major && minor >= oldestNode.minor);
  } catch {
    return false; // missing, not executable, or for another platform
  }
}
