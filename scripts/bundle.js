// Turns what tsc wrote into dist into a few files, because a process pays for each module that it loads.
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { build } from "esbuild";
import { inRoot } from "./run.js";

/** @typedef {string | { readonly default: string }} Target */
/** @typedef {{ readonly exports: Record<string, Target>, readonly imports: Record<"#cli", Target> }} Manifest */

const packageFolder = inRoot("packages/undangle");
const dist = join(packageFolder, "dist");

const { outputFiles } = await build({
  absWorkingDir: packageFolder,
  entryPoints: entryPoints(),
  outbase: "dist",
  outdir: "dist",
  write: false, // the output takes the place of the input
  bundle: true,
  format: "esm",
  splitting: true, // what two entries use exists once: one UndangleError, one cache
  chunkNames: "chunks/[name]-[hash]",
  platform: "neutral",
  packages: "external", // dependencies, and Node's own modules
  target: "esnext", // tsc has written what Node 22 understands
  charset: "utf8",
  logLevel: "warning",
  plugins: [{ name: "own-place", setup: markOwnPlaces }],
});

for (const name of readdirSync(dist, { recursive: true, encoding: "utf8" })) {
  if (name.endsWith(".js")) rmSync(join(dist, name));
}
for (const { path, text } of outputFiles) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, withOwnPlaces(path, text));
}

/** The files that are loaded by name: those that the package exports, and the command line. */
function entryPoints() {
  const manifest = readFileSync(join(packageFolder, "package.json"), "utf8");
  const { exports, imports } = /** @type {Manifest} */ (JSON.parse(manifest));
  const targets = [...Object.values(exports), imports["#cli"]];
  return targets
    .map((target) => (typeof target === "string" ? target : target.default))
    .filter((path) => path.endsWith(".js"));
}

/** A module that asks where it stands is told the place that it had before it was bundled, seen from its new one. */
function markOwnPlaces(/** @type {import("esbuild").PluginBuild} */ bundler) {
  bundler.onLoad({ filter: /\.js$/, namespace: "file" }, ({ path }) => {
    const text = readFileSync(path, "utf8");
    if (!text.includes("import.meta.url")) return undefined;
    const place = relative(dist, path).replaceAll("\\", "/");
    return { contents: text.replaceAll("import.meta.url", `new URL("own-place:${place}", import.meta.url).href`) };
  });
}

/** Puts the paths where the marks are: only now it is known which file a module went to. */
function withOwnPlaces(/** @type {string} */ path, /** @type {string} */ text) {
  const toDist = relative(dirname(path), dist).replaceAll("\\", "/") || ".";
  return text.replaceAll('"own-place:', `"${toDist}/`);
}
