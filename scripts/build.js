// Builds the packages: tsc, then bundle.js and declarations.js, and the studio with Vite. `npm run build` always builds; setup.js builds only if needed.
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { hashOfContents, hashOfTree } from "./fingerprint.js";
import { inRoot, node } from "./run.js";

const stamp = inRoot("node_modules/.undangle-build");
const dists = ["undangle", "server"].map((name) => inRoot(`packages/${name}/dist`));

/** The page that the server serves. */
const studio = inRoot("packages/server/dist/studio/index.html");

/** True if the build is up to date with the sources. */
export function isBuilt() {
  const areThere = [...dists.map((dist) => `${dist}/index.js`), studio].every((file) => existsSync(file));
  return areThere && existsSync(stamp) && readFileSync(stamp, "utf8") === stateOfSources();
}

/** Builds everything from scratch. Exits if the compiler or the bundler fails. */
export function buildPackages() {
  console.log("Building …");
  const state = stateOfSources();
  for (const dist of dists) rmSync(dist, { recursive: true, force: true });
  const compile = (/** @type {string} */ name) => [
    inRoot("node_modules/typescript/bin/tsc"),
    "-p",
    inRoot(`packages/${name}/tsconfig.build.json`),
  ];
  // The bundler is installed after this file is loaded, so it runs in a separate process, like the compiler.
  const rollUp = (/** @type {string} */ name) => [inRoot("scripts/declarations.js"), name];
  const steps = [
    compile("undangle"),
    [inRoot("scripts/bundle.js")],
    rollUp("undangle"),
    compile("server"),
    rollUp("server"),
    [inRoot("node_modules/vite/bin/vite.js"), "build", inRoot("packages/studio"), "--logLevel", "warn"],
  ];
  for (const step of steps) {
    const status = node(step);
    if (status !== 0) process.exit(status);
  }
  writeFileSync(stamp, state);
}

function stateOfSources() {
  const settings = [
    "tsconfig.base.json",
    "packages/undangle/package.json",
    "packages/undangle/tsconfig.json",
    "packages/undangle/tsconfig.build.json",
    "packages/server/package.json",
    "packages/server/tsconfig.build.json",
    "packages/studio/package.json",
    "packages/studio/index.html",
    "packages/studio/vite.config.ts",
    "scripts/build.js",
    "scripts/bundle.js",
    "scripts/declarations.js",
  ];
  const isBuildInput = (/** @type {string} */ name) => /\.(?:tsx?|css)$/u.test(name) && !name.endsWith(".test.ts");
  const sources = ["undangle", "server", "studio"].map((name) =>
    hashOfTree(inRoot(`packages/${name}/src`), isBuildInput),
  );
  return [hashOfContents(settings.map(inRoot)), ...sources].join("");
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) buildPackages();
