// Builds the packages by plain tsc. `npm run build` always builds; setup.js asks first whether it is needed.
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { hashOfContents, hashOfTree } from "./fingerprint.js";
import { inRoot, node } from "./run.js";

const stamp = inRoot("node_modules/.undangle-build");
const dist = inRoot("packages/undangle/dist");

/** Whether dist is what the sources would build. */
export function isBuilt() {
  return existsSync(`${dist}/index.js`) && existsSync(stamp) && readFileSync(stamp, "utf8") === stateOfSources();
}

/** Builds dist anew; ends this process where the compiler finds errors. */
export function buildPackages() {
  console.log("Building …");
  const state = stateOfSources();
  rmSync(dist, { recursive: true, force: true });
  const status = node([
    inRoot("node_modules/typescript/bin/tsc"),
    "-p",
    inRoot("packages/undangle/tsconfig.build.json"),
  ]);
  if (status !== 0) process.exit(status);
  writeFileSync(stamp, state);
}

function stateOfSources() {
  const settings = ["tsconfig.base.json", "packages/undangle/tsconfig.json", "packages/undangle/tsconfig.build.json"];
  const isBuildInput = (/** @type {string} */ name) => name.endsWith(".ts") && !name.endsWith(".test.ts");
  return hashOfContents(settings.map(inRoot)) + hashOfTree(inRoot("packages/undangle/src"), isBuildInput);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) buildPackages();
